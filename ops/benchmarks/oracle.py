"""Upper bound for finding the best candidate: an oracle that knows the errors of scores and judges.

The oracle applies Bayes' rule to scores and verdicts, with the true sharpness, noise and position
bias. It requests one comparison after another, each time the one whose verdict has the highest
expected information on the best candidate. Its beliefs are weighted draws, given the scores.
"""

import itertools
import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ops.benchmarks import simulated
from ops.benchmarks.simulated import Case

_Floats = NDArray[np.float64]

LARGEST = 10
"""Maximum number of candidates and comparisons; beyond it, too few draws would have weight."""

_DRAWS = 20_000
_CONTENDERS = 6
"""Number of likeliest candidates whose pairs are considered."""


def ask(case: Case, sharpness: float, comparisons: int, draw: random.Random) -> tuple[str, float]:
    """Request comparisons; return the most likely best candidate, and its probability."""
    strengths = _by_scores(case, sharpness, draw)
    best = strengths.argmax(axis=1)
    weight = np.full(_DRAWS, 1 / _DRAWS)
    for _ in range(comparisons):
        pair = list(_most_telling(strengths, best, weight))
        draw.shuffle(pair)
        first, second = (case.quality[case.ids[place]] for place in pair)
        chance = 1 / (1 + math.exp(-sharpness * (first - second) - simulated.POSITION_BIAS))
        wins = _wins(strengths, *pair)
        weight *= wins if draw.random() < chance else 1 - wins
        weight /= weight.sum()
    chances = np.bincount(best, weight)
    return case.ids[int(chances.argmax())], float(chances.max())


def _by_scores(case: Case, sharpness: float, draw: random.Random) -> _Floats:
    """Return possible strengths in logits, given the scores; shape (draws, candidates)."""
    kept, own = simulated.KEPT_ERROR**2, simulated.EVALUATION_ERROR**2 / simulated.EVALUATIONS
    believed = 1 / (1 + kept + own)
    means = np.array([case.summaries[one].overall for one in case.ids])
    noise = np.random.default_rng(draw.getrandbits(64)).standard_normal((_DRAWS, len(means)))
    drawn: _Floats = sharpness * (believed * means + math.sqrt(1 - believed) * noise)
    return drawn


def _most_telling(strengths: _Floats, best: NDArray[np.intp], weight: _Floats) -> tuple[int, int]:
    """Return the pair whose verdict leaves the lowest expected entropy of the best candidate."""
    size = strengths.shape[1]
    chances = np.bincount(best, weight, size)
    likeliest = np.argsort(-chances)[:_CONTENDERS].tolist()

    def open_after(pair: tuple[int, int]) -> float:
        won = np.bincount(best, weight * _wins(strengths, *pair), size)
        return _open(won) + _open(chances - won)

    return min(itertools.combinations(likeliest, 2), key=open_after)


def _open(joint: NDArray[Any]) -> float:
    """Return the entropy of the best candidate given a verdict, times the verdict's probability."""
    inside = joint[joint > 0]
    return float(inside.sum() * np.log(inside.sum()) - (inside * np.log(inside)).sum())


def _wins(strengths: _Floats, first: int, second: int) -> _Floats:
    odds = strengths[:, first] - strengths[:, second] + simulated.POSITION_BIAS
    wins: _Floats = 1 / (1 + np.exp(-odds))
    return wins
