"""A process whose messages live in its memory ends where a task, a sweep or a Worker fails."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acm_workers import app, runtime
from acm_workers.engine import host
from acm_workers.engine.host import QueueGroup
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import InternalFault, OutOfResources, ProviderRejected, exhausted
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.runtime import Runtime
from acm_workers.store.connection.database import Database
from acm_workers.tasks.unit_task import never_raises
from tests.support.project import wait_until

NO_FILE = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
NO_THREAD = RuntimeError("can't start new thread")


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Runtime]:
    live = Runtime(Database(f"sqlite:///{tmp_path / 'acm.db'}"), MemoryLimiter({}))
    runtime.use(live)
    yield live
    runtime.use(None)


def wrapped(error: Exception) -> Exception:
    """Return what a library makes of an error that it translates."""
    try:
        raise error
    except OSError:
        found = ConnectionError("no connection")
        found.__context__ = error
        return found


@pytest.mark.parametrize(
    ("error", "lacking"),
    [
        (NO_FILE, "open files"),
        (OSError(errno.ENFILE, os.strerror(errno.ENFILE)), "on this machine"),
        (ImportError(f"libx.so: cannot open shared object file: {NO_FILE.strerror}"), "open files"),
        (wrapped(NO_FILE), "open files"),
        (NO_THREAD, "threads"),
        (MemoryError(), "memory"),
    ],
)
def test_errors_of_a_system_that_gives_nothing_more_are_known(
    error: Exception, lacking: str
) -> None:
    found = exhausted(error)

    assert found is not None
    assert lacking in str(found)


def test_other_errors_are_none_of_them_nor_are_those_that_are_translated_already() -> None:
    refused = ProviderRejected("not enough memory for the answer")
    refused.__cause__ = MemoryError()

    assert [exhausted(error) for error in (KeyError("a"), RuntimeError("b"), refused)] == [None] * 3


@pytest.mark.parametrize(
    ("error", "kind"), [(NO_FILE, OutOfResources), (KeyError(), InternalFault)]
)
def test_a_task_that_raises_ends_the_process_that_has_its_message(
    live: Runtime, error: Exception, kind: type[Exception]
) -> None:
    @never_raises
    def advance() -> None:
        raise error

    advance()

    assert isinstance(live.failure, kind)
    assert live.stopping.is_set()


def test_a_worker_process_goes_on_after_a_task_that_raises(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'acm.db'}")
    live = WorkerRuntime(database, MemoryLimiter({}), "owner")

    live.give_up_on(NO_FILE)

    assert live.failure is None
    assert not live.stopping.is_set()


def test_a_worker_that_ends_by_itself_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[BaseException] = []

    def refuse(*_: Any, **__: Any) -> None:
        raise NO_THREAD

    monkeypatch.setattr(host.GrowingThreadPool, "on_apply", refuse)
    workers = host.Host(app.embedded, "unit", told.append, heartbeats=False)
    workers.serve([QueueGroup("control", ("unit.control",), 1)])
    publisher = app.embedded("unit.publisher")
    publisher.send_task("acm.advance", ("a",), queue="unit.control")

    wait_until(workers.is_stopped)
    assert told == [NO_THREAD]
