"""The process manager of `acm worker --processes N`, which restarts processes that die or hang."""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

import structlog

from acm_workers import logs
from acm_workers.engine.worker_plan import WorkerOptions
from acm_workers.engine.worker_service import KILLED, StopSignals, WorkerService, free_number
from acm_workers.errors import AcmError, RequestError
from acm_workers.monitoring.health import HealthReport
from acm_workers.settings import Settings

log = structlog.get_logger()

_TICK_S = 0.1
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_SETTLED_S = 60.0
"""Lifetime of a process after which its death starts a new series of restart pauses."""

_START_WITHIN_S = 60.0
_REPORT_EVERY_S = 1.0
_KILL_AFTER_S = 15.0
"""Time after the request to end at once after which a process is killed."""

_spawn = multiprocessing.get_context("spawn")


class ProcessSlot:
    """A numbered process that is restarted when it dies, with its latest report."""

    def __init__(self, number: int, options: WorkerOptions) -> None:
        self.name = f"{_machine(options)}.{number}"
        self.restarts = 0
        self.exit_code = 0
        self._number = number
        self._options = options
        self._process: SpawnProcess | None = None
        self._reports: Connection | None = None
        self._report: HealthReport | None = None
        self._heard_at = self._started_at = self._start_at = 0.0
        self._deaths = 0
        self._down = "it is being started"

    @property
    def is_running(self) -> bool:
        """Return whether the process is running."""
        return self._process is not None

    def start_if_due(self, now: float) -> None:
        """Start a process unless it is running or the delay after a crash is not over."""
        if self._process is not None or now < self._start_at:
            return
        reports, show = _spawn.Pipe(duplex=False)
        process = _spawn.Process(target=_serve, args=(self._options, self._number, show))
        try:
            process.start()
        except OSError as error:
            reports.close()
            self._lose(f"it cannot be started: {error}", now)
            return
        finally:
            show.close()
        self._process, self._reports, self._report = process, reports, None
        self._heard_at = self._started_at = now
        log.info("started", process=self.name, pid=process.pid)

    def look(self, now: float) -> str | None:
        """Read the reports of the process; return its exit code if it has ended."""
        process = self._process
        if process is None:
            return None
        ended = not process.is_alive()
        self._read(now)
        if not ended:
            return None
        process.join()
        code = process.exitcode or 0
        process.close()
        if self._reports is not None:
            self._reports.close()
        self._process = self._reports = None
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._lose(f"the last process {how}", now)
        self.exit_code = code
        return how

    def is_silent(self, now: float) -> bool:
        """Return whether the process has reported nothing for longer than the watchdog allows."""
        patience_s = self._options.watchdog_s
        if self._report is None:
            patience_s = max(patience_s, _START_WITHIN_S) if patience_s else 0.0
        return bool(patience_s) and self.is_running and now - self._heard_at >= patience_s

    def send(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        process = self._process
        if process is not None and process.pid is not None and process.is_alive():
            os.kill(process.pid, number)

    def report(self) -> HealthReport:
        """Return the latest report of the process, or a report of why there is none."""
        name = self.name
        about: dict[str, Any]
        if self._process is None:
            about = {"name": name, "pid": None, "state": f"down: {self._down}", "workers": []}
            reasons: tuple[str, ...] = (f"{name}: {self._down}",)
        elif self._report is None:
            pid = self._process.pid
            about = {"name": name, "pid": pid, "state": "starting", "workers": []}
            reasons = (f"{name}: it is starting",)
        else:
            (about,), reasons = self._report.processes, self._report.reasons
        lacking = self._report.lacking if self._report is not None else {}
        return HealthReport(name, reasons, lacking, ({**about, "restarts": self.restarts},))

    def _read(self, now: float) -> None:
        try:
            while self._reports is not None and self._reports.poll():
                self._report, self._heard_at = self._reports.recv(), now
        except (EOFError, OSError):  # it has ended
            return

    def _lose(self, why: str, now: float) -> None:
        settled = self._started_at and now - self._started_at >= _SETTLED_S
        self._deaths = 1 if settled else self._deaths + 1
        pause_s = min(_FIRST_PAUSE_S * 2 ** (self._deaths - 1), _LONGEST_PAUSE_S)
        self._start_at, self._down, self._report = now + pause_s, why, None
        self.restarts += 1


class ProcessManager:
    """Starts processes and restarts them, until a signal ends them.

    Args:
        number: Number of processes.
        show: Callback that is called at each tick with a report of all processes.

    Raises:
        StoreFailed: The store cannot be reached.
    """

    def __init__(
        self,
        settings: Settings,
        options: WorkerOptions,
        number: int,
        show: Callable[[HealthReport], None],
    ) -> None:
        self._options = options
        self._show = show
        self._signals = StopSignals()
        self._slots = [
            ProcessSlot(slot, options) for slot in _free_numbers(settings, options, number)
        ]

    def run(self) -> int:
        """Run until a signal arrives; return the exit code."""
        while not self._signals.count:
            now = time.monotonic()
            for slot in self._slots:
                slot.start_if_due(now)
                if (how := slot.look(now)) is not None:
                    log.error("a process died", process=slot.name, how=how)
                elif slot.is_silent(now):
                    why = f"it told nothing for {self._options.watchdog_s:g} s"
                    log.error("watchdog ends a process", process=slot.name, why=why)
                    slot.send(signal.SIGKILL)
            self._tick()
        return self._end()

    def _end(self) -> int:
        log.info("stopping all processes")
        sent, kill_at, killed = 1, float("inf"), False
        for slot in self._slots:
            slot.send(signal.SIGTERM)
        while any(slot.is_running for slot in self._slots):
            now = time.monotonic()
            for slot in self._slots:
                if (how := slot.look(now)) is not None:
                    log.info("ended", process=slot.name, how=how)
                    killed = killed or slot.exit_code != 0
            if self._signals.count > sent:
                sent, kill_at = self._signals.count, now + _KILL_AFTER_S
                for slot in self._slots:
                    slot.send(signal.SIGTERM)
            for slot in self._slots if now > kill_at else ():
                slot.send(signal.SIGKILL)
            self._tick()
        log.info("stopped", killed=killed)
        return KILLED if killed else 0

    def _tick(self) -> None:
        reports = [slot.report() for slot in self._slots]
        reasons = ["it is stopping"] if self._signals.count else []
        reasons += [why for report in reports for why in report.reasons if why not in reasons]
        lacking = {name: why for report in reports for name, why in report.lacking.items()}
        processes = tuple(about for report in reports for about in report.processes)
        self._show(HealthReport(_machine(self._options), tuple(reasons), lacking, processes))
        time.sleep(_TICK_S)


def _free_numbers(settings: Settings, options: WorkerOptions, wanted: int) -> Iterator[int]:
    number = 0
    for _ in range(wanted):
        number = free_number(settings, _machine(options), number)
        yield number


def _machine(options: WorkerOptions) -> str:
    return options.machine or socket.gethostname()


def _serve(options: WorkerOptions, number: int, reports: Connection) -> None:
    """Run one worker process; the entry point of each child."""
    # Ctrl-C in a terminal goes to the manager alone, which tells the others.
    os.setsid()
    settings = Settings()
    logs.to_stderr(logs.worker_level(settings), f"{_machine(options)}.{number}")
    try:
        service = WorkerService(settings, options, _Reports(reports).show, number)
    except AcmError as error:
        log.error("cannot start", why=str(error))  # noqa: TRY400  the error is one line
        sys.exit(2 if isinstance(error, RequestError) else 1)
    threading.Thread(target=_end_with_manager, name="acm-manager", daemon=True).start()
    code = service.run()
    sys.stderr.flush()
    os._exit(code)  # calls that are still in flight after the second signal hold their threads


class _Reports:
    """Sends reports to the manager periodically and on each change."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sent: tuple[HealthReport | None, float] = (None, 0.0)

    def show(self, report: HealthReport) -> None:
        """Send ``report`` if it differs from the last report or the last one is old."""
        now = time.monotonic()
        before, at = self._sent
        if report != before or now - at >= _REPORT_EVERY_S:
            self._sent = (report, now)
            try:
                self._connection.send(report)
            except OSError:  # the manager is dead, and this process ends as well
                return


def _end_with_manager() -> None:
    """Stop this process when the manager dies."""
    manager = multiprocessing.parent_process()
    if manager is not None:
        wait([manager.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
