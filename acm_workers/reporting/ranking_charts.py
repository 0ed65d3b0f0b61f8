"""Charts of a ranking: scores, intervals, matrix of wins, rating history, scores by criterion."""

from collections.abc import Sequence

from acm_workers.ranking import games
from acm_workers.reporting.charts.bars import ScoreBar, StrengthInterval, place_values
from acm_workers.reporting.charts.histogram import HistogramBin, histogram
from acm_workers.reporting.charts.lines import LineChart, lines
from acm_workers.reporting.charts.radar import FEWEST, MOST, RadarAxis, radar
from acm_workers.reporting.data import Candidate, CriterionProfiles, WinMatrix
from acm_workers.reporting.document_records import DocumentRecords
from schemas.config.judging import Criterion

MATRIX_LIMIT = 30
LINES_LIMIT = 12
BARS_LIMIT = 50
_FEWEST_FOR_HISTOGRAM = 3


def matrix_of_wins(records: DocumentRecords, candidates: Sequence[Candidate]) -> WinMatrix | None:
    """Count the wins between the best candidates; None if nothing was compared."""
    if not records.games:
        return None
    players = {player for game in records.games for player in (game.a, game.b)}
    present = [candidate for candidate in candidates if candidate.artifact.id in players]
    shown = present[:MATRIX_LIMIT]
    ids = [candidate.artifact.id for candidate in shown]
    won, played = games.win_matrix(ids, records.games), games.game_counts(ids, records.games)
    cells = tuple(
        tuple(
            (won[row][column], played[row][column]) if played[row][column] else None
            for column in range(len(ids))
        )
        for row in range(len(ids))
    )
    return WinMatrix(tuple(shown), cells, len(present) - len(shown))


def rating_lines(candidates: Sequence[Candidate]) -> LineChart | None:
    """Draw the ratings of the best candidates over their games."""
    rated = [
        (candidate.label, candidate.rating.history)
        for candidate in candidates
        if candidate.rating and candidate.rating.games
    ]
    return lines(rated[:LINES_LIMIT], max(0, len(rated) - LINES_LIMIT))


def score_bars(
    candidates: Sequence[Candidate], winner: Candidate | None, criteria: Sequence[Criterion]
) -> tuple[ScoreBar, ...]:
    """Draw the overall scores of the best candidates, from zero to the end of the scale."""
    highest = max(criterion.max for criterion in criteria)
    return tuple(
        ScoreBar(
            label=one.label,
            anchor=one.artifact.id,
            value=value,
            width=round(100 * max(0.0, value) / highest, 2) if highest > 0 else 0.0,
            winner=one is winner,
            combined=one.artifact.combined,
        )
        for one, value in _scored(candidates)[:BARS_LIMIT]
    )


def score_histogram(
    candidates: Sequence[Candidate], winner: Candidate | None, criteria: Sequence[Criterion]
) -> tuple[HistogramBin, ...]:
    """Count the candidates by overall score; nothing for fewer than three."""
    scored = _scored(candidates)
    if len(scored) < _FEWEST_FOR_HISTOGRAM:
        return ()
    low = min(criterion.min for criterion in criteria)
    high = max(criterion.max for criterion in criteria)
    best = next((value for one, value in scored if one is winner), None)
    return histogram([value for _, value in scored], best, low, high)


def _scored(candidates: Sequence[Candidate]) -> list[tuple[Candidate, float]]:
    """Return the candidates whose scores are on one scale."""
    return [
        (one, one.summary.overall) for one in candidates if one.summary and one.summary.same_scale
    ]


def strength_intervals(
    candidates: Sequence[Candidate], winner: Candidate | None
) -> tuple[StrengthInterval, ...]:
    """Draw the strengths of the best candidates with their 95 % intervals."""
    known = [
        (candidate, candidate.standing.posterior)
        for candidate in candidates
        if candidate.standing and candidate.standing.posterior
    ][:BARS_LIMIT]
    if len(known) < 2:
        return ()
    ends = place_values([end for _, one in known for end in (one.low, one.points, one.high)])
    return tuple(
        StrengthInterval(
            label=candidate.label,
            value=one.points,
            low=one.low,
            high=one.high,
            start=ends[3 * row],
            width=round(ends[3 * row + 2] - ends[3 * row], 2),
            middle=ends[3 * row + 1],
            winner=candidate is winner,
            combined=candidate.artifact.combined,
        )
        for row, (candidate, one) in enumerate(known)
    )


RADAR_LIMIT = 5


def criterion_profiles(
    candidates: Sequence[Candidate], winner: Candidate | None, criteria: Sequence[Criterion]
) -> CriterionProfiles | None:
    """Draw the best candidates by ``criteria``; None if nothing can be drawn."""
    heaviest = sorted(criteria, key=lambda one: -one.weight)[:MOST]
    shown = [criterion for criterion in criteria if criterion in heaviest]
    if len(shown) < FEWEST:
        return None
    scored = [one for one in candidates if one.summary and one.summary.same_scale]
    scored.sort(key=lambda one: one is not winner)
    found = [(one, _criterion_values(one, shown)) for one in scored]
    whole = [(one.label, one is winner, values) for one, values in found if values is not None]
    if not whole:
        return None
    return CriterionProfiles(
        radar=radar([RadarAxis(one.name, one.min, one.max) for one in shown], whole[:RADAR_LIMIT]),
        incomplete=len(scored) - len(whole),
        left_out=max(0, len(whole) - RADAR_LIMIT),
        criteria_left_out=len(criteria) - len(shown),
    )


def _criterion_values(candidate: Candidate, criteria: Sequence[Criterion]) -> list[float] | None:
    """Return the candidate's mean score by each criterion; None if a score is missing."""
    given = candidate.summary.criteria if candidate.summary else {}
    values = [given.get(criterion.name) for criterion in criteria]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None
