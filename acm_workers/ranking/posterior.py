"""The posterior: the strength of each candidate and the probability that it is the best."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from acm_workers.ranking import laplace
from acm_workers.ranking.laplace import NormalMixture, PeopleVotes, StrengthPrior
from acm_workers.ranking.newton import Floats, Indices
from acm_workers.ranking.score_effects import ScoreEffects
from schemas.config.judging import Judge
from schemas.ranking import Estimate
from schemas.units import Comparison

_DRAWS = 2000
"""Number of draws; a probability of 0.9 then has a standard error of 0.007."""
_POINTS_PER_LOGIT = 400 / math.log(10)
_MEAN = 1500.0
_SPREADS = {0.5: 0.15, 1.0: 0.35, 2.0: 0.35, 4.0: 0.15}
"""Prior probability of each standard deviation of strengths, in logits."""
_QUALITY_SHARES = {0.3: 0.3, 0.6: 0.4, 0.9: 0.3}
"""Prior probability of each share of quality in repeatable scores; the rest is repeatable error."""


class StrengthDraws(NamedTuple):
    """Possible strengths of the candidates, drawn from the posterior.

    Attributes:
        strengths: Strengths in logits; shape (draws, candidates).
        points: Points of the overall score that one logit is worth; shape (draws,). Absent without
            comparable scores.
    """

    strengths: Floats
    points: Floats | None

    def p_best(self) -> Floats:
        """Return the share of draws in which each candidate is the best."""
        number, candidates = self.strengths.shape
        wins = np.bincount(self.strengths.argmax(axis=1), minlength=candidates)
        return np.asarray(wins / number, np.float64)

    def p_within(self, candidate: int, points: float) -> float | None:
        """Return the probability that no other candidate is better by more than ``points``.

        Args:
            candidate: Index of the candidate.
            points: Points of the overall score.

        Returns:
            The probability; None without comparable scores, because a point is then undefined.
        """
        if self.points is None:
            return None
        ahead = self.strengths.max(axis=1) - self.strengths[:, candidate]
        return float(np.mean(ahead * self.points <= points))


class Posterior(NamedTuple):
    """The distribution of the candidates' strengths.

    Attributes:
        p_best: Probability of being the best candidate, by id; sums to 1.
        estimates: Strengths on Elo's scale around a mean of 1500, by id.
        notes: Limits of the estimates, for users.
        draws: Possible strengths of all candidates in logits; shape (draws, candidates).
    """

    p_best: dict[str, float]
    estimates: dict[str, Estimate]
    notes: tuple[str, ...]
    draws: Floats

    def beats(self, a: str, b: str) -> float:
        """Return the probability that ``a`` is better than ``b``."""
        ids = list(self.p_best)
        margin = self.draws[:, ids.index(a)] - self.draws[:, ids.index(b)]
        return float(np.mean((np.sign(margin) + 1) / 2))


def posterior(  # noqa: PLR0913  each is known or not
    ids: Sequence[str],
    effects: ScoreEffects | None,
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    *,
    tie_below: float | None = None,
    seed: int = 0,
    people: PeopleVotes | None = None,
) -> Posterior:
    """Return the posterior of the candidates' strengths, given scores and comparisons.

    The model is Bradley-Terry with the scores as prior and a position bias of each judge. Several
    verdicts of one judge on one pair count less than verdicts of several judges.

    Args:
        ids: Ids of the candidates, each once, in a fixed order.
        effects: Effects of the candidates with comparable scores; absent if there are none. The
            effects of other candidates inform about the noise and the mean of scores.
        comparisons: Comparisons in any order; those of other candidates or without a verdict are
            left out.
        judges: Judges whose verdicts count, each by its weight.
        tie_below: Verdicts with less confidence count as ties; if absent, all verdicts count as
            given.
        seed: Seed of the draws.
        people: People whose votes count as well, each by their sharpness.
    """
    if not ids:
        return Posterior({}, {}, (), np.zeros((_DRAWS, 0)))
    found = draws(ids, effects, comparisons, judges, tie_below=tie_below, seed=seed, people=people)
    chances, drawn = found.p_best().tolist(), found.strengths
    points = (drawn - drawn.mean(axis=1, keepdims=True)) * _POINTS_PER_LOGIT + _MEAN
    low, high = np.percentile(points, [2.5, 97.5], axis=0).tolist()
    mean = points.mean(axis=0).tolist()
    return Posterior(
        dict(zip(ids, chances, strict=True)),
        {
            candidate: Estimate(points=mean[index], low=low[index], high=high[index])
            for index, candidate in enumerate(ids)
        },
        _notes(ids, effects),
        drawn,
    )


def draws(  # noqa: PLR0913  as above
    ids: Sequence[str],
    effects: ScoreEffects | None,
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    *,
    tie_below: float | None = None,
    seed: int = 0,
    people: PeopleVotes | None = None,
) -> StrengthDraws:
    """Return possible strengths of the candidates; see ``posterior``."""
    rows = laplace.verdict_rows(ids, comparisons, judges, tie_below)
    voting = len(judges)
    if people is not None:
        rows, voting = laplace.with_people(rows, ids, people, voting)
    mixture = laplace.fit(score_prior(ids, effects), rows, voting)
    counts = np.diff(np.round(np.cumsum(mixture.weight) * _DRAWS).astype(int), prepend=0)
    points = None if effects is None else np.repeat(_points_per_logit(effects), counts)
    return StrengthDraws(_draw(mixture, len(ids), counts, seed), points)


def expected_score(
    candidate: str,
    ids: Sequence[str],
    effects: ScoreEffects,
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    *,
    tie_below: float | None = None,
) -> float:
    """Return the expected score of a candidate without noise, given scores and comparisons.

    The best of many noisy scores is too high. The result is corrected for this, in the same points.

    Args:
        candidate: Id of a candidate with an effect.
        ids: See ``posterior``.
        effects: Effects of the candidates with comparable scores.
        comparisons: Comparisons in any order.
        judges: Judges whose verdicts count.
        tie_below: Verdicts with less confidence count as ties.
    """
    rows = laplace.verdict_rows(ids, comparisons, judges, tie_below)
    mixture = laplace.fit(score_prior(ids, effects), rows, len(judges))
    ahead = mixture.mode[:, ids.index(candidate)] * _points_per_logit(effects)
    return effects.centre + float((mixture.weight * ahead).sum())


def score_prior(ids: Sequence[str], effects: ScoreEffects | None) -> StrengthPrior:
    """Return the prior of the strengths that the overall scores imply.

    Scores are noisy measurements of a candidate by judges of different leniency; see
    ``score_effects``. Two things are unknown: whether the judges share an error, and the number of
    logits that a point is worth. The posterior weighs hypotheses about both by how well they
    predict the comparisons. A candidate without a score, or with a score on another scale, has an
    average strength with a wide spread.
    """
    units = [_unit_strengths(ids, effects, share) for share in _QUALITY_SHARES]
    return StrengthPrior(
        np.array([mean * spread for mean, _ in units for spread in _SPREADS]),
        np.array([variance * spread**2 for _, variance in units for spread in _SPREADS]),
        np.log([share * spread for share in _QUALITY_SHARES.values() for spread in
                _SPREADS.values()]),
    )  # fmt: skip


def _unit_strengths(
    ids: Sequence[str], effects: ScoreEffects | None, share: float
) -> tuple[Floats, Floats]:
    """Return mean and variance of strengths whose standard deviation is 1."""
    mean, variance = np.zeros(len(ids)), np.ones(len(ids))
    if effects is None:
        return mean, variance
    real = effects.reliability
    for index, candidate in enumerate(ids):
        if candidate in effects.effect:
            noise = (1 - real) * effects.variance[candidate] / effects.mean_variance
            gain = share * real / (real + noise)
            distance = effects.effect[candidate] - effects.centre
            mean[index] = gain * distance / math.sqrt(share * real * effects.total)
            variance[index] = 1 - gain
    return mean, variance


def _points_per_logit(effects: ScoreEffects) -> Floats:
    """Return the points that one logit is worth under each hypothesis, in the prior's order."""
    return np.array(
        [
            math.sqrt(share * effects.reliability * effects.total) / spread
            for share in _QUALITY_SHARES
            for spread in _SPREADS
        ]
    )


def _draw(mixture: NormalMixture, candidates: int, counts: Indices, seed: int) -> Floats:
    generator = np.random.default_rng(abs(seed))
    noise = generator.standard_normal((_DRAWS, mixture.mode.shape[1]))
    ends = np.cumsum(counts)
    # If the precision is L L', noise times the inverse of L has its inverse as covariance.
    root = np.linalg.inv(np.linalg.cholesky(mixture.precision))
    parts = [
        mode + part @ inverse
        for mode, inverse, part in zip(mixture.mode, root, np.split(noise, ends[:-1]), strict=True)
    ]
    return np.vstack(parts)[:, :candidates]


def _notes(ids: Sequence[str], effects: ScoreEffects | None) -> tuple[str, ...]:
    without = sum(effects is None or candidate not in effects.effect for candidate in ids)
    if not without:
        return ()
    if without == len(ids):
        return ("No candidate has a score that can be compared: only comparisons count.",)
    return (
        f"Candidates without a score that can be compared: {without} of {len(ids)}; they count as "
        "average ones until they are compared.",
    )
