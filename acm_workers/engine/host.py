"""The Celery Workers of this process, one per group of queues and each with its own app."""

import gc
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, NamedTuple

import structlog
from celery import Celery, bootsteps
from celery.concurrency.thread import TaskPool
from celery.exceptions import WorkerShutdown
from celery.worker import WorkController, control
from celery.worker import state as celery_state
from kombu.asynchronous import set_event_loop

from acm_workers.engine import inspection

log = structlog.get_logger()


class QueueGroup(NamedTuple):
    """The queues that one Worker serves, and the Worker's number of threads."""

    name: str
    queues: tuple[str, ...]
    threads: int


class GrowingThreadPool(TaskPool):
    """A thread pool for Celery that can grow while it is in use."""

    executor: ThreadPoolExecutor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._retired: list[ThreadPoolExecutor] = []

    def grow(self, n: int = 1) -> None:
        """Add ``n`` threads; tasks in progress continue in their threads."""
        self.limit += n
        before = self.executor
        self.executor = ThreadPoolExecutor(max_workers=self.limit)
        before.shutdown(wait=False)
        self._retired.append(before)

    def on_stop(self) -> None:
        """Wait for the tasks in progress."""
        for executor in self._retired:
            executor.shutdown(cancel_futures=True)
        super().on_stop()


OnFailure = Callable[[BaseException], None]


class _Controller(WorkController):
    """A Celery controller that reports its fatal error, which Celery only logs.

    Args:
        on_failure: Callback that is called before the tasks in progress are awaited.
    """

    def __init__(self, on_failure: OnFailure, **options: Any) -> None:
        self._on_failure = on_failure
        super().__init__(**options)

    def stop(self, *args: Any, **kwargs: Any) -> None:
        """Stop the controller; called by Celery while it handles an error."""
        self._tell()
        super().stop(*args, **kwargs)

    def terminate(self, *args: Any, **kwargs: Any) -> None:
        """Stop the controller at once; see ``stop``."""
        self._tell()
        super().terminate(*args, **kwargs)

    def _tell(self) -> None:
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, WorkerShutdown):
            self._on_failure(error.__cause__ or error)


class HostedWorker:
    """A Celery Worker that runs in a separate thread.

    Args:
        machine: The part of the Worker's name after the ``@``.
        on_failure: Callback that receives the error that ends the Worker, if any.
    """

    def __init__(
        self,
        group: QueueGroup,
        app: Celery,
        machine: str,
        on_failure: OnFailure,
        *,
        heartbeats: bool,
    ) -> None:
        self.group = group
        self.is_ready = False
        # Workers would share the event loop that Celery finds here, and with it one socket poll.
        set_event_loop(None)
        app.events.dispatcher_cls = inspection.WorkerEvents  # type: ignore[assignment]  # or its name
        self._controller: Any = _Controller(
            on_failure,
            app=app,
            hostname=f"{group.name}@{machine}",
            pool=GrowingThreadPool,
            concurrency=group.threads,
            queues=list(group.queues),
            ready_callback=self._on_ready,
            without_heartbeat=not heartbeats,
            without_gossip=True,
            without_mingle=True,
        )
        self._thread = threading.Thread(
            target=self._controller.start, name=f"acm-worker-{group.name}", daemon=True
        )
        self._thread.start()

    @property
    def name(self) -> str:
        """Return the name of the Worker in Celery."""
        return str(self._controller.hostname)

    @property
    def is_alive(self) -> bool:
        """Return whether the thread of the Worker is running."""
        return self._thread.is_alive()

    @property
    def received(self) -> int:
        """Return the number of tasks that the Worker has received so far."""
        return inspection.received(self.name)

    @property
    def in_hand(self) -> int:
        """Return the number of tasks in progress."""
        return inspection.in_hand(self.name)

    def grow(self, group: QueueGroup) -> None:
        """Increase the number of threads to that of ``group``."""
        more, self.group = group.threads - self.group.threads, group
        # In the thread of its event loop, as the remote command would be carried out.
        consumer = self._controller.consumer
        grow = control.Panel.data["pool_grow"]
        consumer.call_soon(grow, SimpleNamespace(consumer=consumer), n=more)

    def stop(self) -> None:
        """Stop the Worker after the tasks in progress; see ``join``."""
        self._controller.consumer.call_soon(self._shut_down)

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the Worker has ended."""
        self._thread.join(timeout_s)

    def _on_ready(self, *_: Any) -> None:
        self.is_ready = True

    def _shut_down(self) -> None:
        if self._controller.blueprint.state == bootsteps.RUN:  # type: ignore[attr-defined]  # not in the stubs
            # What Celery's own handler of SIGTERM has the event loop raise.
            raise WorkerShutdown(0)


class Host:
    """Starts, grows and stops the Workers of this process.

    Args:
        make_app: Function that creates the app of a Worker from its name.
        machine: The part of the Workers' names after the ``@``.
        on_failure: Callback that receives an error that ends a Worker; the next ``serve`` starts
            another.
        heartbeats: Whether Workers send Celery's heartbeat events, which Flower listens for.
    """

    def __init__(
        self,
        make_app: Callable[[str], Celery],
        machine: str,
        on_failure: OnFailure = lambda _: None,
        *,
        heartbeats: bool = True,
    ) -> None:
        self._make_app = make_app
        self._on_failure = on_failure
        self._machine = machine
        self._heartbeats = heartbeats
        self._workers: dict[str, HostedWorker] = {}
        self._leaving: list[HostedWorker] = []
        self._stopping = False
        self._changing = threading.Lock()

    @property
    def workers(self) -> list[HostedWorker]:
        """Return the active Workers by the names of their groups."""
        with self._changing:
            return [self._workers[name] for name in sorted(self._workers)]

    def serve(self, groups: Sequence[QueueGroup]) -> None:
        """Run exactly one Worker for each group, with at least the group's threads."""
        with self._changing:
            if self._stopping:
                return
            self._leaving = [worker for worker in self._leaving if worker.is_alive]
            for name in self._workers.keys() - {group.name for group in groups}:
                worker = self._workers.pop(name)
                log.info("a Worker is not needed any more", worker=worker.name)
                worker.stop()
                self._leaving.append(worker)
            for group in groups:
                self._serve(group)

    def stop(self) -> None:
        """Stop all Workers after their tasks in progress."""
        with self._changing:
            self._stopping = True
            for worker in self._every():
                worker.stop()

    def is_stopped(self) -> bool:
        """Return whether all Workers have ended."""
        with self._changing:
            return not any(worker.is_alive for worker in self._every())

    def join(self) -> None:
        """Wait until all Workers have ended."""
        for worker in list(self._every()):
            worker.join()

    def _every(self) -> Iterator[HostedWorker]:
        yield from self._workers.values()
        yield from self._leaving

    def _serve(self, group: QueueGroup) -> None:
        worker = self._workers.get(group.name)
        if worker is not None and not worker.is_alive:
            log.error("a Worker has ended by itself", worker=worker.name)
            worker = None
        if worker is None:
            app = self._make_app(f"acm.{group.name}")
            started = HostedWorker(
                group, app, self._machine, self._on_failure, heartbeats=self._heartbeats
            )
            self._workers[group.name] = started
            log.info(
                "Worker started", worker=started.name, queues=group.queues, threads=group.threads
            )
        elif group.threads > worker.group.threads:
            worker.grow(group)
            log.info("Worker has more threads", worker=worker.name, threads=group.threads)


def stop_waiting_for_broker() -> None:
    """Stop the Workers of this process that wait for their broker as well."""
    celery_state.should_stop = 0  # type: ignore[assignment]  # None or an exit code


def freeze_garbage() -> None:
    """Exclude objects that live as long as the process from garbage collection.

    With the defaults, collection took a tenth of the time, mostly for modules and statements.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
