"""The posterior: how strong each candidate is by all that is known, and who is the best one."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from acm_workers.ranking import posterior_laplace, posterior_prior, posterior_rows
from acm_workers.ranking.posterior_laplace import NormalMixture
from acm_workers.ranking.posterior_prior import Floats
from schemas.config.judging import Judge
from schemas.ranking import Estimate, ScoreSummary
from schemas.units import Comparison

_DRAWS = 2000
"""So many that a probability of 0.9 is read off to within 0.007, its standard error."""
_POINTS = 400 / math.log(10)
_MIDDLE = 1500.0


class Posterior(NamedTuple):
    """What is believed of the candidates.

    Attributes:
        p_best: Probability of being the best one, by id; sums to 1.
        estimates: Strengths on Elo's scale around a mean of 1500, by id.
        notes: What to know of how they came about, for people.
        draws: Possible strengths of all of them in logits; shape (draws, candidates).
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


def posterior(
    ids: Sequence[str],
    summaries: Mapping[str, ScoreSummary],
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    *,
    tie_below: float | None = None,
    seed: int = 0,
) -> Posterior:
    """Return what scores and comparisons together say of the candidates.

    Bradley-Terry with the scores as prior and with a position bias of each judge. Several looks
    of one judge at one pair count less than those of as many judges.

    Args:
        ids: Each once, in a fixed order.
        summaries: By id; absent for those without a score.
        comparisons: In any order; those of others or without a verdict are left out.
        judges: Whose verdicts count, each by its weight.
        tie_below: Verdicts with less confidence count as ties; as given where absent.
        seed: Of the draws.
    """
    if not ids:
        return Posterior({}, {}, (), np.zeros((_DRAWS, 0)))
    drawn = draws(ids, summaries, comparisons, judges, tie_below=tie_below, seed=seed)
    chances = p_best(drawn)
    points = (drawn - drawn.mean(axis=1, keepdims=True)) * _POINTS + _MIDDLE
    low, high = np.percentile(points, [2.5, 97.5], axis=0)
    middle = points.mean(axis=0)
    return Posterior(
        {one: float(chances[place]) for place, one in enumerate(ids)},
        {
            one: Estimate(
                points=float(middle[place]), low=float(low[place]), high=float(high[place])
            )
            for place, one in enumerate(ids)
        },
        _notes(ids, summaries),
        drawn,
    )


def draws(
    ids: Sequence[str],
    summaries: Mapping[str, ScoreSummary],
    comparisons: Sequence[Comparison],
    judges: Sequence[Judge],
    *,
    tie_below: float | None = None,
    seed: int = 0,
) -> Floats:
    """Return possible strengths in logits, shape (draws, candidates); arguments as above."""
    rows = posterior_rows.rows(ids, comparisons, judges, tie_below)
    prior = posterior_prior.prior(ids, summaries)
    return _draw(posterior_laplace.fit(prior, rows, len(judges)), len(ids), seed)


def p_best(drawn: Floats) -> Floats:
    """Return the share of draws in which each candidate is the best one."""
    if not drawn.shape[1]:
        return np.zeros(0)
    return np.bincount(drawn.argmax(axis=1), minlength=drawn.shape[1]) / len(drawn)


def _draw(mixture: NormalMixture, candidates: int, seed: int) -> Floats:
    random = np.random.default_rng(abs(seed))
    noise = random.standard_normal((_DRAWS, mixture.mode.shape[1]))
    ends = np.round(np.cumsum(mixture.weight) * _DRAWS).astype(int)
    # If the precision is L L', noise times the inverse of L has its inverse as covariance.
    root = np.linalg.inv(np.linalg.cholesky(mixture.precision))
    parts = [
        mode + part @ inverse
        for mode, inverse, part in zip(mixture.mode, root, np.split(noise, ends[:-1]), strict=True)
    ]
    return np.vstack(parts)[:, :candidates]


def _notes(ids: Sequence[str], summaries: Mapping[str, ScoreSummary]) -> tuple[str, ...]:
    without = sum(not posterior_prior.scored(summaries.get(one)) for one in ids)
    if not without:
        return ()
    if without == len(ids):
        return ("No scores that can be compared: all rests on comparisons.",)
    return (
        f"Without a score that can be compared: {without} of {len(ids)} candidates, taken as "
        "average ones until they were compared.",
    )
