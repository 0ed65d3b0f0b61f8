"""Rows: what judges said of the candidates, counted as evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking.games import SCORES
from schemas.config.judging import Judge
from schemas.units import Comparison

_ALIKE = 0.5
"""Correlation between two answers of one judge on one pair: it errs on it again and again."""


class VerdictRows(NamedTuple):
    """Verdicts, one row for each pair in one order before one judge; in a fixed order.

    Attributes:
        first: Place of the candidate that was shown first; shape (n,) as all of these.
        second: Place of the other one.
        judge: Place of the judge.
        weight: How many independent verdicts of a judge of full weight it is worth.
        won: The part of the weight that the first one won; a tie counts half.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    judge: NDArray[np.intp]
    weight: NDArray[np.float64]
    won: NDArray[np.float64]


def rows(
    ids: Sequence[str],
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    tie_below: float | None,
) -> VerdictRows:
    """Count the verdicts on pairs of ``ids`` by ``judges``; those of anybody else are left out."""
    place = {one: number for number, one in enumerate(ids)}
    bench = {judge.name: number for number, judge in enumerate(judges)}
    said: dict[tuple[int, int, int], Counter[float]] = {}
    looks: Counter[tuple[frozenset[int], int]] = Counter()
    for one, score in _verdicts(comparisons, tie_below):
        if one.a_id in place and one.b_id in place and one.judge in bench:
            a, b, judge = place[one.a_id], place[one.b_id], bench[one.judge]
            said.setdefault((a, b, judge), Counter())[score] += 1
            looks[frozenset((a, b)), judge] += 1
    keys = sorted(said)
    worth = np.array([worth_of(looks[frozenset((a, b)), judge]) for a, b, judge in keys])
    trust = _trust(judges)[[judge for *_, judge in keys]] if keys else np.zeros(0)
    number = np.array([said[key].total() for key in keys])
    points = np.array([said[key][1.0] + said[key][0.5] / 2 for key in keys])
    first, second, bench_place = np.array(keys, dtype=np.intp).reshape(-1, 3).T
    return VerdictRows(first, second, bench_place, trust * worth * number, trust * worth * points)


def worth_of(looks: int) -> float:
    """Return what each of so many looks of one judge at one pair is worth beside a single one."""
    return 1 / (1 + (looks - 1) * _ALIKE) if looks else 1.0


def _verdicts(
    comparisons: Sequence[Comparison], tie_below: float | None
) -> Iterator[tuple[Comparison, float]]:
    for one in comparisons:
        if one.state == "done" and one.winner is not None:
            unsure = tie_below is not None and (one.confidence or 0.0) < tie_below
            yield one, SCORES["tie" if unsure else one.winner]


def _trust(judges: Sequence[Judge]) -> NDArray[np.float64]:
    """Return the weights as shares of the highest one: no verdict counts more than once."""
    weights = np.array([judge.weight for judge in judges])
    highest = weights.max(initial=0.0)
    return weights / highest if highest > 0 else weights
