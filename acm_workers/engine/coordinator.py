"""The coordinator: a thread that handles cancels, polls, pauses and the sweep of runs."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import Connection

from acm_workers import broker, runtime
from acm_workers.engine import batching, pausing, publish, settling, sweep
from acm_workers.engine.heartbeat import FindRuns
from acm_workers.engine.leader import LeaderRole
from acm_workers.engine.pausing import PauseReasons
from acm_workers.engine.sweep import QueueStates
from acm_workers.errors import AcmError, BrokerFailed, StoreFailed
from acm_workers.runtime import Runtime
from acm_workers.settings import Settings
from acm_workers.store import batches, budgets, runs, units, waits
from acm_workers.store.runs import ActiveRun
from acm_workers.store.waits import WaitingUnits
from schemas.config.config import Config

log = structlog.get_logger()

_HEADSTART_S = 0.3
_SWEEP_EVERY_S = 5.0
_COST = 20
"""Pause between two checks of all runs, as a multiple of the duration of a check."""
_LONGEST_PAUSE_S = 60.0

ReadQueues = Callable[[Sequence[ActiveRun]], QueueStates]
"""Returns the state of the runs' queues in the broker."""


class Coordinator:
    """Advances runs while this process is the leader.

    Args:
        find_runs: Function that returns the runs to advance.
        read_queues: Function that reads the state of the broker's queues; None if no message can be
            lost.
        ahead: Function from the maximum number of calls in flight of a provider to the number of
            additional threads that prepare requests while they wait for a permit.
        clock: Function that returns monotonic seconds.
    """

    def __init__(
        self,
        live: Runtime,
        find_runs: FindRuns,
        leader: LeaderRole,
        read_queues: ReadQueues | None = None,
        *,
        ahead: Callable[[int], int] = lambda _: 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._live = live
        self._find_runs = find_runs
        self._leader = leader
        self._read_queues = read_queues
        self._ahead = ahead
        self._clock = clock
        self._sweep_at = 0.0
        self._paused: dict[str, frozenset[str]] = {}
        self._waited: set[str] = set()
        self._written: dict[str, list[WaitingUnits]] = {}

    def run(self, stopped: threading.Event, every_s: float = 1.0) -> None:
        """Run steps until ``stopped`` is set, then give up leadership."""
        while not stopped.wait(every_s):
            self._guard(self.step)
        self._leader.leave()

    def run_from_start(self, stopped: threading.Event) -> None:
        """Publish units that are unpublished at the start of a run, then call ``run``."""
        if not stopped.wait(_HEADSTART_S):
            self._guard(self._publish_all)
        self.run(stopped, every_s=0.5)

    def step(self) -> None:
        """Do all due work if this process is the leader.

        Raises:
            StoreFailed: The store is unavailable.
        """
        if not self._leader.is_ours():
            return
        with self._live.database.read() as connection:
            going = self._find_runs(connection)
        for run in going:
            if run.cancel_requested:
                self._cancel(run.id)
            else:
                sweep.poll(self._live.database, run.id, runtime.making())
        under_way = [run for run in going if not run.cancel_requested]
        self._step_batches(going)
        ids = {run.id for run in under_way}
        self._written = {name: found for name, found in self._written.items() if name in ids}
        for run in under_way:
            self._pause(run.id)
        began = self._clock()
        if began >= self._sweep_at:
            look_s = self._sweep(under_way)
            # A look at huge runs takes a while: it must not cost more than the work. One that
            # takes very long has waited for its store.
            pause_s = min(_COST * look_s, _LONGEST_PAUSE_S)
            self._sweep_at = self._clock() + max(pause_s, _SWEEP_EVERY_S)

    def _step_batches(self, going: Sequence[ActiveRun]) -> None:
        """Do all due work on batches, including batches of paused and ended runs."""
        ours = [run.id for run in going] if self._read_queues is None else None
        with self._live.database.read() as connection:
            found = batches.runs(connection, ours)
        active = {run.id for run in going if not (run.cancel_requested or run.paused)}
        for run_id in found:
            config, sending = self._live.run(run_id).config, run_id in active
            making = runtime.making()
            batching.step(self._live.database, run_id, config, making, sending=sending)

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreFailed as error:
            self._live.give_up(error)
        except Exception as error:
            log.exception("sweep failed")
            self._live.give_up_on(error)

    def _publish_all(self) -> None:
        with self._live.database.read() as connection:
            going = self._find_runs(connection)
        for run in going:
            sweep.sweep(self._live.database, run.id, runtime.making(), grace=timedelta())

    def _sweep(self, going: Sequence[ActiveRun]) -> float:
        """Sweep the runs; return how long the search for lost messages took."""
        began = self._clock()
        making = runtime.making()
        queues = None if self._read_queues is None else self._read_queues(going)
        # Asked after `making` was made: as of a time before it hung, a store finds no lease late.
        leases = self._leader.can_free_leases()
        look_s = self._clock() - began
        for run in going:
            began = self._clock()
            found = sweep.look(self._live.database, run.id, making, queues=queues, leases=leases)
            look_s += self._clock() - began
            sweep.send(self._live.database, found)
        self._leader.swept()
        return look_s

    def _cancel(self, run_id: str) -> None:
        with self._live.database.write() as connection:
            # The run may have been resumed since the look.
            if not units.cancelled_runs(connection, [run_id]):
                return
            settles = runs.is_settled(connection, run_id)
            if not settles:
                sweep.cancel(connection, run_id, runtime.making())
        if settles:
            config = self._live.run(run_id).config
            settling.decide(self._live.database, run_id, config, runtime.making())

    def _pause(self, run_id: str) -> None:
        """Record the waits of a run's units, and pause the run if no unit can continue."""
        live, making = self._live, runtime.making()
        config = live.run(run_id).config
        states = self._limiter_states(run_id, config)
        paused = {name: state["paused"] for name, state in states.items() if state["paused"]}
        waiting = [
            pausing.waiting(name, state, making.now)
            for name, state in states.items()
            if not self._are_only_ahead(state)
        ]
        waiting.append(_waiting_for_budget(live.budgets.waiting(run_id)))
        waiting += batching.waits(live.database, run_id)
        found = [wait for wait in waiting if wait is not None]
        with live.database.read() as connection:
            closed = _closed(connection, run_id, config)
        if not found and not paused and closed is None and run_id not in self._waited:
            return
        with live.database.write() as connection:
            if closed is not None or paused:
                runs.lock(connection, run_id)  # before what waits, as whoever pauses it does
            if found != self._written.get(run_id):
                waits.replace(connection, run_id, pausing.counted(connection, run_id, found))
                self._written[run_id] = found
            blockers = PauseReasons(closed, paused)
            before = self._paused.get(run_id, ())
            pausing.record_paused_providers(connection, run_id, before, blockers, making)
            if closed is not None or paused:
                pausing.pause_if_stuck(connection, run_id, blockers, making)
        self._paused[run_id] = frozenset(paused)
        if found:
            self._waited.add(run_id)
        else:
            self._waited.discard(run_id)

    def _limiter_states(self, run_id: str, config: Config) -> dict[str, dict[str, Any]]:
        """Return the limits of each provider of a config; empty while Redis is unavailable."""
        try:
            scope, limiter = self._live.scope(run_id), self._live.limiter
            return {name: limiter.state(scope.qualified(name)) for name in config.providers}
        except AcmError as error:
            log.warning("the limits are not known", error=str(error))
            return {}

    def _are_only_ahead(self, state: Mapping[str, Any]) -> bool:
        full = state["waiting_for"] == "in_flight" and state["in_flight"] >= state["max_in_flight"]
        return (
            full and not state["paused"] and state["waiting"] <= self._ahead(state["max_in_flight"])
        )


class BacklogReader:
    """Reads the number of messages in the queues of runs.

    Args:
        queues_of: Function that returns the queues of a run.
    """

    def __init__(self, settings: Settings, queues_of: Callable[[str], Sequence[str]]) -> None:
        self._settings = settings
        self._queues_of = queues_of
        self._empty: frozenset[str] = frozenset()

    def __call__(self, going: Sequence[ActiveRun]) -> QueueStates:
        """Return the state of the broker's queues; empty while the broker is unavailable.

        A queue that is empty in two consecutive calls has no message in transit.
        """
        names = {broker.CONTROL}
        for run in going:
            names.update(self._queues_of(run.id))
        try:
            backlog = broker.backlog(self._settings, names)
        except BrokerFailed as error:
            log.warning("the broker is unavailable", error=str(error))
            backlog = {}
        before = self._empty
        self._empty = frozenset(name for name, number in backlog.items() if number == 0)
        full = frozenset(name for name, number in backlog.items() if number > publish.ENOUGH)
        return QueueStates(self._empty & before, full)


def _closed(connection: Connection, run_id: str, config: Config) -> str | None:
    """Return why the budget stops a run; None if it does not, or while calls are in flight."""
    if config.budget_usd is None:
        return None
    return budgets.closed(connection, run_id, config.budget_usd)


def _waiting_for_budget(calls: int) -> WaitingUnits | None:
    reason = "calls in flight have to end before the budget allows more"
    return WaitingUnits("the budget", reason, calls, None) if calls else None
