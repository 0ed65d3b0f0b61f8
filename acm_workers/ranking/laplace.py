"""Laplace's approximation of the posterior: strengths and position biases, given the verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking import games, newton
from acm_workers.ranking.newton import Floats, Indices
from schemas.config.judging import Judge
from schemas.units import Comparison
from schemas.votes import Vote

_SHARED_BIAS = 0.5
_OWN_BIAS = 0.5
"""Standard deviations of the advantage of the first position, in logits: the part that all judges
share, and the part of each judge."""
_CORRELATION = 0.5
"""Correlation of two verdicts of one judge on one pair, whose errors repeat."""


class StrengthPrior(NamedTuple):
    """Normal distributions of the strengths, one for each hypothesis on the scores' information.

    Attributes:
        mean: Expected strengths in logits; shape (hypotheses, candidates).
        variance: Same shape.
        log_weight: Logarithm of the probability of each hypothesis; shape (hypotheses,).
    """

    mean: Floats
    variance: Floats
    log_weight: Floats


class VerdictRows(NamedTuple):
    """Verdicts in a fixed order, one row for each pair, order and judge.

    Attributes:
        first: Index of the candidate that was shown first; shape (n,), like all attributes.
        second: Index of the candidate that was shown second.
        judge: Index of the judge.
        weight: Equivalent number of independent verdicts by a judge of full weight.
        won: The part of the weight that the first candidate won; a tie counts half.
        sharpness: Log odds of the judge for each logit between the two candidates; 1 for models.
    """

    first: Indices
    second: Indices
    judge: Indices
    weight: Floats
    won: Floats
    sharpness: Floats


class PeopleVotes(NamedTuple):
    """Votes of people, which count as verdicts.

    Attributes:
        votes: Votes on any candidates; votes without an answer are left out.
        sharpness: Sharpness by name of the voter; see ``VerdictRows``.
    """

    votes: Sequence[Vote]
    sharpness: Mapping[str, float]


class NormalMixture(NamedTuple):
    """The posterior: a normal distribution for each hypothesis, of candidates and then judges.

    Attributes:
        mode: Strengths of candidates, then position biases of judges; shape (hypotheses, k).
        precision: Shape (hypotheses, k, k).
        weight: Probability of each hypothesis given the verdicts; sums to 1.
    """

    mode: Floats
    precision: Floats
    weight: Floats


def verdict_rows(
    ids: Sequence[str],
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    tie_below: float | None,
) -> VerdictRows:
    """Count the verdicts on pairs of ``ids`` by ``judges``; all others are left out."""
    candidate_index = {candidate: number for number, candidate in enumerate(ids)}
    judge_index = {judge.name: number for number, judge in enumerate(judges)}
    given: dict[tuple[int, int, int], Counter[float]] = {}
    repeats: Counter[tuple[frozenset[int], int]] = Counter()
    for comparison, score_a in games.verdicts(comparisons, tie_below):
        known = comparison.a_id in candidate_index and comparison.b_id in candidate_index
        if known and comparison.judge in judge_index:
            a, b = candidate_index[comparison.a_id], candidate_index[comparison.b_id]
            judge = judge_index[comparison.judge]
            given.setdefault((a, b, judge), Counter())[score_a] += 1
            repeats[frozenset((a, b)), judge] += 1
    keys = sorted(given)
    first, second, judge_of_row = np.array(keys, dtype=np.intp).reshape(-1, 3).T
    each = np.array([verdict_weight(repeats[frozenset((a, b)), judge]) for a, b, judge in keys])
    number = np.array([given[key].total() for key in keys])
    points = np.array([given[key][1.0] + given[key][0.5] / 2 for key in keys])
    scale = _judge_weights(judges)[judge_of_row] * each
    ones = np.ones(len(keys))
    return VerdictRows(first, second, judge_of_row, scale * number, scale * points, ones)


def with_people(
    rows: VerdictRows, ids: Sequence[str], people: PeopleVotes, judges: int
) -> tuple[VerdictRows, int]:
    """Return verdicts and votes on pairs of ``ids`` together, and the number of all judges.

    A person is a judge with an individual position bias and sharpness.
    """
    index = {candidate: number for number, candidate in enumerate(ids)}
    voters = {name: judges + number for number, name in enumerate(sorted(people.sharpness))}
    votes = sorted(
        (index[vote.left_id], index[vote.right_id], voters[vote.voter], vote.points,
         people.sharpness[vote.voter])
        for vote in people.votes
        if vote.points is not None and vote.pair <= index.keys()
    )  # fmt: skip
    if not votes:
        return rows, judges
    first, second, judge, points, sharpness = map(np.array, zip(*votes, strict=True))
    given = VerdictRows(first, second, judge, np.ones(len(votes)), points, sharpness)
    joined = (np.concatenate(pair) for pair in zip(rows, given, strict=True))
    return VerdictRows(*joined), judges + len(voters)


def verdict_weight(repeats: int) -> float:
    """Return the weight of each of several verdicts of one judge on one pair.

    With correlated errors, n verdicts have the variance of n / (1 + (n - 1) rho) independent ones.
    """
    return 1 / (1 + (repeats - 1) * _CORRELATION) if repeats else 1.0


def fit(prior: StrengthPrior, rows: VerdictRows, judges: int) -> NormalMixture:
    """Return the posterior of strengths and position biases.

    The candidate shown first, a, wins against b before judge j with log odds of sharpness_j
    (strength_a - strength_b) + bias_j (Bradley-Terry with an order effect: Davidson and Beaver,
    Biometrics 33 (1977)). Each hypothesis of the prior is fitted, and weighted by how well it
    predicts the verdicts.
    """
    size = prior.mean.shape[1]
    prior_precision = _prior_precision(prior.variance, judges)
    mean = np.hstack([prior.mean, np.zeros((len(prior_precision), judges))])
    model = _VerdictModels(mean, prior_precision, rows, size)
    mode = newton.maximise(model, mean)
    _, precision = model.derivatives(np.arange(len(mode)), mode)
    log_volume = np.linalg.slogdet(prior_precision)[1] - np.linalg.slogdet(precision)[1]
    log_evidence = prior.log_weight + model.log_density(mode) + log_volume / 2
    weight = np.exp(log_evidence - log_evidence.max())
    return NormalMixture(mode, precision, weight / weight.sum())


def _judge_weights(judges: Sequence[Judge]) -> Floats:
    """Return the weights as shares of the highest weight, so that no verdict counts double."""
    weights = np.array([judge.weight for judge in judges], dtype=np.float64)
    highest = weights.max(initial=0.0)
    return weights / highest if highest > 0 else weights


def _prior_precision(variance: Floats, judges: int) -> Floats:
    """Return the precision of strengths and biases before any verdict; (hypotheses, k, k)."""
    hypotheses, size = variance.shape
    precision = np.zeros((hypotheses, size + judges, size + judges))
    precision[:, range(size), range(size)] = 1 / variance
    bias = np.full((judges, judges), _SHARED_BIAS**2) + np.eye(judges) * _OWN_BIAS**2
    precision[:, size:, size:] = np.linalg.inv(bias)
    return precision


class _VerdictModels:
    """The log posterior density of each hypothesis; parameters are strengths, then biases."""

    def __init__(
        self, mean: Floats, prior_precision: Floats, rows: VerdictRows, candidates: int
    ) -> None:
        self._mean, self._prior_precision, self._rows = mean, prior_precision, rows
        self._size = mean.shape[1]
        self._judge = rows.judge + candidates

    def derivatives(self, chosen: Indices, at: Floats) -> tuple[Floats, Floats]:
        """Return the gradients and the negated Hessians; see ``LogisticModels``."""
        a, b, judge, k = self._rows.first, self._rows.second, self._judge, self._size
        sharp = self._rows.sharpness
        # Not 1 / (1 + exp(-x)), which overflows.
        chance = (1 + np.tanh(self._log_odds(at) / 2)) / 2
        surprise = self._rows.won - self._rows.weight * chance
        sides = np.concatenate([a, b, judge])
        gradient = _sums(sides, np.hstack([sharp * surprise, -sharp * surprise, surprise]), k)
        precision = self._prior_precision[chosen]
        gradient -= _product(precision, at - self._mean[chosen])
        weight = self._rows.weight * chance * (1 - chance)
        own, square = sharp, sharp * sharp
        cells = [(a, a, square), (b, b, square), (judge, judge, np.ones_like(sharp)),
                 (a, b, -square), (b, a, -square), (a, judge, own), (judge, a, own),
                 (b, judge, -own), (judge, b, -own)]  # fmt: skip
        index = np.concatenate([row * k + column for row, column, _ in cells])
        values = np.hstack([factor * weight for *_, factor in cells])
        return gradient, precision + _sums(index, values, k * k).reshape(-1, k, k)

    def largest_change(self, step: Floats) -> Floats:
        """Return the largest change of the log odds of any row."""
        change: Floats = np.abs(self._log_odds(step)).max(axis=1, initial=0.0)
        return change

    def log_density(self, at: Floats) -> Floats:
        """Return the logarithm of prior times likelihood, up to a constant; (hypotheses,)."""
        odds = self._log_odds(at)
        won, lost = self._rows.won, self._rows.weight - self._rows.won
        likelihood = -(won * np.logaddexp(0, -odds) + lost * np.logaddexp(0, odds)).sum(axis=1)
        distance = at - self._mean
        squared = (distance * _product(self._prior_precision, distance)).sum(axis=1)
        density: Floats = likelihood - squared / 2
        return density

    def _log_odds(self, at: Floats) -> Floats:
        difference = at[:, self._rows.first] - at[:, self._rows.second]
        odds: Floats = self._rows.sharpness * difference + at[:, self._judge]
        return odds


def _product(matrices: Floats, vectors: Floats) -> Floats:
    product: Floats = (matrices @ vectors[..., None])[..., 0]
    return product


def _sums(index: Indices, values: NDArray[np.float64], size: int) -> Floats:
    """Return for each row of ``values`` the sums of its entries by index; shape (rows, size)."""
    shifted = index + size * np.arange(len(values))[:, None]
    sums = np.bincount(shifted.ravel(), weights=values.ravel(), minlength=size * len(values))
    # Without any entry bincount returns integers.
    return sums.astype(np.float64).reshape(len(values), size)
