"""Gain: what a comparison is expected to tell of who is the best candidate."""

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking.posterior_prior import Floats


def gains(drawn: Floats, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    """Return the mutual information, in nats, of each pair's verdict and the best candidate.

    What is left of a verdict's uncertainty once the best candidate is known tells nothing of it;
    it is read off the draws in which that candidate is the best one.

    Args:
        drawn: Possible strengths in logits; shape (draws, candidates).
        first: One candidate of each pair; shape (pairs,).
        second: The other one.
    """
    wins = (1 + np.tanh((drawn[:, first] - drawn[:, second]) / 2)) / 2
    best, which = np.unique(drawn.argmax(axis=1), return_inverse=True)
    member = (which == np.arange(len(best))[:, None]).astype(np.float64)
    number = member.sum(axis=1)
    left = number @ _entropy(member @ wins / number[:, None]) / len(drawn)
    gain: Floats = _entropy(wins.mean(axis=0)) - left
    return gain


def _entropy(chance: Floats) -> Floats:
    inside = np.clip(chance, 1e-12, 1 - 1e-12)
    entropy: Floats = -(inside * np.log(inside) + (1 - inside) * np.log1p(-inside))
    return entropy
