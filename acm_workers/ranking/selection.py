"""The top N: which of the ranked candidates are the best ones, and why."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.config.ranking import TopN


class RankedQuality(NamedTuple):
    """One ranked candidate.

    Attributes:
        level: How good it is on a scale from 0 to 1; absent where nothing is known.
        admitted: Whether it was admitted to comparisons.
    """

    level: float | None
    admitted: bool


class TopNChoice(NamedTuple):
    """Whether a candidate is among the best ones, and why."""

    selected: bool
    reason: str


def choices(places: Sequence[RankedQuality], top_n: TopN) -> list[TopNChoice]:
    """Choose the best ones, at most ``count`` and ``max`` and at least ``min``.

    Args:
        places: Best first.
        top_n: Who is good enough, and how many may be taken.
    """
    limit = max(min(top_n.count, top_n.max), top_n.min)
    chosen: list[TopNChoice] = []
    taken = 0
    for rank, place in enumerate(places, start=1):
        good = _is_good(place, top_n.threshold)
        filling = not good and rank <= top_n.min
        selected = filling or (good and taken < limit)
        taken += selected
        chosen.append(TopNChoice(selected, _reason(place, top_n, limit, selected=selected)))
    return chosen


def _is_good(place: RankedQuality, threshold: float) -> bool:
    return place.admitted and place.level is not None and place.level >= threshold


def _reason(place: RankedQuality, top_n: TopN, limit: int, *, selected: bool) -> str:
    found = _finding(place, top_n.threshold)
    if _is_good(place, top_n.threshold):
        return found if selected else f"{found}, but {limit} better ones are taken already"
    return f"{found}, but at least {top_n.min} must be taken" if selected else found


def _finding(place: RankedQuality, threshold: float) -> str:
    if place.level is None:
        return "nothing that could be compared is known of its quality"
    if not place.admitted:
        return "was not compared with the others"
    verb = "reaches" if place.level >= threshold else "is below"
    return f"its level of {place.level:.3f} {verb} the threshold of {threshold:g}"
