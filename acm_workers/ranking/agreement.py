"""Agreement between judges: Krippendorff's alpha, and each judge with each other."""

import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from acm_workers.ranking.proportions import Proportion, share

_LEAST_FOR_CORRELATION = 4

Cells = Mapping[str, Mapping[str, float]]
"""What each judge gave each unit: values by judge by unit; missing ones are absent."""


class Alpha(NamedTuple):
    """Krippendorff's alpha.

    Attributes:
        value: 1 is perfect agreement, 0 that of chance, less is more disagreement than by chance.
            Absent where there is no unit with two values, or where all values are equal: then
            nothing tells agreement from chance.
        units: Units that at least two judges gave a value.
        values: Values in them.
    """

    value: float | None
    units: int
    values: int


class JudgePair(NamedTuple):
    """How two judges agree.

    Attributes:
        same: Pairs on which both gave the same verdict, out of those that both judged.
        scored: Candidates that both scored.
        difference: Mean distance of their scores.
        correlation: Pearson's, of their scores; absent below four candidates, or if one of them
            gave all the same score.
    """

    one: str
    two: str
    same: Proportion | None
    scored: int
    difference: float | None
    correlation: float | None


def interval_alpha(units: Iterable[Sequence[float]]) -> Alpha:
    """Return alpha of numbers, distances squared.

    Args:
        units: The values that each unit was given; how many may differ.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011),
    https://repository.upenn.edu/asc_papers/43.
    """
    rated = [values for values in units if len(values) > 1]
    everything = [value for values in rated for value in values]
    if not everything:
        return Alpha(None, 0, 0)
    # From one point in the middle, lest large numbers swallow small differences.
    middle = statistics.fmean(everything)
    observed = sum(
        _squares([value - middle for value in values]) / (len(values) - 1) for values in rated
    )
    expected = _squares([value - middle for value in everything])
    return _alpha(rated, observed, expected)


def nominal_alpha(units: Iterable[Sequence[Hashable]]) -> Alpha:
    """Return alpha of categories, which are equal or not; see ``interval_alpha``."""
    rated = [values for values in units if len(values) > 1]
    observed = sum(_unequal(values) / (len(values) - 1) for values in rated)
    expected = _unequal([value for values in rated for value in values])
    return _alpha(rated, observed, expected)


def verdict_alpha(verdicts: Iterable[Mapping[str, float]]) -> Alpha:
    """Return alpha of verdicts on pairs.

    Which of two candidates is called the first is arbitrary. Each pair therefore counts in both
    directions, so that alpha does not depend on it.

    Args:
        verdicts: By judge, for each pair: more than a half if the first is better, a half if tied.
    """
    pairs = [[_sign(value) for value in by_judge.values()] for by_judge in verdicts]
    both = nominal_alpha(side for signs in pairs for side in (signs, [-sign for sign in signs]))
    return both._replace(units=both.units // 2, values=both.values // 2)


def couples(judges: Sequence[str], scores: Cells, verdicts: Cells) -> tuple[JudgePair, ...]:
    """Return how each two of the judges agree that met on anything.

    Args:
        judges: Their names.
        scores: By candidate.
        verdicts: By pair, as for ``verdict_alpha``.
    """
    found = (_couple(one, two, scores, verdicts) for one, two in combinations(judges, 2))
    return tuple(couple for couple in found if couple.same or couple.scored)


def _squares(values: Sequence[float]) -> float:
    """Return the sum of the squared distances of all ordered pairs."""
    return 2 * (len(values) * sum(value * value for value in values) - sum(values) ** 2)


def _unequal(values: Sequence[Hashable]) -> float:
    """Return the number of ordered pairs that are not equal."""
    return len(values) ** 2 - sum(count * count for count in Counter(values).values())


def _alpha(rated: Sequence[Sequence[object]], observed: float, expected: float) -> Alpha:
    values = sum(map(len, rated))
    # Both are divided by the number of values, and the expected one by that of the others too.
    constant = expected <= 1e-9 * values
    value = None if constant else 1 - (values - 1) * observed / expected
    return Alpha(value, len(rated), values)


def _sign(value: float) -> int:
    return (value > 0.5) - (value < 0.5)


def _couple(one: str, two: str, scores: Cells, verdicts: Cells) -> JudgePair:
    judged = [(by[one], by[two]) for by in verdicts.values() if one in by and two in by]
    same = sum(_sign(ours) == _sign(theirs) for ours, theirs in judged)
    shared = [(by[one], by[two]) for by in scores.values() if one in by and two in by]
    return JudgePair(
        one,
        two,
        share(same, len(judged)),
        len(shared),
        statistics.fmean(abs(a - b) for a, b in shared) if shared else None,
        _correlation(shared),
    )


def _correlation(shared: Sequence[tuple[float, float]]) -> float | None:
    if len(shared) < _LEAST_FOR_CORRELATION:
        return None
    ours, theirs = zip(*shared, strict=True)
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        return None
    return statistics.correlation(ours, theirs)
