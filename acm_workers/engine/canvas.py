"""The messages: ids only, those of judging in flat chords of a few dozen that end in advance.

Nested chords lose their bodies, and chords of many hundreds take long to count; neither is used.
Celery's own chords are not either: to make and freeze their signatures took longer than sending.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from celery import current_app, signature
from celery.utils import uuid
from kombu.exceptions import OperationalError
from redis import RedisError

from acm_workers.errors import BrokerFailed
from acm_workers.store.units import UnitMessage

CONTROL = "control"
_HEADER = 40
_TASKS = {"artifact": "acm.generate", "evaluation": "acm.score", "comparison": "acm.compare"}

# Lower ones are served first: a document that is near its end before one that begins.
_URGENT, _JUDGING, _WRITING = 0, 3, 6

_Send = Callable[..., Any]


def queue_of(unit: UnitMessage) -> str:
    """Return the queue that a unit's message goes to."""
    work = "generate" if unit.kind == "artifact" else "judge"
    return f"{'poll' if unit.polled else work}.{unit.provider}"


def start(*document_ids: str) -> None:
    """Send the messages that begin documents.

    Raises:
        BrokerFailed: Some could not be sent.
    """
    with _producing() as producer, _sending(producer) as send:
        for document_id in document_ids:
            send("acm.start_document", (document_id,), queue=CONTROL, priority=_WRITING)


def advance(*document_ids: str) -> None:
    """Send the messages that ask what comes next for documents.

    Raises:
        BrokerFailed: Some could not be sent.
    """
    with _producing() as producer, _sending(producer) as send:
        for document_id in document_ids:
            send("acm.advance", (document_id,), queue=CONTROL, priority=_URGENT)


def publish(units: Sequence[UnitMessage]) -> None:
    """Send the messages of units: candidates singly, judging as chords that end in advance.

    A candidate needs no chord: whoever saves it publishes its evaluations.

    Raises:
        BrokerFailed: Some could not be sent.
    """
    writing = [unit for unit in units if unit.kind == "artifact"]
    judging: dict[str, list[UnitMessage]] = {}
    for unit in units:
        if unit.kind != "artifact":
            judging.setdefault(unit.document_id, []).append(unit)
    with _producing() as producer:
        for some in _dozens(writing):
            with _sending(producer) as send:
                for unit in some:
                    _send(send, unit)
        for document_id, members in judging.items():
            for header in _dozens(members):
                with _sending(producer) as send:
                    _chord(send, document_id, header)


def _dozens(units: Sequence[UnitMessage]) -> Iterator[Sequence[UnitMessage]]:
    """Give units as many at a time as one chord has; workers begin while others are being sent."""
    for at in range(0, len(units), _HEADER):
        yield units[at : at + _HEADER]


def _chord(send: _Send, document_id: str, header: Sequence[UnitMessage]) -> None:
    """Send a chord whose headers are counted by ``acm_workers.chord_backend``."""
    body = signature("acm.advance", args=(document_id,), immutable=True, queue=CONTROL)
    group, ids = uuid(), [uuid() for _ in header]
    backend: Any = current_app.backend
    backend.begin_chord(group, ids)
    for task_id, unit in zip(ids, header, strict=True):
        _send(send, unit, task_id=task_id, group_id=group, chord=body, ignore_result=False)


def _send(send: _Send, unit: UnitMessage, **options: Any) -> None:
    usual = _WRITING if unit.kind == "artifact" else _JUDGING
    priority = _URGENT if unit.urgent else usual
    send(_TASKS[unit.kind], (unit.id,), queue=queue_of(unit), priority=priority, **options)


@contextmanager
def _producing() -> Iterator[Any]:
    """Give what reaches the broker."""
    try:
        with current_app.producer_or_acquire() as producer:
            yield producer
    except (OperationalError, RedisError) as error:
        raise BrokerFailed(f"messages cannot be sent: {error}") from error


@contextmanager
def _sending(producer: Any) -> Iterator[_Send]:
    """Give what sends messages: many in one round trip, where the broker can do that."""
    with producer.batch():
        yield lambda name, args, **options: current_app.send_task(
            name,
            args,
            producer=producer,
            # Celery's own way to write them down is made for arguments of any kind and size.
            argsrepr=repr(args),
            kwargsrepr="{}",
            # Who consumes a queue declares it; doing so here takes a third of the time.
            declare=(),
            **({"ignore_result": True} | options),
        )
