"""Collects waiting requests into batches, which workers send and poll."""

from datetime import datetime, timedelta

from acm_workers.calls import batched_calls
from acm_workers.engine import publish
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import batches, tenants
from acm_workers.store.batches import Batch, BatchLimits
from acm_workers.store.connection.database import Database
from acm_workers.store.waits import WaitingUnits
from schemas.config.config import Config

LIMITS = BatchLimits(requests=1000, size=15 * 1024 * 1024)
"""Limits of a batch: a thousand answers are saved quickly, and Google accepts 20 MB."""

_OLDEST = timedelta(seconds=60)
"""Maximum time that requests wait for others of their batch."""

_AGAIN = timedelta(seconds=30)
"""Age at which a message about an unclaimed batch counts as lost and is sent again."""


def step(
    database: Database, run_id: str, config: Config, making: RecordContext, *, sending: bool
) -> None:
    """Create and send the batches of a run that are due.

    Args:
        sending: Whether new batches are created; false for a paused or ended run.
    """
    batched_calls.settle_abandoned(database, run_id, config, making.now)
    with database.write() as connection:
        if sending:
            may_grow = batches.may_grow(connection, run_id)
            for waiting in batches.waiting(connection, run_id):
                full = waiting.number >= LIMITS.requests or waiting.size >= LIMITS.size
                if full or not may_grow or making.now - waiting.since >= _OLDEST:
                    batches.seal(connection, waiting, run_id, making.new_id(), making.now, LIMITS)
        due = batches.take_due(connection, run_id, making.now, making.now + _AGAIN)
        batches.wake(connection, run_id, making.now)
    publish.batches(due, tenants.scope_of(database, run_id))


def waits(database: Database, run_id: str) -> list[WaitingUnits]:
    """Return the batches that units of a run wait for."""
    with database.read() as connection:
        if not batches.runs(connection, [run_id]):
            return []
        collected = batches.waiting(connection, run_id)
        found = batches.open_of(connection, run_id)
    return [
        *(_collecting(one.provider, one.model, one.number) for one in collected),
        *(_waiting(batch) for batch in found if batch.answered < batch.size),
    ]


def _collecting(provider: str, model: str, number: int) -> WaitingUnits:
    name = f"the next batch for {provider}:{model}"
    return WaitingUnits(name[:100], "it is being collected", number, None)


def _waiting(batch: Batch) -> WaitingUnits:
    name = f"batch {batch.there_id or batch.id} of {batch.provider}"
    reason = f"{batch.answered} of {batch.size} answered"
    if batch.there_id is None:
        reason = f"{batch.size} requests, being sent"
    elif batch.sent_at is not None:
        reason += f", sent at {_minute(batch.sent_at)}; may take a day"
    return WaitingUnits(name[:100], reason, batch.size - batch.answered, None)


def _minute(at: datetime) -> str:
    return f"{at:%m-%d %H:%M} UTC"
