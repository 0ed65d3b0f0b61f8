"""Rankings of a document that did not come about: results that might have been; pure."""

import itertools
from collections.abc import Callable, Sequence
from datetime import timedelta

from acm_workers.pipeline.ranked import ranked
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import fusion, scores
from schemas.config.config import Config
from schemas.units import ENDED, Comparison, Evaluation

MOST_WINS = 6
"""Comparisons that are imagined for one candidate, at the most."""

_IMAGINED = 1000
"""Iteration of the first imagined comparison: above all that may be planned."""


def winner(view: DocumentSnapshot, config: Config) -> str | None:
    """Return who wins by what is there."""
    found = ranked(view, config)
    needed = config.playoffs.min_confidence
    return fusion.winner(found.standings, view.candidates, found.fusions, needed)[0]


def wins_needed(view: DocumentSnapshot, config: Config, best: str, other: str) -> int | None:
    """Return how many comparisons in a row ``other`` has to win against ``best`` to win itself.

    Absent where ``MOST_WINS`` are not enough.
    """
    for count in range(1, MOST_WINS + 1):
        imagined = _wins(view, config, other, best, count)
        if winner(view._replace(comparisons=[*view.comparisons, *imagined]), config) == other:
            return count
    return None


def could_change(view: DocumentSnapshot, config: Config, best: str, others: Sequence[str]) -> bool:
    """Return whether what is missing could make anybody else win.

    For each of ``others``, everything that is missing of it turns out as good as can be, and all
    that is missing of the winner as bad as can be.
    """
    return any(
        winner(_worst(view, config, best, other), config) not in (best, None) for other in others
    )


def is_missing(unit: Evaluation | Comparison) -> bool:
    """Return whether a judgement has no result, and has not simply to come yet."""
    return unit.state in ENDED and unit.state != "done"


def _wins(
    view: DocumentSnapshot, config: Config, better: str, worse: str, count: int
) -> list[Comparison]:
    """Return comparisons that ``better`` won, by all judges in turn, in alternating order."""
    last = max(
        (unit.finished_at or unit.created_at for unit in view.comparisons),
        default=view.document.created_at,
    )
    turns = itertools.islice(itertools.cycle(config.comparing_judges), count)
    found = []
    for number, judge in enumerate(turns):
        first = number // max(len(config.comparing_judges), 1) % 2 == 0
        a, b = (better, worse) if first else (worse, better)
        found.append(
            Comparison(
                id=f"imagined {number:03d}",
                run_id=view.document.run_id,
                document_id=view.document.id,
                a_id=a,
                b_id=b,
                judge=judge.name,
                provider=judge.provider,
                model=judge.model,
                iteration=_IMAGINED + number,
                state="done",
                winner="a" if first else "b",
                confidence=1.0,
                created_at=last,
                finished_at=last + timedelta(seconds=number + 1),
            )
        )
    return found


def _worst(view: DocumentSnapshot, config: Config, best: str, other: str) -> DocumentSnapshot:
    """Return the view with everything that is missing decided for ``other``, against ``best``."""
    combined = {artifact.id: artifact.combined for artifact in view.artifacts}

    def scored(unit: Evaluation, pick: Callable[[int, int], int]) -> Evaluation:
        criteria = config.criteria_of(combined=combined[unit.artifact_id])
        given = {each.name: float(pick(each.min, each.max)) for each in criteria}
        overall = scores.overall(given, criteria)
        return unit.model_copy(update={"state": "done", "scores": given, "overall": overall})

    evaluations = [
        scored(unit, max if unit.artifact_id == other else min)
        if is_missing(unit) and unit.artifact_id in (best, other)
        else unit
        for unit in view.evaluations
    ]
    comparisons = [
        unit.model_copy(update={"state": "done", "winner": won, "confidence": 1.0})
        if is_missing(unit) and (won := _against(unit, best, other)) is not None
        else unit
        for unit in view.comparisons
    ]
    return view._replace(evaluations=evaluations, comparisons=comparisons)


def _against(unit: Comparison, best: str, other: str) -> str | None:
    """Return the verdict that suits ``other`` best; None where it does not concern the two."""
    if other in (unit.a_id, unit.b_id):
        return "a" if unit.a_id == other else "b"
    if best in (unit.a_id, unit.b_id):
        return "b" if unit.a_id == best else "a"
    return None
