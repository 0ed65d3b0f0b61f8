"""Settles a run: planned units are dropped, and winners are decided from the results so far."""

from acm_workers.engine import advance
from acm_workers.errors import Conflict
from acm_workers.pipeline import settling
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import documents, events, runs, units
from acm_workers.store.connection.database import Database
from schemas.config.config import Config

_CAN_SETTLE = ("running", "paused", "cancelled")


def begin(database: Database, run_id: str, making: RecordContext) -> None:
    """Stop sending calls for a running or paused run.

    Raises:
        Conflict: The run has already ended.
    """
    with database.write() as connection:
        # Locks are taken as everywhere: units, documents, the run. A refusal undoes the changes.
        units.cancel_planned(connection, run_id, making.now, "the run was settled early")
        documents.reopen_cancelled(connection, run_id)
        runs.lock(connection, run_id)
        run = runs.get(connection, run_id)
        runs.require_texts(run)
        if run.state not in _CAN_SETTLE:
            raise Conflict(f"run {run.id} is {run.state}: there is nothing to settle")
        runs.settle(connection, run.id)
        events.add(connection, run.id, "run_settled", making.now)


def decide(database: Database, run_id: str, config: Config, making: RecordContext) -> None:
    """Decide the documents of a run that is being settled, except those with units in progress.

    Each document is decided in a separate transaction, because ranking takes time. The function is
    idempotent.
    """
    with database.write() as connection:
        # An answer that came since has planned what follows it.
        units.cancel_planned(connection, run_id, making.now, "the run was settled early")
        undecided = documents.undecided(connection, run_id)
    for document_id in undecided:
        with database.write() as connection:
            if not runs.is_settled(connection, run_id):
                return  # it was resumed meanwhile
            view = advance.view_of(connection, document_id)
            if view.document.state == "running" and not view.open:
                found = settling.outcome(view, config)
                advance.finish(connection, view.document, found, making)
    with database.write() as connection:
        advance.close_run(connection, run_id, making)
