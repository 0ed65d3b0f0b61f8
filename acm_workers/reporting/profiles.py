"""What the best candidates are good at: their scores by criterion, as a radar."""

from collections.abc import Sequence

from acm_workers.reporting.charts.radar import FEWEST, MOST, RadarAxis, radar
from acm_workers.reporting.data import Candidate, CriterionProfiles
from schemas.config.judging import Criterion

LIMIT = 5


def profiles(
    candidates: Sequence[Candidate], winner: Candidate | None, criteria: Sequence[Criterion]
) -> CriterionProfiles | None:
    """Draw the best candidates that were scored by ``criteria``; nothing to draw is None."""
    heaviest = sorted(criteria, key=lambda one: -one.weight)[:MOST]
    shown = [criterion for criterion in criteria if criterion in heaviest]
    if len(shown) < FEWEST:
        return None
    scored = [one for one in candidates if one.summary and one.summary.same_scale]
    scored.sort(key=lambda one: one is not winner)
    found = [(one, _values(one, shown)) for one in scored]
    whole = [(one.label, one is winner, values) for one, values in found if values is not None]
    if not whole:
        return None
    return CriterionProfiles(
        radar=radar([RadarAxis(one.name, one.min, one.max) for one in shown], whole[:LIMIT]),
        incomplete=len(scored) - len(whole),
        left_out=max(0, len(whole) - LIMIT),
        criteria_left_out=len(criteria) - len(shown),
    )


def _values(candidate: Candidate, criteria: Sequence[Criterion]) -> list[float] | None:
    """Return its mean score by each criterion; absent where one of them is missing."""
    given = candidate.summary.criteria if candidate.summary else {}
    values = [given.get(criterion.name) for criterion in criteria]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None
