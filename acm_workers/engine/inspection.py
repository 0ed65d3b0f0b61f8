"""Answers of Workers to Celery's ``inspect``, and their events, where Workers share one process.

Celery keeps the requests of a process in sets of its module ``celery.worker.state``, so each Worker
would answer with those of all. Imported for its effect: the commands replace Celery's own.
Heartbeats count tasks in the same way, and Flower lists Workers with their numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from celery.events import EventDispatcher
from celery.signals import task_received
from celery.worker import state as celery_state
from celery.worker.control import inspect_command
from celery.worker.request import Request

_received: defaultdict[str, Counter[str]] = defaultdict(Counter)


def received(hostname: str) -> int:
    """Return the number of tasks that a Worker of this process has received so far."""
    return _received[hostname].total()


def in_hand(hostname: str) -> int:
    """Return the number of tasks that a Worker of this process is working on."""
    return len(_requests_of(hostname, celery_state.active_requests))


@task_received.connect
def _count(request: Request, **_: Any) -> None:
    _received[request.hostname][request.name] += 1


@inspect_command(alias="dump_active")
def active(state: Any, safe: bool = False, **_: Any) -> list[Any]:
    """Return the tasks that the Worker is working on."""
    found = _requests_of(state.hostname, celery_state.active_requests)
    return [request.info(safe=safe) for request in found]


@inspect_command(alias="dump_reserved")
def reserved(state: Any, **_: Any) -> list[Any]:
    """Return the tasks that the Worker has received and not started."""
    found = _requests_of(state.hostname, celery_state.reserved_requests)
    return [
        request.info()
        for request in found - _requests_of(state.hostname, celery_state.active_requests)
    ]


@inspect_command()
def stats(state: Any, **_: Any) -> dict[str, Any]:
    """Return the statistics of the Worker, with the totals of its own tasks."""
    found: dict[str, Any] = state.consumer.controller.stats()
    return {**found, "total": dict(_received[state.hostname])}


class WorkerEvents(EventDispatcher):
    """Sends the events of a Worker; its heartbeats count its own tasks."""

    def send(self, type: str, *args: Any, **fields: Any) -> Any:
        """Send an event."""
        if "active" in fields:
            fields["active"] = in_hand(self.hostname)
            fields["processed"] = received(self.hostname)
        return super().send(type, *args, **fields)


def _requests_of(hostname: str, requests: Iterable[Request]) -> set[Request]:
    while True:
        try:
            return {request for request in tuple(requests) if request.hostname == hostname}
        except RuntimeError:  # another Worker changed the set meanwhile
            continue
