"""What candidates cost against how good they are."""

from collections.abc import Iterator, Sequence

from acm_workers.reporting.charts.scatter import ScatterPoint, scatter
from acm_workers.reporting.data import Candidate, CostQuality
from acm_workers.reporting.facts import DocumentRecords
from acm_workers.reporting.formatting import many
from schemas.config.ranking import RankingMethod
from schemas.ranking import Standing

LIMIT = 30

_Quality = tuple[float, float | None, float | None]
"""How good something is, and the ends of the interval of that."""


def worth(
    facts: DocumentRecords,
    candidates: Sequence[Candidate],
    winner: Candidate | None,
    method: RankingMethod,
) -> CostQuality | None:
    """Draw the best candidates by cost and quality; None if fewer than two were ranked.

    Nothing that is not known is drawn at 0: it is left out, and counted by what it lacks.
    """
    ranked = [one for one in candidates if one.standing]
    if len(ranked) < 2:
        return None
    paid = _paid(facts)
    bought = [one for one in ranked if one.artifact.id in paid]
    priced = [one for one in bought if one.spent.exact is not None and not one.spent.uncertain]
    spots = [spot for one in priced for spot in _spots(one, winner, method)]
    spots.sort(key=lambda spot: not spot.winner)
    lacking = (
        (len(ranked) - len(bought), "not paid for in this run"),
        (len(bought) - len(priced), "of unknown cost"),
        (len(priced) - len(spots), "without a quality on the scale of the others"),
        (max(0, len(spots) - LIMIT), "of lower rank"),
    )
    return CostQuality(
        chart=scatter(spots[:LIMIT]) if len(spots) > 1 else None,
        free=len(spots) > 1 and not any(spot.usd for spot in spots),
        left_out=tuple(f"{many(count, 'candidate')} {why}" for count, why in lacking if count),
    )


def _paid(facts: DocumentRecords) -> set[str]:
    """Return the ids of units whose answers were all asked for in this run, not stored before."""
    stored = {call.unit_id for call in facts.calls if call.cached}
    return {call.unit_id for call in facts.calls} - stored


def _spots(
    one: Candidate, winner: Candidate | None, method: RankingMethod
) -> Iterator[ScatterPoint]:
    quality = _quality(one.standing, method) if one.standing else None
    if one.standing is None or quality is None:
        return
    rank = str(one.standing.rank)
    yield ScatterPoint(
        label=one.label,
        mark=f"★ {rank}" if one is winner else rank,
        group=f"{one.artifact.provider}:{one.artifact.model}",
        winner=one is winner,
        usd=one.spent.usd,
        quality=quality[0],
        low=quality[1],
        high=quality[2],
    )


def _quality(standing: Standing, method: RankingMethod) -> _Quality | None:
    """Return what the ranking goes by, where it is on the scale of most.

    In the place of the probability of being the best one stands the strength that it comes from:
    it would say how many others are as good.
    """
    if not standing.admitted:
        return None
    if method in ("posterior", "bradley_terry"):
        belief = standing.posterior if method == "posterior" else standing.bradley_terry
        return None if belief is None else (belief.points, belief.low, belief.high)
    return None if standing.rank_score is None else (standing.rank_score, None, None)
