"""Scores and verdicts from the quality that texts hide."""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from acm_workers.simulator import prompt, schema

_TIE_BELOW: Final = 0.01
_REASONS: Final = (
    ("Weak on {}: much is missing or left vague.", "There are serious gaps in {}."),
    ("Mixed on {}: sound in parts, thin in others.", "For {} the text does what it must."),
    ("Good on {}: only small points are open.", "The text is convincing in its {}."),
    ("Excellent on {}: nothing of weight is missing.", "Hardly anything to add about {}."),
)
_PREFERS: Final = (
    "Text {} covers the source more fully and is easier to follow.",
    "Text {} keeps closer to what was asked and is better ordered.",
    "Both are usable, but text {} is the more careful of the two.",
)
_EVEN: Final = "Neither text is better by a margin worth naming."


class Noise(NamedTuple):
    """How a judge errs.

    Attributes:
        deviation: Standard deviation of the quality it sees.
        position_bias: Added to the quality of the text it is shown first.
    """

    deviation: float
    position_bias: float


def scores(
    quality: float, scales: Mapping[str, Sequence[int]], noise: Noise, rng: Random
) -> dict[str, dict[str, Any]]:
    """Score a text of ``quality`` on every criterion of ``scales`` (ascending scores by slug)."""
    seen = quality + rng.gauss(0.0, noise.deviation)
    return {
        name: _score(name, seen + rng.gauss(0.0, noise.deviation / 3), scale, rng)
        for name, scale in scales.items()
    }


def verdict(first: float, second: float, noise: Noise, rng: Random) -> dict[str, Any]:
    """Compare two texts by their qualities; confidence is 0 for a guess and nears 1."""
    gap = first + noise.position_bias - second + rng.gauss(0.0, noise.deviation)
    winner = "tie" if abs(gap) < _TIE_BELOW else "A" if gap > 0 else "B"
    return {
        "reasoning": _EVEN if winner == "tie" else rng.choice(_PREFERS).format(winner),
        "winner": winner,
        "confidence": round(math.tanh(4 * abs(gap)), 2),
    }


def asked_scales(
    asked: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]], frame: str
) -> dict[str, Sequence[int]]:
    """Return the scores to choose from by property of the schema ``asked``.

    Where the schema does not say, the frame does; where it does not either, they are 1 to 10.
    """
    scales = {name: schema.scale(asked, node) for name, node in found.items()}
    if all(scales.values()):
        return {name: scale for name, scale in scales.items() if scale}
    listed = prompt.scales(frame)
    return {name: scale or listed.get(name) or range(1, 11) for name, scale in scales.items()}


def _score(name: str, seen: float, scale: Sequence[int], rng: Random) -> dict[str, Any]:
    share = min(1.0, max(0.0, seen))
    reasons = _REASONS[min(3, int(share * 4))]
    return {
        "reason": rng.choice(reasons).format(name.replace("_", " ")),
        "score": scale[round(share * (len(scale) - 1))],
    }
