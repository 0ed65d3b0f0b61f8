"""Score effects: candidates' scores, corrected for the leniency of judges.

A score is the sum of four terms: an effect of the candidate, the leniency of the judge, the judge's
own opinion of the candidate, which is the same in all iterations, and an error of each iteration.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from acm_workers.ranking.newton import Floats, Indices
from schemas.ranking import JudgeScores, ScoreSummary

_OPINION = 0.08
_ERROR = 0.08
"""Expected standard deviations of a judge's own opinion and of the error of one iteration, as
shares of the scale; together about one point on a scale from 1 to 10."""
_LENIENCY = 0.15
"""Expected standard deviation of the judges' leniency; 0.6 on a scale from 1 to 5."""
_PRIOR_FREEDOM = 2.0
"""Weight of the expected variances, as a number of independent residuals."""
_LEAST_OPINION = 0.03
"""Minimum standard deviation of a judge's own opinion: agreement by chance is not certainty."""
_RELIABILITIES = np.linspace(0.025, 0.975, 20)
"""Possible shares of signal in the variance of the effects; equally probable a priori."""


class ScoreEffects(NamedTuple):
    """The effects of candidates on their scores, by id.

    Attributes:
        effect: Effect in points; if each judge scored each candidate, the overall score up to a
            constant.
        variance: Variance of the noise of each effect.
        centre: Mean of the effects.
        mean_variance: Mean of the variances; above 0.
        reliability: Expected share of the effects' variance that is not noise; from 0 to 1.
        total: Expected variance of the effects, with their noise; above 0.
        measured: Whether the noise is estimated from scores; otherwise it is assumed.
    """

    effect: dict[str, float]
    variance: dict[str, float]
    centre: float
    mean_variance: float
    reliability: float
    total: float
    measured: bool


class Noise(NamedTuple):
    """Noise of scores, in points.

    Attributes:
        opinion: Variance of a judge's own opinion of a candidate.
        error: Variance of the error of one iteration.
        freedom: Number of independent residuals from which the noise of an effect is estimated.
        measured: Whether there were any residuals.
    """

    opinion: float
    error: float
    freedom: float
    measured: bool


class _Cells(NamedTuple):
    """Scores, one row for each candidate and judge.

    Attributes:
        candidate: Index of the candidate; shape (n,), like all attributes.
        judge: Index of the judge.
        score: Aggregated over iterations.
        share: Weight of the judge as a share of the weights of all that scored the candidate.
        iterations: Number of iterations with a score.
        squares: Sum of squared distances of the iterations from their mean.
    """

    candidate: Indices
    judge: Indices
    score: Floats
    share: Floats
    iterations: Floats
    squares: Floats


def estimate(
    summaries: Mapping[str, ScoreSummary], noise: Noise | None = None
) -> ScoreEffects | None:
    """Return the effects of all candidates with a comparable score; None if there is none.

    The leniency of each judge is shrunk towards the mean leniency, so that judges of different
    candidates can be compared. The errors of the effects allow for the shrinkage.

    Args:
        summaries: Scores by candidate id, in any order.
        noise: Replaces the noise that is estimated from these scores.
    """
    ids = _comparable(summaries)
    if not ids:
        return None
    cells = _cells([summaries[one].judges for one in ids])
    scale = summaries[ids[0]].scale
    noise = _noise(cells, scale) if noise is None else noise
    variance = noise.opinion + noise.error / cells.iterations
    # Shares add up to 1 for each candidate, however many judges it has.
    per_share = float(variance.mean()) * len(ids) / len(cells.score)
    ridge = per_share / (_LENIENCY * scale) ** 2
    shares, system = _shares(cells), _system(cells)
    regularised = system + ridge * np.eye(len(system))
    leniency = np.linalg.solve(regularised, _deviations(cells, system))
    given = cells.share * (cells.score - leniency[cells.judge])
    effect = np.asarray(np.bincount(cells.candidate, given), np.float64)
    # Only leniency that candidates do not share makes a difference between them.
    unlike = shares - shares.mean(axis=0)
    own = np.bincount(cells.candidate, cells.share**2 * variance)
    lenient = np.einsum("ij,jk,ik->i", unlike, np.linalg.inv(regularised), unlike)
    noises = own + per_share * lenient
    mean_variance = float(noises.mean())
    spread = float(effect.var(ddof=1)) if len(ids) > 1 else 0.0
    several, freedom = len(ids) - 1, noise.freedom
    reliability = _reliability(spread / mean_variance, several, freedom)
    # What is seen of the spread and what follows from the noise, each as far as it is known.
    by_noise = mean_variance / (1 - reliability)
    total = (several * spread + freedom * by_noise) / (several + freedom)
    return ScoreEffects(
        dict(zip(ids, effect.tolist(), strict=True)),
        dict(zip(ids, noises.tolist(), strict=True)),
        float(effect.mean()),
        mean_variance,
        reliability,
        total,
        noise.measured,
    )


def estimate_noise(summaries: Mapping[str, ScoreSummary]) -> Noise | None:
    """Return the noise of the scores; None if no candidate has a comparable score."""
    ids = _comparable(summaries)
    if not ids:
        return None
    return _noise(_cells([summaries[one].judges for one in ids]), summaries[ids[0]].scale)


def _comparable(summaries: Mapping[str, ScoreSummary]) -> list[str]:
    """Return the candidates that have a score on the scale of the others."""
    return sorted(one for one, known in summaries.items() if known.same_scale and known.judges)


def _cells(given: Sequence[Sequence[JudgeScores]]) -> _Cells:
    names = sorted({one.judge for judges in given for one in judges})
    rows = [
        (
            candidate,
            names.index(one.judge),
            one.overall,
            one.weight / math.fsum(other.weight for other in judges),
            len(one.singles),
            float(np.var(one.singles)) * len(one.singles),
        )
        for candidate, judges in enumerate(given)
        for one in judges
    ]
    candidate, judge, *values = (np.array(column) for column in zip(*rows, strict=True))
    return _Cells(candidate, judge, *(column.astype(np.float64) for column in values))


def _noise(cells: _Cells, scale: float) -> Noise:
    """Return the noise; each variance is pooled with its expected value.

    The leniency of judges is removed without shrinkage, because any rest of it would count as
    noise.
    """
    again = float((cells.iterations - 1).sum())
    error = _pooled(float(cells.squares.sum()), again, (_ERROR * scale) ** 2)
    # Least squares: the noise of a judge does not depend on its weight.
    alike = cells._replace(share=1 / np.bincount(cells.candidate)[cells.candidate])
    system = _system(alike)
    rank = int(np.linalg.matrix_rank(system, hermitian=True))
    leniency = np.linalg.pinv(system, hermitian=True) @ _deviations(alike, system)
    rest = alike.score - leniency[alike.judge]
    rest -= np.bincount(alike.candidate, alike.share * rest)[alike.candidate]
    freedom = float(len(rest) - alike.candidate.max() - 1 - rank)
    repeated = error * float((1 / alike.iterations).mean())
    cell = _pooled(float((rest**2).sum()), freedom, (_OPINION * scale) ** 2 + repeated)
    opinion = max(cell - repeated, (_LEAST_OPINION * scale) ** 2)
    return Noise(opinion, error, _PRIOR_FREEDOM + freedom, again + freedom > 0)


def _pooled(squares: float, freedom: float, expected: float) -> float:
    return (_PRIOR_FREEDOM * expected + squares) / (_PRIOR_FREEDOM + freedom)


def _shares(cells: _Cells) -> Floats:
    """Return the shares of judges in the score of each candidate; shape (candidates, judges)."""
    shares = np.zeros((cells.candidate.max() + 1, cells.judge.max() + 1))
    shares[cells.candidate, cells.judge] = cells.share
    return shares


def _system(cells: _Cells) -> Floats:
    """Return the normal equations of leniency, with the candidates' effects eliminated."""
    shares = _shares(cells)
    return np.diag(shares.sum(axis=0)) - shares.T @ shares


def _deviations(cells: _Cells, system: Floats) -> Floats:
    """Return by how much each judge's scores exceed the mean scores of the same candidates."""
    overall = np.bincount(cells.candidate, cells.share * cells.score)
    above = cells.share * (cells.score - overall[cells.candidate])
    return np.asarray(np.bincount(cells.judge, above, minlength=len(system)), np.float64)


def _reliability(ratio: float, several: int, freedom: float) -> float:
    """Return the expected share of the effects' variance that is not noise.

    The ratio of that variance to the noise is distributed as F, both being estimates: few
    candidates, or noise estimated from few scores, give little information, and a small ratio does
    not imply that there is nothing but noise.
    """
    noise = 1 - _RELIABILITIES
    known = np.log1p(noise * ratio * several / freedom)
    log_likelihood = several / 2 * np.log(noise) - (several + freedom) / 2 * known
    weight = np.exp(log_likelihood - log_likelihood.max())
    return float((weight * _RELIABILITIES).sum() / weight.sum())
