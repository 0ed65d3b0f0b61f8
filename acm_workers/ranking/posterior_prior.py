"""The prior: what scores say of the candidates before any of them is compared."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.ranking import ScoreSummary

Floats = NDArray[np.float64]

_SPREADS = {0.5: 0.15, 1.0: 0.35, 2.0: 0.35, 4.0: 0.15}
"""How far candidates may be apart, as the standard deviation of their strengths in logits."""
_SHARES = {0.3: 0.3, 0.6: 0.4, 0.9: 0.3}
"""How much of what the scores repeat may be quality; the rest is what judges get wrong again."""


class StrengthPrior(NamedTuple):
    """Guesses at how scores and strengths hang together, and the strengths by each; normal.

    Attributes:
        centre: Expected strengths in logits; shape (guesses, candidates).
        variance: Same shape.
        log_weight: How likely each guess is; shape (guesses,).
    """

    centre: Floats
    variance: Floats
    log_weight: Floats


class _Scores(NamedTuple):
    """The scores of those that have one: who they are, means, and the means' visible noise."""

    places: NDArray[np.intp]
    means: Floats
    noise: Floats


def prior(ids: Sequence[str], summaries: Mapping[str, ScoreSummary]) -> StrengthPrior:
    """Return what the overall scores say of the candidates.

    Scores are noisy measurements: how much of their spread is real is estimated from the spread
    of the single scores of each candidate, pooled, so that scores which agree by chance are not
    taken as certain. What repeats may still be a mistake that repeats, and nobody knows how many
    logits a point is worth: both are open, and comparisons decide between the guesses. A
    candidate without a score, or with one on another scale, is an average one of wide spread.
    """
    scores = _scores(ids, summaries)
    strengths = [_strengths(len(ids), scores, share) for share in _SHARES]
    return StrengthPrior(
        np.array([centre * spread for centre, _ in strengths for spread in _SPREADS]),
        np.array([variance * spread**2 for _, variance in strengths for spread in _SPREADS]),
        np.log([likely * wide for likely in _SHARES.values() for wide in _SPREADS.values()]),
    )


def scored(summary: ScoreSummary | None) -> bool:
    """Return whether a summary can be compared with those of the others."""
    return summary is not None and summary.same_scale


def _scores(ids: Sequence[str], summaries: Mapping[str, ScoreSummary]) -> _Scores:
    given = [(place, summaries.get(one)) for place, one in enumerate(ids)]
    known = [(place, one) for place, one in given if one is not None and scored(one)]
    counts = np.array([max(one.count, 1) for _, one in known], dtype=float)
    squares = np.array([(one.count - 1) * (one.std_dev or 0.0) ** 2 for _, one in known])
    freedom = (counts - 1).sum()
    within = squares.sum() / freedom if freedom > 0 else 0.0
    return _Scores(
        np.array([place for place, _ in known], dtype=np.intp),
        np.array([one.overall for _, one in known]),
        within / counts,
    )


def _strengths(n: int, scores: _Scores, share: float) -> tuple[Floats, Floats]:
    """Return centre and variance of strengths whose standard deviation is 1."""
    centre, variance = np.zeros(n), np.ones(n)
    total = float(scores.means.var(ddof=1)) if len(scores.means) > 1 else 0.0
    seen = float(scores.noise.mean()) if len(scores.noise) else 0.0
    # Rounding makes a difference of 1e-16 between equal means.
    if total <= max(seen, 1e-9):
        return centre, variance
    real = share * (total - seen)
    noise = total - real - seen + scores.noise
    gain = real / (real + noise)
    centre[scores.places] = gain * (scores.means - scores.means.mean()) / np.sqrt(real)
    variance[scores.places] = 1 - gain
    return centre, variance
