"""The best submissions of a task."""

from collections.abc import Iterable
from typing import Literal

from schemas.submissions import SubmissionTask, Version


def top(task: SubmissionTask, versions: Iterable[Version]) -> list[Version]:
    """Return the best scored version of each submission, the best first.

    A sort key from the evaluator takes precedence over the score, and higher keys are better. Among
    equals the earlier submission is first. Submissions without a score are excluded.
    """
    best: dict[int, Version] = {}
    for one in versions:
        if one.state != "scored" or one.score is None:
            continue
        known = best.get(one.submission_id)
        if known is None or _order(one, task.direction) < _order(known, task.direction):
            best[one.submission_id] = one
    return sorted(best.values(), key=lambda one: _order(one, task.direction))


def _order(version: Version, direction: Literal["max", "min"]) -> tuple[list[float], int, int]:
    score = version.score or 0.0
    better = [-score if direction == "max" else score]
    if version.sort_key is not None:
        better = [-one for one in version.sort_key]
    return better, version.submission_id, version.version
