"""The embedded engine: one run in this process, with broker and results in memory."""

import threading
from collections.abc import Callable

from sqlalchemy import Connection

from acm_workers import app, broker, runtime
from acm_workers.calls import background_calls, batched_calls
from acm_workers.engine import host, sweep
from acm_workers.engine.coordinator import Coordinator
from acm_workers.engine.heartbeat import Heartbeat
from acm_workers.engine.host import Host, QueueGroup
from acm_workers.engine.leader import SoleProcess
from acm_workers.errors import StoreFailed
from acm_workers.processes import slots
from acm_workers.runtime import Runtime
from acm_workers.store import pending_calls, runs, units
from acm_workers.store.runs import ActiveRun
from schemas import lanes
from schemas.config.provider import Provider

_CONTROL_THREADS = 2
_POLL_THREADS = 4
_CANCELS_WITHIN_S = 20.0
"""Maximum time that the end of a run waits for the cancellation of batches."""


def threads_ahead(max_in_flight: int) -> int:
    """Return the number of threads of a provider beyond its maximum of calls in flight.

    These threads prepare the next requests, so that several answers arriving together are followed
    at once by as many new requests (decision 0025).
    """
    return 8 + max_in_flight // 8


class Engine:
    """Executes one run until the run ends or ``stop`` is called.

    All state is in the store. No other process may work on the run at the same time.
    """

    def __init__(self, live: Runtime, run_id: str, providers: dict[str, Provider]) -> None:
        self._live = live
        self._run_id = run_id
        self._publisher = app.embedded("acm.publisher")
        self._polled = self._polled_providers()
        config, scope = live.run(run_id).config, live.scope(run_id)
        self._host = Host(app.embedded, "embedded", live.give_up_on, heartbeats=False)
        self._groups = [
            QueueGroup(broker.CONTROL, (broker.CONTROL,), _CONTROL_THREADS),
            *(
                QueueGroup(f"poll.{name}", (lanes.queue(lanes.poll(name), scope),), _POLL_THREADS)
                for name in self._polled
            ),
            *(
                QueueGroup(
                    name,
                    tuple(lanes.queue(one(name), scope) for one in (lanes.generate, lanes.judge)),
                    _threads(provider),
                )
                for name, provider in providers.items()
            ),
            *(
                QueueGroup(
                    lanes.child(kind),
                    (lanes.queue(lanes.child(kind), scope),),
                    slots.at_once(kind, config.concurrency.most(kind)),
                )
                for kind in config.child_kinds
            ),
        ]
        self._at_once = sum(_threads(provider) for provider in providers.values())
        self._coordinator = Coordinator(live, self._find_going, SoleProcess(), ahead=threads_ahead)
        self._heartbeat = Heartbeat(live, self._find_run)
        self._threads: list[threading.Thread] = []

    def start(self) -> int:
        """Take over the run and start; return the number of pending calls of a dead worker."""
        live = self._live
        runtime.use(live)
        if live.run(self._run_id).config.child_kinds:
            live.remove_orphans()
        # Chords are published from threads of Workers too, which know only the default app.
        self._publisher.set_default()
        uncertain = sweep.recover(live.database, self._run_id, live.owner, runtime.making())
        host.freeze_garbage()
        self._host.serve(self._groups)
        # Sending all messages of a big run takes so long that threads would wait for the first
        # ones: the coordinator sends the rest while they wait for their first answers.
        sweep.begin(live.database, self._run_id, runtime.making(), self._at_once)
        self._run(self._heartbeat.run, "acm-heartbeat")
        self._run(self._coordinator.run_from_start, "acm-coordinator")
        return uncertain

    def stop(self) -> None:
        """Accept no further work, wait for calls in flight, and stop all threads."""
        self._live.stopping.set()
        self._host.stop()
        self._host.join()
        for thread in self._threads:
            thread.join()
        self._live.close()
        self._settle_calls()
        runtime.use(None)

    def _run(self, target: Callable[[threading.Event], None], name: str) -> None:
        stopped = self._live.stopping
        thread = threading.Thread(target=target, args=(stopped,), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _find_run(self, connection: Connection) -> list[ActiveRun]:
        cancelled = units.cancelled_runs(connection, [self._run_id])
        paused = runs.is_paused(connection, self._run_id)
        return [ActiveRun(self._run_id, 0, bool(cancelled), paused)]

    def _find_going(self, connection: Connection) -> list[ActiveRun]:
        return [run for run in self._find_run(connection) if not run.paused]

    def _polled_providers(self) -> set[str]:
        """Return the providers with background answers in this or an earlier config of the run."""
        with self._live.database.read() as connection:
            begun = pending_calls.providers(connection, self._run_id)
        config = self._live.run(self._run_id).config
        return begun | background_calls.providers(config) | {name for name, _ in config.batching}

    def _settle_calls(self) -> None:
        """Settle abandoned calls: those of ended children, and background answers."""
        live = self._live
        if live.failure is not None:
            return
        try:
            sweep.release_owner(live.database, live.owner, runtime.making())
            if not self._polled:
                return
            config = live.run(self._run_id).config
            database, now = live.database, runtime.utc_now
            background_calls.cancel_abandoned(database, self._run_id, config, now)
            batched_calls.finish(database, self._run_id, config, live.owner, now, _CANCELS_WITHIN_S)
        except StoreFailed as error:
            live.give_up(error)


def _threads(provider: Provider) -> int:
    return provider.max_in_flight + threads_ahead(provider.max_in_flight)
