"""Sending messages of rows: what cannot be sent counts as not published, and the sweep sends it."""

from collections.abc import Sequence

import structlog

from acm_workers.engine import canvas
from acm_workers.errors import BrokerFailed
from acm_workers.store import documents, units
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage

log = structlog.get_logger()


def publish(database: Database, sent: Sequence[UnitMessage]) -> None:
    """Send the messages of units that are marked as published."""
    if not sent:
        return
    try:
        canvas.publish(sent)
    except BrokerFailed as error:
        log.warning("units not published", number=len(sent), error=str(error))
        with database.write() as connection:
            units.mark_unsent(connection, sent)


def start(database: Database, document_ids: Sequence[str]) -> None:
    """Send the messages that begin documents; these are marked as published."""
    if not document_ids:
        return
    try:
        canvas.start(*document_ids)
    except BrokerFailed as error:
        log.warning("documents not published", number=len(document_ids), error=str(error))
        with database.write() as connection:
            documents.mark_unsent(connection, document_ids)


def advance(*document_ids: str) -> None:
    """Send the messages that ask what comes next; the sweep finds documents that wait for it."""
    if not document_ids:
        return
    try:
        canvas.advance(*document_ids)
    except BrokerFailed as error:
        log.warning("documents not advanced", number=len(document_ids), error=str(error))
