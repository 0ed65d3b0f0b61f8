"""Deciding a document before its end, from the results so far; pure."""

from acm_workers.pipeline import next_step
from acm_workers.pipeline.snapshot import DocumentOutcome, DocumentSnapshot
from schemas.config.config import Config


def outcome(snapshot: DocumentSnapshot, config: Config) -> DocumentOutcome:
    """Return the outcome of a document without units in progress; open units are left out.

    If at least two candidates have a judged result, there is a winner, with its probability of
    being the best. With fewer there is none, because later candidates might be better.
    """
    left_out = sum(unit.state == "cancelled" for unit in snapshot.units())
    if not snapshot.candidates:
        reason = "Settled early, before a candidate was written."
        return DocumentOutcome("failed", reason, None, [], [], [], settled=True)
    found = next_step.outcome(snapshot, config)
    judged = sum(standing.rank_score is not None for standing in found.standings)
    if judged < 2:
        reason = f"Settled early: a winner needs two judged candidates, and there are {judged}."
        return found._replace(state="partial", reason=reason, winner_id=None, settled=True)
    without = f", {left_out} unit{'s' * (left_out != 1)} left out" if left_out else ""
    return found._replace(reason=f"Settled early{without}. {found.reason}", settled=True)
