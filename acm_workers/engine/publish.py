"""Sends messages with ids; judging is sent in flat chords of a few dozen whose body is ``advance``.

A message that cannot be sent counts as unpublished, and the sweep sends it later. Celery loses the
bodies of nested chords, and is slow to count chords with many hundreds of headers, so neither is
used.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import structlog
from celery import current_app, signature
from celery.utils import uuid
from kombu.exceptions import OperationalError
from redis import RedisError

from acm_workers import broker
from acm_workers.errors import BrokerFailed
from acm_workers.store import documents
from acm_workers.store import units as unit_rows
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage
from schemas import lanes
from schemas.scope import Scope

log = structlog.get_logger()

ENOUGH = 5000
"""Number of messages in a queue that is enough until the next sweep."""

_HEADER = 40
_TASKS = {"artifact": "acm.generate", "evaluation": "acm.score", "comparison": "acm.compare"}

# Lower priorities are served first: a document that is near its end before one that begins.
_URGENT, _JUDGING, _WRITING = 0, 3, 6

_Send = Callable[..., Any]


def new_units(database: Database, planned: Sequence[UnitMessage]) -> None:
    """Send the messages of newly planned units, which are marked as published.

    In queues with enough waiting messages, units that are not urgent stay unpublished. The sweep
    sends them as workers progress, so that a large run does not fill the broker.
    """
    try:
        room = _room({unit.queue for unit in planned})
    except BrokerFailed:
        room = {}  # ``units`` says so
    to_send: list[UnitMessage] = []
    held_back: list[UnitMessage] = []
    for unit in planned:
        left = room.get(unit.queue, ENOUGH)
        room[unit.queue] = left - 1
        (to_send if left > 0 or unit.urgent else held_back).append(unit)
    if held_back:
        with database.write() as connection:
            unit_rows.mark_unsent(connection, held_back)
    units(database, to_send)


def units(database: Database, planned: Sequence[UnitMessage]) -> None:
    """Send the messages of units that are marked as published.

    Candidates are sent without chords: the worker that saves a candidate publishes its evaluations.
    """
    if not planned:
        return
    try:
        _send_units(planned)
    except BrokerFailed as error:
        log.warning("units not published", number=len(planned), error=str(error))
        with database.write() as connection:
            unit_rows.mark_unsent(connection, planned)


def start(database: Database, document_ids: Sequence[str]) -> None:
    """Send the first messages of documents, which are marked as published."""
    if not document_ids:
        return
    try:
        _send_control("acm.start_document", document_ids, _WRITING)
    except BrokerFailed as error:
        log.warning("documents not published", number=len(document_ids), error=str(error))
        with database.write() as connection:
            documents.mark_unsent(connection, document_ids)


def batches(due: Sequence[tuple[str, str]], scope: Scope) -> None:
    """Send the messages for due batches of a tenant, given with their providers.

    A message that cannot be sent is due again soon.
    """
    if not due:
        return
    try:
        with _producing() as producer, _sending(producer) as send:
            for batch_id, provider in due:
                queue = lanes.queue(lanes.poll(provider), scope)
                send("acm.deliver_batch", (batch_id,), queue=queue, priority=_URGENT)
    except BrokerFailed as error:
        log.warning("batches not published", number=len(due), error=str(error))


def advance(*document_ids: str) -> None:
    """Send messages that advance documents; the sweep repeats lost messages."""
    if not document_ids:
        return
    try:
        _send_control("acm.advance", document_ids, _URGENT)
    except BrokerFailed as error:
        log.warning("documents not advanced", number=len(document_ids), error=str(error))


def _room(used: Collection[str]) -> dict[str, int]:
    """Return the number of messages for which each queue has room."""
    if not used:
        return {}
    with _producing() as producer:
        return {queue: ENOUGH - producer.channel._size(queue) for queue in used}


def _send_control(task: str, document_ids: Sequence[str], priority: int) -> None:
    with _producing() as producer, _sending(producer) as send:
        for document_id in document_ids:
            send(task, (document_id,), queue=broker.CONTROL, priority=priority)


def _send_units(planned: Sequence[UnitMessage]) -> None:
    writing = [unit for unit in planned if unit.kind == "artifact"]
    judging: dict[str, list[UnitMessage]] = {}
    for unit in planned:
        if unit.kind != "artifact":
            judging.setdefault(unit.document_id, []).append(unit)
    with _producing() as producer:
        for some in _batches(writing):
            with _sending(producer) as send:
                for unit in some:
                    _send_unit(send, unit)
        for document_id, members in judging.items():
            for header in _batches(members):
                with _sending(producer) as send:
                    _send_chord(send, document_id, header)


def _batches(planned: Sequence[UnitMessage]) -> Iterator[Sequence[UnitMessage]]:
    """Yield units in groups of a chord's size, so that workers start before all are sent."""
    for at in range(0, len(planned), _HEADER):
        yield planned[at : at + _HEADER]


def _send_chord(send: _Send, document_id: str, header: Sequence[UnitMessage]) -> None:
    """Send a chord whose headers are counted by ``acm_workers.chord_backend``."""
    # Celery's own chord takes longer to make and freeze its signatures than to send them.
    body = signature("acm.advance", args=(document_id,), immutable=True, queue=broker.CONTROL)
    group, ids = uuid(), [uuid() for _ in header]
    backend: Any = current_app.backend
    backend.begin_chord(group, ids)
    for task_id, unit in zip(ids, header, strict=True):
        _send_unit(send, unit, task_id=task_id, group_id=group, chord=body, ignore_result=False)


def _send_unit(send: _Send, unit: UnitMessage, **options: Any) -> None:
    usual = _WRITING if unit.kind == "artifact" else _JUDGING
    priority = _URGENT if unit.urgent else usual
    send(_TASKS[unit.kind], (unit.id,), queue=unit.queue, priority=priority, **options)


@contextmanager
def _producing() -> Iterator[Any]:
    """Yield a producer of the current app.

    Raises:
        BrokerFailed: A message could not be sent.
    """
    try:
        with current_app.producer_or_acquire() as producer:
            yield producer
    except (OperationalError, RedisError) as error:
        raise BrokerFailed(f"messages cannot be sent: {error}") from error


@contextmanager
def _sending(producer: Any) -> Iterator[_Send]:
    """Yield a function that sends a message, pipelined if the broker supports it."""
    with producer.batch():
        yield lambda name, args, **options: current_app.send_task(
            name,
            args,
            producer=producer,
            # Celery's own representation is made for arguments of any kind and size.
            argsrepr=repr(args),
            kwargsrepr="{}",
            # Consumers declare their queues; declaring them here takes a third of the time.
            declare=(),
            **({"ignore_result": True} | options),
        )
