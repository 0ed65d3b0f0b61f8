"""Chart of the cost and the quality of candidates."""

from collections.abc import Iterator, Sequence

from acm_workers.reporting.charts.scatter import ScatterPoint, scatter
from acm_workers.reporting.data import Candidate, CostQuality
from acm_workers.reporting.document_records import DocumentRecords
from acm_workers.reporting.formatting import many
from schemas.config.ranking import RankingMethod
from schemas.ranking import Standing

LIMIT = 30

_Quality = tuple[float, float | None, float | None]
"""Quality, and both ends of its interval."""


def cost_quality(
    records: DocumentRecords,
    candidates: Sequence[Candidate],
    winner: Candidate | None,
    method: RankingMethod,
) -> CostQuality | None:
    """Draw the best candidates by cost and quality; None if fewer than two were ranked.

    Candidates with unknown values are left out, and counted by the reason.
    """
    ranked = [one for one in candidates if one.standing]
    if len(ranked) < 2:
        return None
    paid = _paid(records)
    bought = [one for one in ranked if one.artifact.id in paid]
    priced = [one for one in bought if one.spent.exact is not None and not one.spent.uncertain]
    points = [point for one in priced for point in _points(one, winner, method)]
    points.sort(key=lambda point: not point.winner)
    lacking = (
        (len(ranked) - len(bought), "not paid for in this run"),
        (len(bought) - len(priced), "of unknown cost"),
        (len(priced) - len(points), "without a quality on the scale of the others"),
        (max(0, len(points) - LIMIT), "of lower rank"),
    )
    return CostQuality(
        chart=scatter(points[:LIMIT]) if len(points) > 1 else None,
        free=len(points) > 1 and not any(point.usd for point in points),
        left_out=tuple(f"{many(count, 'candidate')} {why}" for count, why in lacking if count),
    )


def _paid(records: DocumentRecords) -> set[str]:
    """Return the ids of units without any answer from the cache."""
    stored = {call.unit_id for call in records.calls if call.cached}
    return {call.unit_id for call in records.calls} - stored


def _points(
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
    """Return the value that the ranking is ordered by; None if it has another scale.

    For ``posterior`` the value is the strength, because the probability of being the best depends
    on the number of equally good candidates.
    """
    if not standing.admitted:
        return None
    if method in ("posterior", "bradley_terry"):
        estimate = standing.posterior if method == "posterior" else standing.bradley_terry
        return None if estimate is None else (estimate.points, estimate.low, estimate.high)
    return None if standing.rank_score is None else (standing.rank_score, None, None)
