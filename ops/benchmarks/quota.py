"""Measures which share of providers' limits several workers use, and whether they exceed them."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from acm_workers import runtime, submit
from acm_workers.store import calls
from ops.benchmarks import cluster, planned
from ops.benchmarks.cluster import Machines
from ops.benchmarks.table import Measured, Target
from schemas.run import Run
from tests.support import simulator
from tests.support.simulator import Simulator

_WORKERS = 4
_THREADS = 16
_SPARE = 1.3
"""Factor of planned work over the expected work, so that work does not run out."""
_USED = 0.97
_SOLO = 0.95
_BEGINS_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.1


class QuotaCase(NamedTuple):
    """A provider with limits, and the load on it.

    Attributes:
        name: Name of the provider and its queues.
        most: Requests or tokens per minute that the effective limit allows.
        binds: The effective limit.
        settle_s: Time from the first request to the start of the measurement.
    """

    name: str
    latency_s: float
    limits: dict[str, int]
    binds: str
    most: float
    settle_s: float
    measured_s: float

    @property
    def units(self) -> int:
        """Return the number of calls to plan, for whole documents."""
        requests = self.most / (_TOKENS if self.binds == "tokens" else 1)
        number = requests / 60 * (self.settle_s + self.measured_s) * _SPARE
        return planned.whole(number)


class UsedQuota(NamedTuple):
    """The requests and tokens per minute that a provider counted."""

    requests: float
    tokens: float


_RPM, _PLACES, _TPM = 600, 32, 660_000
_SHORT_RPM = 1200
_TOKENS = 1_500
"""Lower bound of the tokens of a call."""
_FAST_S, _SLOW_S = 0.5, 5.0
_BOTH = {"requests_per_minute": _RPM, "max_in_flight": _PLACES}


def _full(measured_s: float) -> list[QuotaCase]:
    tokens = {"tokens_per_minute": _TPM, "max_in_flight": _PLACES}
    slowly = 60 * _PLACES / _SLOW_S
    return [
        QuotaCase("fast", _FAST_S, _BOTH, "requests", _RPM, 10, measured_s),
        QuotaCase("slow", _SLOW_S, _BOTH, "in flight", slowly, 15, measured_s),
        QuotaCase("wordy", _FAST_S, tokens, "tokens", _TPM, 10, measured_s),
    ]


def _short() -> list[QuotaCase]:
    # What a busy machine can do as well.
    limits = {"requests_per_minute": _SHORT_RPM, "max_in_flight": _PLACES}
    return [QuotaCase("fast", _FAST_S, limits, "requests", _SHORT_RPM, 3, 10)]


def measure(minutes: float, *, short: bool = False) -> Measured:
    """Measure each limit for a duration, then two providers, one of which has a very low limit."""
    cases = _short() if short else _full(60 * minutes)
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    with cluster.machines() as machines:
        _staff(machines, *[[case.name for case in cases]] * _WORKERS)
        for case in cases:
            row = _at_limit(machines, case)
            rows.append(row)
            targets += _targets(case, row)
    if not short:
        row, share = _beside(60 * minutes / 2)
        rows.append(row)
        targets.append(Target("speed beside a throttled provider / alone", share, _SOLO, True))
    return Measured("quota", rows, targets)


def _at_limit(machines: Machines, case: QuotaCase) -> dict[str, Any]:
    settings: dict[str, object] = {"latency_s": case.latency_s}
    if "requests_per_minute" in case.limits:
        settings["rpm"] = case.limits["requests_per_minute"]
    if "tokens_per_minute" in case.limits:
        settings["tpm"] = case.limits["tokens_per_minute"]
    with simulator.running(**settings) as provider:
        run = _begin(machines, [(case, provider)])
        used = _measured(provider, case)
        _end(machines, run)
        return _row(case, used, provider.stats())


def _beside(measured_s: float) -> tuple[dict[str, Any], float]:
    """Return the figures of a provider next to a throttled one, and its share of its solo speed."""
    most = 60 * _THREADS / _FAST_S
    free = QuotaCase("free", _FAST_S, {"max_in_flight": _THREADS}, "in flight", most, 5, measured_s)
    throttled = QuotaCase("throttled", _FAST_S, {"requests_per_minute": 60}, "requests", 60, 5, 600)
    with (
        cluster.machines() as machines,
        simulator.running(latency_s=_FAST_S) as provider,
        simulator.running(latency_s=_FAST_S, rpm=60) as other,
    ):
        _staff(machines, ["free"], ["free"], ["throttled"], ["throttled"])
        run = _begin(machines, [(free, provider)])
        alone = _measured(provider, free)
        _end(machines, run)
        run = _begin(machines, [(free, provider), (throttled, other)])
        beside = _measured(provider, free)
        _end(machines, run)
        return _row(free, beside, provider.stats()), beside.requests / alone.requests


def _staff(machines: Machines, *providers: Sequence[str]) -> None:
    """Start a worker for control, and one for each group of providers."""
    machines.cluster.start("control", threads=4)
    for names in providers:
        machines.cluster.start(*(f"judge.{name}" for name in names), threads=_THREADS)
    machines.cluster.ready(1 + len(providers))


def _begin(machines: Machines, asked: Sequence[tuple[QuotaCase, Simulator]]) -> Run:
    """Start a run with as many calls at each provider as the first one needs."""
    limits = {case.name: {"base_url": provider.url, **case.limits} for case, provider in asked}
    # The same request twice would be answered from the store.
    wanted = planned.config(limits, cache="off")
    run = planned.seed(machines.database, wanted, asked[0][0].units)
    machines.hand_over(run)
    return run


def _end(machines: Machines, run: Run) -> None:
    """Cancel the rest of a run, and wait for its calls in flight."""
    submit.cancel(machines.database, run.id, runtime.making())
    until = time.monotonic() + _BEGINS_WITHIN_S
    while _in_flight(machines, run):
        if time.monotonic() > until:
            raise RuntimeError(f"calls do not end\n{machines.cluster.logs()}")
        time.sleep(_LOOK_EVERY_S)


def _in_flight(machines: Machines, run: Run) -> int:
    with machines.database.read() as connection:
        return calls.totals(connection, run.id).in_flight


def _measured(provider: Simulator, case: QuotaCase) -> UsedQuota:
    before = provider.stats()
    until = time.monotonic() + _BEGINS_WITHIN_S
    while provider.stats()["requests"] == before["requests"]:
        if time.monotonic() > until:
            raise RuntimeError("nothing is asked")
        time.sleep(_LOOK_EVERY_S)
    time.sleep(case.settle_s)
    began, first = time.monotonic(), provider.stats()
    time.sleep(case.measured_s)
    took_s, last = time.monotonic() - began, provider.stats()
    tokens = sum(last["tokens"].values()) - sum(first["tokens"].values())
    return UsedQuota(60 * (_answers(last) - _answers(first)) / took_s, 60 * tokens / took_s)


def _answers(stats: dict[str, Any]) -> int:
    return int(stats["by_status"].get("200", 0))


def _row(case: QuotaCase, used: UsedQuota, stats: dict[str, Any]) -> dict[str, Any]:
    amount = used.tokens if case.binds == "tokens" else used.requests
    return {
        "provider": case.name, "latency_s": case.latency_s, "binds": case.binds,
        "allowed/min": case.most, "used/min": amount, "share": amount / case.most,
        "requests in 60 s": stats["max_in_60s"], "tokens in 60 s": stats["max_tokens_in_60s"],
        "in flight": stats["in_flight_max"], "refused": stats["rate_limited"],
    }  # fmt: skip


def _targets(case: QuotaCase, row: dict[str, Any]) -> list[Target]:
    name, limits = case.name, case.limits
    found = [
        Target(f"{name}: share of {case.binds} used", row["share"], _USED, True),
        Target(f"{name}: most in flight", row["in flight"], limits["max_in_flight"]),
        Target(f"{name}: rate-limit errors", row["refused"], 0),
    ]
    if "requests_per_minute" in limits:
        rpm = limits["requests_per_minute"]
        found.append(Target(f"{name}: requests in any 60 s", row["requests in 60 s"], rpm))
    if "tokens_per_minute" in limits:
        tpm = limits["tokens_per_minute"]
        found.append(Target(f"{name}: tokens in any 60 s", row["tokens in 60 s"], tpm))
    return found
