"""The task that sends or polls a batch."""

import structlog
from celery import shared_task

from acm_workers import runtime
from acm_workers.calls.batch_delivery import BatchDelivery
from acm_workers.errors import AcmError
from acm_workers.store import batches
from acm_workers.tasks.unit_task import never_raises

log = structlog.get_logger()


@shared_task(name="acm.deliver_batch")
@never_raises
def deliver_batch(batch_id: str) -> None:
    """Send or poll a due batch; a second delivery has no effect."""
    live = runtime.current()
    if live.stopping.is_set():
        return  # it is due again soon
    with live.database.read() as connection:
        batch = batches.get(connection, str(batch_id))
    if batch is None:
        log.warning("a message was dropped", error=f"there is no batch {batch_id}")
        return
    config = live.run(batch.run_id).config

    def slow_down(provider: str, error: AcmError) -> None:
        live.call_context.slow_down(batch.run_id, provider, error, config.retries)

    delivery = BatchDelivery(live.database, config, live.owner, runtime.utc_now, slow_down)
    delivery.work_on(batch.id)
