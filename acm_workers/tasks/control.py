"""Tasks that decide nothing themselves: they move documents on."""

from celery import shared_task

from acm_workers import runtime
from acm_workers.engine import advance as pipeline_advance
from acm_workers.store import documents
from acm_workers.tasks.deliver import quietly


@shared_task(name="acm.start_document")
@quietly
def start_document(document_id: str) -> None:
    """Plan the candidates of a document; a second delivery does nothing."""
    live = runtime.current()
    config = live.run(_run_id(live, document_id)).config
    pipeline_advance.start_document(live.database, document_id, config, runtime.making())


@shared_task(name="acm.advance")
@quietly
def advance(document_id: str) -> None:
    """Do the next step of a document, if its stage is complete."""
    live = runtime.current()
    config = live.run(_run_id(live, document_id)).config
    pipeline_advance.advance(live.database, document_id, config, runtime.making())


def _run_id(live: runtime.Runtime, document_id: str) -> str:
    with live.database.read() as connection:
        return documents.get(connection, document_id).run_id
