"""The tasks that advance documents."""

import structlog
from celery import shared_task

from acm_workers import runtime
from acm_workers.engine import advance as engine_advance
from acm_workers.errors import NotFound
from acm_workers.store import documents
from acm_workers.tasks import checking
from acm_workers.tasks.unit_task import never_raises

log = structlog.get_logger()


@shared_task(name="acm.start_document")
@never_raises
def start_document(document_id: str) -> None:
    """Plan the candidates of a document; a second delivery does nothing."""
    live = runtime.current()
    if run_id := _run_id(live, document_id):
        config = live.run(run_id).config
        engine_advance.start_document(
            live.database,
            document_id,
            config,
            runtime.making(),
            lambda text: checking.results(live, config, text),
        )


@shared_task(name="acm.advance")
@never_raises
def advance(document_id: str) -> None:
    """Apply the next step of a document if its stage is complete."""
    live = runtime.current()
    if run_id := _run_id(live, document_id):
        config = live.run(run_id).config
        engine_advance.advance(live.database, document_id, config, runtime.making())


def _run_id(live: runtime.Runtime, document_id: str) -> str | None:
    """Return the run of a document; None if the document is not in the store."""
    try:
        with live.database.read() as connection:
            return documents.get(connection, document_id).run_id
    except NotFound as error:
        log.warning("a message was dropped", error=str(error))
        return None
