"""One process of `acm worker`, which starts Workers as needed until a signal ends the process."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import FrameType
from typing import NamedTuple

import structlog

from acm_workers import app, broker, logs
from acm_workers.engine import host
from acm_workers.engine.host import Host, HostedWorker
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.engine.watchdog import Watchdog
from acm_workers.engine.worker_plan import Planner, WorkerOptions, WorkerPlan
from acm_workers.engine.worker_process import WorkerProcess
from acm_workers.errors import AcmError, BrokerFailed
from acm_workers.monitoring import worker_registry
from acm_workers.monitoring.health import HealthReport
from acm_workers.monitoring.worker_registry import RegisteredProcess
from acm_workers.processes import slots
from acm_workers.settings import Settings
from acm_workers.store import workers
from acm_workers.store.connection.database import Database

log = structlog.get_logger()

STUCK = 1
"""Exit code of a process that was ended by its watchdog."""

KILLED = 130
"""Exit code of a process that ended at once: calls in flight are uncertain."""

_TICK_S = 0.1
_LOOK_EVERY_S = 2.0
_BLIND_S = 30.0
_LEAVE_WITHIN_S = 5.0


class ServiceSnapshot(NamedTuple):
    """The state of store and broker at one time.

    Attributes:
        at: Time of the snapshot, in monotonic seconds.
        faults: Current problems of the store or the broker.
    """

    at: float
    plan: WorkerPlan | None
    faults: tuple[str, ...]


class StopSignals:
    """Counts the stop signals that this process has received."""

    def __init__(self) -> None:
        self.count = 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._count)

    def _count(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


class WorkerService:
    """Serves the queues that its options select.

    Args:
        show: Callback that receives a report at each tick.
        number: Number of this process on its machine; default: the lowest unused one.

    Raises:
        RequestError: The store's tables have another version than this program.
        StoreFailed: The store cannot be reached.
    """

    def __init__(
        self,
        settings: Settings,
        options: WorkerOptions,
        show: Callable[[HealthReport], None],
        number: int | None = None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._show = show
        self._signals = StopSignals()
        machine = options.machine or socket.gethostname()
        self._machine = machine
        self.name = f"{machine}.{number or free_number(settings, machine)}"
        logs.to_stderr(logs.worker_level(settings), self.name)
        app.distributed()  # what threads of Workers publish with
        self._process = WorkerProcess(
            settings, self.name, (), 0, serves_control=options.serves_control
        )
        self._process.live.all_child_slots = slots.of_process(options.threads)
        self._host = Host(app.shared, self.name)
        self._planner = Planner(options)
        self._watchdogs: dict[str, Watchdog] = {}
        self._view: ServiceSnapshot | None = None
        self._stuck: str | None = None
        self._ended = threading.Event()
        self._looking = threading.Thread(target=self._look_on, name="acm-look", daemon=True)
        self._latest = HealthReport(machine, ("it is starting",), {}, ())
        self._submissions: SubmissionWorker | None = None
        if options.submissions:
            self._submissions = SubmissionWorker(
                self._process.live.database,
                SubmissionOptions(options.submissions, host=machine),
                live=self._process.live,
            )

    def run(self) -> int:
        """Run until a signal arrives or a Worker hangs; return the exit code."""
        self._process.start()
        self._looking.start()
        submitted = self._work_on_submissions()
        while not self._signals.count and self._stuck is None:
            self._tick()
        if self._stuck is not None:
            log.error("watchdog ends this process", why=self._stuck)
        within_s = self._options.stop_within_s
        if self._stuck is not None:
            within_s = min(within_s or self._options.watchdog_s, self._options.watchdog_s)
        log.info("stopping: what is in flight ends, the rest is given back", within_s=within_s)
        until = None if within_s is None else time.monotonic() + within_s
        if self._submissions is not None:
            self._submissions.stop()
        self._process.begin_nothing_more()
        host.stop_waiting_for_broker()
        self._host.stop()
        while not self._host.is_stopped():
            if self._signals.count > 1 or (until is not None and time.monotonic() >= until):
                return self._end_at_once()
            self._tick()
        if submitted is not None:
            submitted.join()
        self._leave()
        self._process.stop()
        log.info("stopped", killed=False)
        return 0 if self._stuck is None else STUCK

    def _work_on_submissions(self) -> threading.Thread | None:
        """Process code submissions in a thread; an error ends this process."""
        worker = self._submissions
        if worker is None:
            return None

        def work() -> None:
            try:
                worker.run()
            except Exception as error:
                log.exception("submissions cannot be worked on")
                self._stuck = f"submissions: {error}"

        thread = threading.Thread(target=work, name="acm-submissions", daemon=True)
        thread.start()
        return thread

    def _tick(self) -> None:
        self._latest = self._report()
        self._show(self._latest)
        time.sleep(_TICK_S)

    def _end_at_once(self) -> int:
        """Release the units in progress without waiting for their ends, if the store responds."""

        def abandon() -> None:
            with suppress(AcmError):  # else the leases end, and the sweep finds the units
                log.info("given back", uncertain_calls=self._process.abandon())
            self._leave()

        leaving = threading.Thread(target=abandon, name="acm-leave", daemon=True)
        leaving.start()
        leaving.join(_LEAVE_WITHIN_S)
        log.info("stopped", killed=True)
        return KILLED if self._stuck is None else STUCK

    def _leave(self) -> None:
        self._ended.set()
        self._looking.join(_LEAVE_WITHIN_S)
        with suppress(BrokerFailed):
            worker_registry.remove(self._settings, socket.gethostname(), os.getpid())

    def _look_on(self) -> None:
        while not self._ended.is_set():
            self._look()
            self._ended.wait(_LOOK_EVERY_S)

    def _look(self) -> None:
        """Check store and broker in a separate thread, because these checks may hang."""
        before = self._view
        faults: list[str] = []
        plan = before.plan if before is not None else None
        try:
            with self._process.live.database.read() as connection:
                plan = self._planner.plan(connection)
            self._serve(plan)
        except AcmError as error:
            faults.append(str(error))
        except Exception:  # a fault of ours; the Workers that are there go on
            log.exception("look failed")
            faults.append("the store cannot be read, see the log")
        try:
            self._watch()
            worker_registry.register(self._settings, self._entry())
        except AcmError as error:
            faults.append(str(error))
        self._view = ServiceSnapshot(time.monotonic(), plan, tuple(faults))
        self._log_changes(before, self._view)

    def _serve(self, plan: WorkerPlan) -> None:
        self._host.serve(plan.groups)
        queues = [queue for group in plan.groups for queue in group.queues]
        self._process.serve(queues, sum(group.threads for group in plan.groups))

    def _watch(self) -> None:
        """Detect a Worker that receives no messages from its queues.

        Raises:
            BrokerFailed: The broker is unavailable.
        """
        found = self._host.workers
        queues = {queue for worker in found for queue in worker.group.queues}
        backlog: Mapping[str, int] | None = None
        try:
            backlog = broker.backlog(self._settings, queues)
        finally:
            now = time.monotonic()
            for worker in found:
                self._watch_one(worker, backlog, now)

    def _watch_one(
        self, worker: HostedWorker, backlog: Mapping[str, int] | None, now: float
    ) -> None:
        if worker.name not in self._watchdogs:
            self._watchdogs[worker.name] = Watchdog(self._options.watchdog_s, now)
        waiting = None
        if backlog is not None:
            waiting = sum(backlog.get(queue, 0) for queue in worker.group.queues)
        why = self._watchdogs[worker.name].look(now, worker.received, worker.in_hand, waiting)
        if why is not None:
            self._stuck = f"{worker.name}: {why}"

    def _log_changes(self, before: ServiceSnapshot | None, now: ServiceSnapshot) -> None:
        if now.faults and not (before and before.faults):
            log.warning("cannot look", why=now.faults)
        elif before and before.faults and not now.faults:
            log.info("can look again")
        lacking = dict(now.plan.lacking) if now.plan is not None else {}
        if lacking != (dict(before.plan.lacking) if before and before.plan else {}):
            for provider, why in lacking.items():
                log.warning("a provider is not served here", provider=provider, why=why)

    def _entry(self) -> RegisteredProcess:
        report, now = self._latest, datetime.now(UTC)
        return RegisteredProcess(
            socket.gethostname(),
            os.getpid(),
            self.name,
            now,
            not report.reasons,
            report.reasons,
            report.lacking,
        )

    def _report(self) -> HealthReport:
        view = self._view
        lacking = view.plan.lacking if view is not None and view.plan is not None else {}
        process = {
            "name": self.name,
            "pid": os.getpid(),
            "restarts": 0,
            "state": "ending" if self._signals.count else "running",
            "workers": [
                {
                    "name": worker.name,
                    "queues": list(worker.group.queues),
                    "threads": worker.group.threads,
                }
                for worker in self._host.workers
            ],
        }
        return HealthReport(self._machine, tuple(self._reasons(view)), lacking, (process,))

    def _reasons(self, view: ServiceSnapshot | None) -> Iterator[str]:
        """Yield the current problems."""
        if self._signals.count or self._stuck is not None:
            yield "it is stopping"
            return
        if view is None:
            yield "it is starting"
            return
        yield from view.faults
        blind_s = time.monotonic() - view.at
        if blind_s > _BLIND_S:
            yield f"store and broker have not answered for {blind_s:.0f} s"
        for worker in self._host.workers:
            if not worker.is_alive:
                yield f"{worker.name}: it has ended"
            elif not worker.is_ready:
                yield f"{worker.name}: it is starting"


def free_number(settings: Settings, machine: str, taken: int = 0) -> int:
    """Return the lowest number above ``taken`` that no living process of the machine uses.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    database = Database(settings.store_url)
    try:
        with database.read() as connection:
            names = {row.name for row in workers.alive(connection, workers.server_time(connection))}
    finally:
        database.close()
    number = taken + 1
    while f"{machine}.{number}" in names:
        number += 1
    return number
