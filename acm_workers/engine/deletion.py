"""Deletes runs, together with the runs that judge their candidates again."""

from sqlalchemy import Connection

from acm_workers.errors import Conflict
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import accounts, batches, deletion, pauses, pending_calls, runs
from schemas.run import DeletedRun, Run


def delete(connection: Connection, run: Run, making: RecordContext, actor: str) -> DeletedRun:
    """Delete the texts of a run and of all runs that judged its candidates; the calls stay.

    A repeated call changes nothing else than the audit log.

    Args:
        actor: Name of the user, for the audit log.

    Raises:
        Conflict: One of these runs is in progress.
    """
    copies = _copies(connection, run)
    for one in (run, *copies):
        runs.lock(connection, one.id)
        _require_rest(connection, runs.get(connection, one.id))
    reason = f"deleted on {making.now:%Y-%m-%d %H:%M} UTC; its bill is kept"
    new = [one for one in (run, *copies) if one.state != "deleted"]
    for one in new:
        deletion.erase(connection, one.id, reason, making.now)
    scope = runs.tenant_of(connection, run.id)
    accounts.audit(connection, scope, actor, "delete", making.now, run.id)
    also = tuple(one.id for one in new if one.id != run.id)
    return DeletedRun(
        run_id=run.id, reason=runs.get(connection, run.id).reason or reason, also=also
    )


def _copies(connection: Connection, run: Run) -> list[Run]:
    """Return the runs with copies of a run's texts, which judge its candidates again."""
    found = runs.rejudged(connection, run.id)
    return [*found, *(copy for one in found for copy in _copies(connection, one))]


def _require_rest(connection: Connection, run: Run) -> None:
    """Raise an error if a run is in progress or has pending calls at a provider."""
    if run.state == "running":
        what = "is being cancelled" if run.cancel_requested else "is running"
        raise Conflict(f"run {run.id} {what}: it has to end first; `acm cancel {run.id}` ends it")
    in_flight = pauses.has_claimed_units(connection, run.id)
    if (
        in_flight
        or pending_calls.awaited(connection, run.id)
        or batches.is_open(connection, run.id)
    ):
        raise Conflict(
            f"calls of run {run.id} are in flight: wait for their ends, or `acm cancel {run.id}`"
        )
