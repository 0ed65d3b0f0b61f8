"""Games: what verdicts on pairs mean for a rating."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from schemas.units import Comparison, Winner

SCORES: dict[Winner, float] = {"a": 1.0, "b": 0.0, "tie": 0.5}
"""What each verdict gives the candidate that was shown first."""


class Game(NamedTuple):
    """One meeting of two candidates; ``score_a`` is 1, 0.5 or 0 and b has the rest of 1."""

    a: str
    b: str
    score_a: float


class _Verdict(NamedTuple):
    """A comparison that has a result."""

    place: tuple[datetime, str]
    meeting: tuple[frozenset[str], str, int]
    a: str
    b: str
    score_a: float


def games(comparisons: Sequence[Comparison], *, tie_below: float | None = None) -> list[Game]:
    """Return the games of the comparisons that are done, in the order they were played.

    Both orders of one pair by the same judge in the same iteration make one game: the verdict
    where they agree, a tie where they do not. It takes the place of the later one.

    Args:
        comparisons: In any order; those without a result are left out.
        tie_below: Verdicts with less confidence count as ties; as given where absent.
    """
    played = sorted(_verdicts(comparisons, tie_below), key=lambda verdict: verdict.place)
    meetings: dict[tuple[frozenset[str], str, int], list[_Verdict]] = {}
    for verdict in played:
        meetings.setdefault(verdict.meeting, []).append(verdict)
    ordered = sorted(meetings.values(), key=lambda verdicts: verdicts[-1].place)
    return [_game(verdicts) for verdicts in ordered]


def _verdicts(comparisons: Iterable[Comparison], tie_below: float | None) -> Iterable[_Verdict]:
    for comparison in comparisons:
        if comparison.state != "done" or comparison.winner is None:
            continue
        unsure = tie_below is not None and (comparison.confidence or 0.0) < tie_below
        yield _Verdict(
            place=(comparison.finished_at or comparison.created_at, comparison.id),
            meeting=(
                frozenset((comparison.a_id, comparison.b_id)),
                comparison.judge,
                comparison.iteration,
            ),
            a=comparison.a_id,
            b=comparison.b_id,
            score_a=SCORES["tie" if unsure else comparison.winner],
        )


def _game(verdicts: Sequence[_Verdict]) -> Game:
    first = verdicts[0]
    scores = {
        verdict.score_a if verdict.a == first.a else 1 - verdict.score_a for verdict in verdicts
    }
    return Game(first.a, first.b, scores.pop() if len(scores) == 1 else SCORES["tie"])
