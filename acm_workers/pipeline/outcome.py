"""How a document ended: ratings, ranking, winner and the reason in words; pure."""

from typing import NamedTuple

from acm_workers.pipeline import comparing
from acm_workers.pipeline.ranked import DocumentRanking, ranked
from acm_workers.pipeline.snapshot import DocumentOutcome, DocumentSnapshot
from acm_workers.ranking import fusion
from schemas.config.config import Config
from schemas.units import DocumentState


class _Choice(NamedTuple):
    state: DocumentState
    winner_id: str | None
    reason: str


def outcome(view: DocumentSnapshot, config: Config) -> DocumentOutcome:
    """Return how a document ended whose units have all ended."""
    if not view.candidates:
        return DocumentOutcome("failed", _why_no_candidate(view), None, [], [], [])
    result = ranked(view, config)
    choice = _choice(view, result, config)
    return DocumentOutcome(
        choice.state,
        " ".join([choice.reason, *result.notes, *_remarks(view, config)]),
        choice.winner_id,
        result.standings,
        list(result.ratings.values()),
        result.fusions,
    )


def _remarks(view: DocumentSnapshot, config: Config) -> list[str]:
    """Return why comparing ended, and how much of what was planned is missing."""
    remarks = []
    if view.comparisons:
        remarks.append(comparing.first_round(view, config).ended)
    if any(artifact.combined for artifact in view.candidates):
        remarks.append(_in_playoffs(comparing.playoff_round(view, config).ended))
    if view.failed:
        remarks.append(f"{view.failed} of its units failed.")
    return [remark for remark in remarks if remark]


def _in_playoffs(ended: str) -> str:
    return f"In the playoffs: {ended[0].lower()}{ended[1:]}" if ended else ""


def _choice(view: DocumentSnapshot, result: DocumentRanking, config: Config) -> _Choice:
    candidates = view.candidates
    if len(candidates) == 1:
        return _Choice("done", candidates[0].id, "The only candidate; nothing was compared.")
    if all(standing.rank_score is None for standing in result.standings):
        reason = f"{len(candidates)} candidates, but no judge's result to choose by."
        return _Choice("partial", None, reason)
    winner_id, reason = fusion.winner(
        result.standings,
        candidates,
        result.fusions,
        config.playoffs.min_confidence,
        config.ranking.method,
    )
    return _Choice("partial" if winner_id is None else "done", winner_id, reason)


def _why_no_candidate(view: DocumentSnapshot) -> str:
    reasons = sorted({artifact.error or artifact.state for artifact in view.artifacts})
    return f"no candidate was written: {'; '.join(reasons)[:500]}"
