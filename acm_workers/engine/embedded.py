"""The embedded engine: production's tasks, canvas and workers in this process.

One worker a provider and one for control, each on its own app, with broker and results in
memory; the store is what lasts. A thread sweeps, renews leases and looks for cancels.
"""

import functools
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import structlog
from celery.worker import WorkController

from acm_workers import app, runtime
from acm_workers.calls import background_calls
from acm_workers.engine import gc_tuning, pausing, sweep
from acm_workers.engine.pausing import Rest
from acm_workers.errors import StoreFailed
from acm_workers.processor import Processor
from acm_workers.runtime import Runtime
from acm_workers.store import claims, open_calls, units, waits
from acm_workers.store.waits import Waiting
from schemas.config.provider import Provider

log = structlog.get_logger()

_CONTROL_THREADS = 2
_POLL_THREADS = 4
_AHEAD = 8
_HEADSTART_S = 0.3
_TICK_S = 0.5
_SWEEP_EVERY_S = 5.0


class Engine:
    """Works on one run until it ends or ``stop`` is called.

    Args:
        one_processor: See ``Settings``.
    """

    def __init__(
        self,
        live: Runtime,
        run_id: str,
        providers: dict[str, Provider],
        *,
        one_processor: bool = True,
    ) -> None:
        self._live = live
        self._run_id = run_id
        self._providers = list(providers)
        self._told = False
        self._resting: frozenset[str] = frozenset()
        self._publisher = app.make("acm.publisher")
        self._polled = _polled(live, run_id)
        self._workers = [_worker(app.CONTROL, [app.CONTROL], _CONTROL_THREADS)]
        self._workers += [
            _worker(f"poll.{name}", [app.poll_queue(name)], _POLL_THREADS) for name in self._polled
        ]
        self._asking = [
            # Some more than may ask at a time: those have their next requests ready.
            _worker(
                name,
                [app.generate_queue(name), app.judge_queue(name)],
                provider.max_in_flight + _AHEAD,
            )
            for name, provider in providers.items()
        ]
        self._threads: list[threading.Thread] = []
        self._places = sum(provider.max_in_flight for provider in providers.values())
        self._processor = Processor(self._places, wanted=one_processor)

    def start(self) -> int:
        """Take over the run and begin working; return how many calls of a dead worker are open.

        The caller must be the only one who works on this store.
        """
        live = self._live
        runtime.use(live)
        # Chords are published from worker threads too, which know only the default app.
        self._publisher.set_default()
        uncertain = sweep.recover(live.database, self._run_id, live.owner, runtime.making())
        gc_tuning.spare_the_collector()
        for worker in self._workers:
            self._begin(worker.start, "acm-worker")
        for worker in self._asking:
            self._begin(functools.partial(self._ask, worker), "acm-worker")
        self._begin(functools.partial(self._processor.run, live.stopping), "acm-processor")
        # All of a big run would keep the threads from asking for as long as it takes to send it:
        # the rest follows while they wait for their first answers.
        sweep.begin(live.database, self._run_id, runtime.making(), self._places + _AHEAD)
        self._begin(self._watch, "acm-sweep")
        return uncertain

    def stop(self) -> None:
        """Begin nothing new, let calls in flight end, and stop every thread."""
        self._live.stopping.set()
        for worker in (*self._workers, *self._asking):
            worker.stop()
        for thread in self._threads:
            thread.join()
        self._call_off()
        runtime.use(None)

    def _call_off(self) -> None:
        """Call off what is made in the background for nobody, as after a cancel."""
        live = self._live
        if not self._polled or live.failure is not None:
            return
        try:
            config = live.run(self._run_id).config
            background_calls.cancel_abandoned(live.database, self._run_id, config, runtime.utc_now)
        except StoreFailed as error:
            live.give_up(error)

    def _begin(self, target: object, name: str) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)  # type: ignore[arg-type]
        thread.start()
        self._threads.append(thread)

    def _ask(self, worker: WorkController) -> None:
        self._processor.take()
        worker.start()

    def _publish(self) -> None:
        sweep.sweep(self._live.database, self._run_id, runtime.making(), grace=timedelta())

    def _watch(self) -> None:
        swept_at = time.monotonic()
        if not self._live.stopping.wait(_HEADSTART_S):
            self._do(self._publish)
        while not self._live.stopping.wait(_TICK_S):
            self._do(self._tick)
            if time.monotonic() - swept_at >= _SWEEP_EVERY_S:
                self._do(self._sweep)
                swept_at = time.monotonic()

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreFailed as error:
            self._live.give_up(error)
        except Exception:
            log.exception("sweep failed")

    def _tick(self) -> None:
        live = self._live
        states = {name: live.limiter.state(name) for name in self._providers}
        self._tell_waits(states)
        live.look_for_cancels([self._run_id])
        if live.is_cancelled(self._run_id):
            with live.database.write() as connection:
                # Somebody may have let it go on since the look.
                if units.cancelled_runs(connection, [self._run_id]):
                    sweep.cancel(connection, self._run_id, runtime.making())
            return
        self._pause(states)
        if self._polled:
            sweep.poll(live.database, self._run_id, runtime.making())

    def _tell_waits(self, states: dict[str, dict[str, Any]]) -> None:
        """Let others see what units wait for: limits of this process, and the budget."""
        now = runtime.utc_now()
        waiting = [
            pausing.waiting(name, state, now)
            for name, state in states.items()
            if not _are_ahead(state)
        ]
        waiting.append(_waiting_for_money(self._live.budgets.waiting(self._run_id)))
        held = [wait for wait in waiting if wait is not None]
        if held or self._told:
            with self._live.database.write() as connection:
                counted = pausing.counted(connection, self._run_id, held)
                waits.replace(connection, self._run_id, counted)
        self._told = bool(held)

    def _pause(self, states: dict[str, dict[str, Any]]) -> None:
        """Pause the run, if nothing of it can go on."""
        live = self._live
        resting = {name: state["paused"] for name, state in states.items() if state["paused"]}
        rest = Rest(live.budgets.closed(self._run_id), resting)
        if rest.budget is None and not resting:
            return
        making = runtime.making()
        with live.database.write() as connection:
            pausing.tell(connection, self._run_id, self._resting, rest, making)
            pausing.pause_if_stuck(connection, self._run_id, rest, making)
        self._resting = frozenset(resting)

    def _sweep(self) -> None:
        live = self._live
        with live.database.write() as connection:
            claims.renew(connection, live.owner, dict(live.held), runtime.utc_now())
        if not live.is_cancelled(self._run_id):
            sweep.sweep(live.database, self._run_id, runtime.making())


def _polled(live: Runtime, run_id: str) -> set[str]:
    """Return the providers that answer in the background, or did by an earlier config."""
    with live.database.read() as connection:
        begun = open_calls.providers(connection, run_id)
    return begun | background_calls.providers(live.run(run_id).config)


def _are_ahead(state: dict[str, Any]) -> bool:
    """Return whether only those wait who are to have their next requests ready."""
    full = state["waiting_for"] == "in_flight" and state["in_flight"] >= state["max_in_flight"]
    return full and not state["paused"] and state["waiting"] <= _AHEAD


def _waiting_for_money(number: int) -> Waiting | None:
    reason = "calls under way have to end before the budget allows more"
    return Waiting("the budget", reason, number, None) if number else None


def _worker(name: str, queues: list[str], threads: int) -> WorkController:
    return WorkController(
        app=app.make(f"acm.{name}"),
        hostname=f"{name}@embedded",
        pool="threads",
        concurrency=threads,
        queues=queues,
        without_heartbeat=True,
        without_gossip=True,
        without_mingle=True,
    )
