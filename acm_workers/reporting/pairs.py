"""What comparisons look like: the matrix of wins, the ratings' course, the ranking's bars."""

from collections.abc import Sequence

from acm_workers.ranking import games
from acm_workers.reporting.charts.bars import ScoreBar, StrengthInterval, places, spans
from acm_workers.reporting.charts.lines import LineChart, lines
from acm_workers.reporting.data import Candidate, WinMatrix
from acm_workers.reporting.facts import DocumentRecords
from schemas.config.ranking import RankingMethod

MATRIX_LIMIT = 30
LINES_LIMIT = 12
BARS_LIMIT = 50


def wins(facts: DocumentRecords, candidates: Sequence[Candidate]) -> WinMatrix | None:
    """Count who beat whom among the best candidates; None if nothing was compared."""
    if not facts.games:
        return None
    players = {player for game in facts.games for player in (game.a, game.b)}
    present = [candidate for candidate in candidates if candidate.artifact.id in players]
    shown = present[:MATRIX_LIMIT]
    ids = [candidate.artifact.id for candidate in shown]
    won, played = games.win_matrix(ids, facts.games), games.game_counts(ids, facts.games)
    cells = tuple(
        tuple(
            (won[row][column], played[row][column]) if played[row][column] else None
            for column in range(len(ids))
        )
        for row in range(len(ids))
    )
    return WinMatrix(tuple(shown), cells, len(present) - len(shown))


def course(candidates: Sequence[Candidate]) -> LineChart | None:
    """Draw how the ratings of the best candidates went, game by game."""
    rated = [
        (candidate.label, candidate.rating.history)
        for candidate in candidates
        if candidate.rating and candidate.rating.games
    ]
    return lines(rated[:LINES_LIMIT], max(0, len(rated) - LINES_LIMIT))


def bars(
    facts: DocumentRecords,
    candidates: Sequence[Candidate],
    winner: Candidate | None,
    method: RankingMethod,
) -> tuple[ScoreBar, ...]:
    """Draw the rank scores of the best candidates; points grow from the initial rating.

    Candidates that were not admitted to comparisons have a rank score on another scale.
    """
    in_points = method in ("elo", "bradley_terry")
    base = facts.run.config.ranking.elo.initial if in_points else 0.0
    placed = [
        (candidate, candidate.standing.rank_score)
        for candidate in candidates
        if candidate.standing
        and candidate.standing.admitted
        and candidate.standing.rank_score is not None
    ][:BARS_LIMIT]
    if not placed:
        return ()
    drawn = spans([value for _, value in placed], base)
    return tuple(
        ScoreBar(
            label=candidate.label,
            value=value,
            start=start,
            width=width,
            winner=candidate is winner,
            combined=candidate.artifact.combined,
        )
        for (candidate, value), (start, width) in zip(placed, drawn, strict=True)
    )


def intervals(
    candidates: Sequence[Candidate], winner: Candidate | None
) -> tuple[StrengthInterval, ...]:
    """Draw how strong the best candidates are, and how sure that is."""
    known = [
        (candidate, candidate.standing.posterior)
        for candidate in candidates
        if candidate.standing and candidate.standing.posterior
    ][:BARS_LIMIT]
    if len(known) < 2:
        return ()
    ends = places([end for _, one in known for end in (one.low, one.points, one.high)])
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
