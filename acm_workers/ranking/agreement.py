"""Agreement between judges: Krippendorff's alpha, agreement in pairs, and proportions."""

import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

_LEAST_FOR_CORRELATION = 4

Cells = Mapping[str, Mapping[str, float]]
"""Values by unit and judge; missing values are absent."""


class Proportion(NamedTuple):
    """A number of hits out of trials, with the 95 % Wilson interval of the rate.

    Attributes:
        hits: Number of hits, from 0.
        of: Number of trials; at least 1.
        value: ``hits`` / ``of``.
    """

    hits: int
    of: int
    value: float
    low: float
    high: float

    @property
    def excludes_half(self) -> bool:
        """Return whether the interval excludes a rate of one half."""
        return not self.low <= 0.5 <= self.high


class Alpha(NamedTuple):
    """Krippendorff's alpha.

    Attributes:
        value: 1 is perfect agreement, 0 is agreement by chance, and a negative value is more
            disagreement than by chance. Absent if no unit has two values, or if all values are
            equal, because agreement then cannot be distinguished from chance.
        units: Number of units to which at least two judges gave a value.
        values: Number of values in these units.
    """

    value: float | None
    units: int
    values: int


class JudgePair(NamedTuple):
    """Agreement of two judges.

    Attributes:
        same: Pairs on which both gave the same verdict, out of those that both judged.
        scored: Candidates that both scored.
        difference: Mean distance between the scores of both.
        correlation: Pearson's correlation of the scores of both; absent below four candidates, or
            if one judge gave the same score to all.
    """

    one: str
    two: str
    same: Proportion | None
    scored: int
    difference: float | None
    correlation: float | None


def interval_alpha(units: Iterable[Sequence[float]]) -> Alpha:
    """Return alpha of numbers, with squared distances.

    Args:
        units: The values of each unit; their number may differ.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011),
    https://repository.upenn.edu/asc_papers/43.
    """
    rated = [values for values in units if len(values) > 1]
    everything = [value for values in rated for value in values]
    if not everything:
        return Alpha(None, 0, 0)
    # Centred first, as the sums below lose small differences of large numbers.
    middle = statistics.fmean(everything)
    observed = sum(
        _squares([value - middle for value in values]) / (len(values) - 1) for values in rated
    )
    expected = _squares([value - middle for value in everything])
    return _alpha(rated, observed, expected)


def nominal_alpha(units: Iterable[Sequence[Hashable]]) -> Alpha:
    """Return alpha of categories, with distances of 0 or 1; see ``interval_alpha``."""
    rated = [values for values in units if len(values) > 1]
    observed = sum(_unequal(values) / (len(values) - 1) for values in rated)
    expected = _unequal([value for values in rated for value in values])
    return _alpha(rated, observed, expected)


def verdict_alpha(verdicts: Iterable[Mapping[str, float]]) -> Alpha:
    """Return alpha of verdicts on pairs.

    The order of the candidates in a pair is arbitrary. Each pair therefore counts in both
    directions, so that alpha does not depend on the order.

    Args:
        verdicts: Verdicts by judge and pair: more than a half if the first is better, a half if
            tied.
    """
    pairs = [[_sign(value) for value in by_judge.values()] for by_judge in verdicts]
    both = nominal_alpha(side for signs in pairs for side in (signs, [-sign for sign in signs]))
    return both._replace(units=both.units // 2, values=both.values // 2)


def couples(judges: Sequence[str], scores: Cells, verdicts: Cells) -> tuple[JudgePair, ...]:
    """Return the agreement of every two judges that judged a common unit.

    Args:
        judges: Names of the judges.
        scores: Scores by judge and candidate.
        verdicts: Verdicts by judge and pair; see ``verdict_alpha``.
    """
    found = (_judge_pair(one, two, scores, verdicts) for one, two in combinations(judges, 2))
    return tuple(pair for pair in found if pair.same or pair.scored)


def _squares(values: Sequence[float]) -> float:
    """Return the sum of the squared distances of all ordered pairs."""
    return 2 * (len(values) * sum(value * value for value in values) - sum(values) ** 2)


def _unequal(values: Sequence[Hashable]) -> float:
    """Return the number of ordered pairs that are not equal."""
    return len(values) ** 2 - sum(count * count for count in Counter(values).values())


def _alpha(rated: Sequence[Sequence[object]], observed: float, expected: float) -> Alpha:
    values = sum(map(len, rated))
    # Observed disagreement is divided by n, the expected one by n (n - 1).
    constant = expected <= 1e-9 * values
    value = None if constant else 1 - (values - 1) * observed / expected
    return Alpha(value, len(rated), values)


def _sign(value: float) -> int:
    return (value > 0.5) - (value < 0.5)


def _judge_pair(one: str, two: str, scores: Cells, verdicts: Cells) -> JudgePair:
    judged = [(by[one], by[two]) for by in verdicts.values() if one in by and two in by]
    same = sum(_sign(ours) == _sign(theirs) for ours, theirs in judged)
    shared = [(by[one], by[two]) for by in scores.values() if one in by and two in by]
    return JudgePair(
        one,
        two,
        proportion(same, len(judged)),
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


_Z = 1.96


def proportion(hits: int, of: int) -> Proportion | None:
    """Return the share of ``hits`` in ``of`` trials with its 95 % interval; None without trials.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    if of == 0:
        return None
    value, squared = hits / of, _Z * _Z / of
    middle = value + squared / 2
    reach = _Z * sqrt(value * (1 - value) / of + squared / (4 * of))
    low = max(0.0, (middle - reach) / (1 + squared))
    return Proportion(hits, of, value, low, min(1.0, (middle + reach) / (1 + squared)))
