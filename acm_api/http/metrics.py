"""Metrics for Prometheus, computed from the store and the broker at each scrape."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from acm_workers.errors import StoreFailed
from acm_workers.monitoring.counts import CallCounter
from acm_workers.monitoring.state import SystemState, SystemStateReader
from acm_workers.settings import Settings
from acm_workers.store import call_metrics
from acm_workers.store.call_metrics import KINDS, CallKind, CallSums
from acm_workers.store.connection.database import Database
from schemas import lanes
from schemas.scope import unqualified

_CALL = ["provider", "model"]


class Metrics:
    """The metrics of one store and its broker."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._has_broker = settings.broker_url is not None
        self._observer = SystemStateReader(database, settings)
        self._counts = CallCounter(database)
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        text: bytes = generate_latest(self._registry)
        return text

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics except unknown ones."""
        try:
            state = self._observer.look()
            counted = self._counts.read(state.now)
            with self._database.read() as connection:
                in_flight = call_metrics.in_flight(connection)
                runs = call_metrics.runs(connection)
        except StoreFailed:
            yield GaugeMetricFamily("acm_store_up", "Whether the store answers.", 0)
            return
        yield GaugeMetricFamily("acm_store_up", "Whether the store answers.", 1)
        yield _gauge("runs", "Runs by state.", ["state"], _single(runs))
        yield _gauge("in_flight", "Calls in flight.", ["provider"], _single(in_flight))
        yield from self._machines(state)
        if counted is not None:
            yield from _calls(counted)

    def _machines(self, state: SystemState) -> Iterator[Metric]:
        if not self._has_broker:
            return
        up = GaugeMetricFamily("acm_broker_up", "Whether the broker answers.")
        up.add_metric([], 0 if state.queues is None else 1)
        yield up
        processes = [
            (["alive"], len(state.alive)),
            (["dead"], len(state.processes) - len(state.alive)),
        ]
        about = "Worker processes; dead: no heartbeat for 20 s; listed for an hour."
        yield _gauge("worker_processes", about, ["state"], processes)
        yield _gauge("waiting_units", "Waiting units.", ["provider", "reason"], _waits(state))
        if state.queues is not None:
            messages: dict[str, int] = {}
            served: dict[str, int] = {}
            for queue, number in state.queues.items():
                lane, servers = lanes.lane_of(queue), state.servers(queue)
                messages[lane] = messages.get(lane, 0) + number
                served[lane] = min(served.get(lane, servers), servers)
            yield _gauge("queue_messages", "Waiting messages.", ["queue"], _single(messages))
            about = "Live processes that serve a queue; the fewest, if each tenant has its own."
            yield _gauge("queue_processes", about, ["queue"], _single(served))
            paused: dict[str, int] = {}
            for name, limits in state.limits.items():
                provider, is_paused = unqualified(name), int(limits["paused"] is not None)
                paused[provider] = max(paused.get(provider, 0), is_paused)
            about = "Whether a provider of any tenant is paused because of its money, quota or key."
            yield _gauge("provider_paused", about, ["provider"], _single(paused))
            about = "Entries of worker processes in Redis that cannot be read."
            yield GaugeMetricFamily("acm_unreadable_worker_entries", about, state.unreadable)
        if state.swept_at is not None:
            age_s = max((state.now - state.swept_at).total_seconds(), 0.0)
            about = "Seconds since the last sweep for lost messages."
            yield GaugeMetricFamily("acm_sweep_age_seconds", about, age_s)


def _calls(counted: Mapping[CallKind, CallSums]) -> Iterator[Metric]:
    calls = _counter(
        "calls", "Calls that ended; cached: answered without a request.", [*_CALL, "status"]
    )
    errors = _counter("call_errors", "Failed calls by error.", [*_CALL, "kind"])
    tokens = _counter("tokens", "Tokens of sent calls by kind.", [*_CALL, "kind"])
    cost = _counter("cost_usd", "Known cost of calls.", _CALL)
    unpriced = _counter("calls_of_unknown_cost", "Answered calls without a known price.", _CALL)
    for (labels, status), tally in _summed(
        counted, lambda kind: "cached" if kind.cached else kind.state
    ).items():
        calls.add_metric([*labels, status], tally.calls)
    for (labels, error), tally in _summed(counted, lambda kind: kind.error or "").items():
        if error:
            errors.add_metric([*labels, error], tally.calls)
    for (labels, cached), tally in _summed(counted, lambda kind: str(kind.cached)).items():
        if cached == str(True):
            continue
        for kind, number in zip(KINDS, tally.tokens, strict=True):
            tokens.add_metric([*labels, kind], number)
        cost.add_metric(labels, tally.cost_usd)
        unpriced.add_metric(labels, tally.unpriced)
    yield from (calls, errors, tokens, cost, unpriced)


def _summed(
    counted: Mapping[CallKind, CallSums], by: Any
) -> dict[tuple[tuple[str, str], str], CallSums]:
    """Return the sums of the tallies with equal provider, model and ``by``."""
    found: dict[tuple[tuple[str, str], str], CallSums] = {}
    for kind, tally in sorted(counted.items(), key=str):
        key = ((kind.provider, kind.model), by(kind))
        found[key] = found[key].plus(tally) if key in found else tally
    return found


def _waits(state: SystemState) -> Iterator[tuple[list[str], float]]:
    found: dict[tuple[str, str], int] = {}
    for waiting in state.waiting.values():
        for held in waiting:
            # The reasons of pauses and budgets are sentences; each would become a new series.
            word = held.reason.partition(":")[0]
            key = (held.provider, word if " " not in word else "budget")
            found[key] = found.get(key, 0) + held.units
    for (provider, reason), number in sorted(found.items()):
        yield [provider, reason], number


def _single(numbers: Mapping[str, int]) -> Iterator[tuple[list[str], float]]:
    for label, number in sorted(numbers.items()):
        yield [label], number


def _gauge(
    name: str, about: str, labels: list[str], values: Iterable[tuple[list[str], float]]
) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(f"acm_{name}", about, labels=labels)
    for label, value in values:
        gauge.add_metric(label, value)
    return gauge


def _counter(name: str, about: str, labels: list[str]) -> CounterMetricFamily:
    return CounterMetricFamily(f"acm_{name}", about, labels=labels)
