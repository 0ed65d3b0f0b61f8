"""The thread that keeps runs going, in the one process that leads."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog

from acm_workers import app, broker, runtime
from acm_workers.engine import pausing, sweep
from acm_workers.engine.leader_election import LeaderElection
from acm_workers.engine.lease_health import LeaseHealth
from acm_workers.engine.pausing import Rest
from acm_workers.engine.sweep import Queues
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import AcmError, BrokerFailed, StoreFailed
from acm_workers.settings import Settings
from acm_workers.store import budgets, runs, units, waits, workers
from acm_workers.store.runs import ActiveRun
from schemas.config.config import Config

log = structlog.get_logger()

_TICK_S = 1.0
_SWEEP_EVERY_S = 5.0
_COST = 10
_LONGEST_PAUSE_S = 60.0
_ENOUGH = 5000
"""Messages in a queue that last its workers until the next sweep."""


class Coordinator:
    """Sweeps, cancels, polls and pauses for all runs, while this process leads.

    Args:
        renewals: Those of this process, by the same clock.
        clock: Seconds that pass, from whenever.
    """

    def __init__(
        self,
        live: WorkerRuntime,
        settings: Settings,
        lead: LeaderElection,
        renewals: LeaseHealth,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._live = live
        self._settings = settings
        self._lead = lead
        self._renewals = renewals
        self._clock = clock
        self._sweep_at = 0.0
        self._empty: frozenset[str] = frozenset()
        self._resting: dict[str, frozenset[str]] = {}
        self._told: set[str] = set()

    def run(self, stopped: threading.Event) -> None:
        """Go on until ``stopped``."""
        while not stopped.wait(_TICK_S):
            try:
                self.step()
            except StoreFailed as error:
                log.warning("the store is away", error=str(error))
            except Exception:
                log.exception("sweep failed")
        self.leave()

    def leave(self) -> None:
        """Let another process lead."""
        self._lead.leave()

    def step(self) -> None:
        """Do what is due, if this process leads.

        Raises:
            StoreFailed: The store is away.
        """
        if self._lead.is_ours():
            self._tick()

    def _tick(self) -> None:
        with self._live.database.read() as connection:
            going = runs.given_to_workers(connection)
        for run in going:
            if run.cancel_requested:
                self._cancel(run.id)
            else:
                sweep.poll(self._live.database, run.id, runtime.making())
        under_way = [run for run in going if not run.cancel_requested]
        for run in under_way:
            self._pause(run.id)
        began = self._clock()
        if began >= self._sweep_at:
            self._sweep(under_way)
            # A sweep of huge runs takes a while: it must not cost more than the work. One that
            # takes very long has waited for its store.
            ended = self._clock()
            pause_s = min(_COST * (ended - began), _LONGEST_PAUSE_S)
            self._sweep_at = ended + max(pause_s, _SWEEP_EVERY_S)

    def _sweep(self, going: Sequence[ActiveRun]) -> None:
        database, making = self._live.database, runtime.making()
        waiting = self._backlog(going)
        full = frozenset(name for name, number in waiting.items() if number > _ENOUGH)
        queues = Queues(self._drained(waiting), full)
        # Asked after `making` was made: by a time of before it hung, a store finds nobody late.
        leases = self._renewals.speak_for_others(self._clock())
        for run in going:
            sweep.sweep(database, run.id, making, queues=queues, leases=leases)
        with database.write() as connection:
            workers.remove_old(connection, making.now)
            workers.mark_swept(connection, self._live.owner, making.now)
        self._lead.leave_to_others()

    def _backlog(self, going: Sequence[ActiveRun]) -> dict[str, int]:
        """Return how many messages wait in each queue of the runs; nothing if nobody knows."""
        queues = {app.CONTROL}
        for run in going:
            for name in self._live.run(run.id).config.providers:
                queues |= {app.generate_queue(name), app.judge_queue(name)}
        try:
            return broker.backlog(self._settings, queues)
        except BrokerFailed as error:
            log.warning("the broker is away", error=str(error))
            return {}

    def _drained(self, waiting: Mapping[str, int]) -> frozenset[str]:
        """Return the queues that were empty now and at the last sweep: nothing is on its way."""
        before = self._empty
        self._empty = frozenset(name for name, number in waiting.items() if number == 0)
        return self._empty & before

    def _cancel(self, run_id: str) -> None:
        with self._live.database.write() as connection:
            # Somebody may have let it go on since the look.
            if units.cancelled_runs(connection, [run_id]):
                sweep.cancel(connection, run_id, runtime.making())

    def _pause(self, run_id: str) -> None:
        """Tell what units of a run wait for, and pause it if nothing of it can go on."""
        live, making = self._live, runtime.making()
        config = live.run(run_id).config
        states = self._states(config)
        resting = {name: state["paused"] for name, state in states.items() if state["paused"]}
        held = [pausing.waiting(name, state, making.now) for name, state in states.items()]
        told = [wait for wait in held if wait is not None]
        with live.database.read() as connection:
            closed = _closed(connection, run_id, config)
        if not told and closed is None and run_id not in self._told:
            return
        with live.database.write() as connection:
            waits.replace(connection, run_id, pausing.counted(connection, run_id, told))
            rest = Rest(closed, resting)
            pausing.tell(connection, run_id, self._resting.get(run_id, ()), rest, making)
            if closed is not None or resting:
                pausing.pause_if_stuck(connection, run_id, rest, making)
        self._resting[run_id] = frozenset(resting)
        if told:
            self._told.add(run_id)
        else:
            self._told.discard(run_id)

    def _states(self, config: Config) -> dict[str, dict[str, Any]]:
        """Return what each provider of a config allows now; nothing while Redis is away."""
        try:
            return {name: self._live.limiter.state(name) for name in config.providers}
        except AcmError as error:
            log.warning("the limits are not known", error=str(error))
            return {}


def _closed(connection: Any, run_id: str, config: Config) -> str | None:
    if config.budget_usd is None:
        return None
    found: str | None = budgets.closed(connection, run_id, config.budget_usd)
    return found
