"""Measures the duration of judging, compared with the ideal and with a raw client.

The store contains written candidates with planned scores, as after an interrupted run. The embedded
engine resumes it, and then two workers on Redis and Postgres do. Each worker runs on one processor,
as with ``CPUAffinity=`` on a separate machine.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from acm_workers.engine import embedded
from acm_workers.providers.dialects import openai_chat
from acm_workers.store import calls
from acm_workers.store.connection.database import Database
from ops.benchmarks import cluster, engine, planned, processes, raw
from ops.benchmarks.raw import ClientUsage
from ops.benchmarks.table import Measured, Target
from schemas.calls import Message, Request
from schemas.config.config import Config
from schemas.run import Run
from tests.support.simulator import running

_WORKERS = 2
_WARM_WITHIN_S = 120.0
_TIMES_IDEAL = 20


class Workload(NamedTuple):
    """Number, duration and concurrency of calls."""

    calls: int
    latency_s: float
    in_flight: int

    @property
    def ideal_s(self) -> float:
        """Return the duration of the calls at constant concurrency."""
        return self.calls * self.latency_s / self.in_flight


WORKLOADS = (Workload(1000, 0.5, 64), Workload(2500, 5.0, 500))


def measure(workloads: Sequence[Workload] = WORKLOADS) -> Measured:
    """Judge the calls of each workload: by a raw client, the embedded engine, and workers."""
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    for workload in workloads:
        found = _measure(workload)
        name = f"{workload.calls} x {workload.latency_s:g} s at {workload.in_flight}"
        rows += [
            {"workload": name, "what": what, "wall_s": spent.wall_s, "ideal_s": workload.ideal_s,
             "wall/ideal": spent.wall_s / workload.ideal_s,
             "cpu_ms/call": 1000 * spent.cpu_s / workload.calls}
            for what, spent in found.items()
        ]  # fmt: skip
        for what, most in (("embedded", 1.12), ("distributed", 1.15)):
            spent = found[what]
            targets += [
                Target(f"{name}: {what} wall / ideal", spent.wall_s / workload.ideal_s, most),
                Target(
                    f"{name}: {what} CPU of a call in ms", 1000 * spent.cpu_s / workload.calls, 6.0
                ),
            ]
    return Measured("judge", rows, targets)


def _measure(workload: Workload) -> dict[str, ClientUsage]:
    number, latency_s, in_flight = workload
    with running(latency=latency_s) as simulator:
        body = _body()
        raw.ask(simulator.url, "chat/completions", [body] * in_flight, in_flight)  # warm-up
        return {
            "raw client": raw.ask(simulator.url, "chat/completions", [body] * number, in_flight),
            "embedded": _engine(simulator.url, number, in_flight),
            "distributed": _workers(simulator.url, workload),
        }


def _engine(url: str, number: int, in_flight: int) -> ClientUsage:
    with engine.store() as database:
        run = planned.seed(database, _config(url, in_flight), number)
        spent = engine.work(database, run)
        _check(database, run, number)
        return spent


def _workers(url: str, workload: Workload) -> ClientUsage:
    """Return the resources of the workers, including the worker for control."""
    number, in_flight = workload.calls, workload.in_flight
    threads = (in_flight + embedded.threads_ahead(in_flight)) // _WORKERS
    with cluster.machines() as machines:
        # Documents are alike: the second run must not be answered from the first.
        config = _config(url, in_flight).model_copy(update={"cache": "off"})
        workers = [machines.cluster.start("control", threads=4)]
        for _ in range(_WORKERS):
            workers.append(machines.cluster.start("judge.alpha", threads=threads))
        machines.cluster.ready(len(workers))
        for place, worker in enumerate(workers[1:]):
            processes.keep_to_processor(place, worker.process.pid)
        # Where Redis is new, limits are careful for some seconds.
        warm_up = planned.seed(machines.database, config, planned.A_DOCUMENT)
        machines.hand_over(warm_up)
        machines.ended(warm_up, _WARM_WITHIN_S)
        run = planned.seed(machines.database, config, number)
        pids = [worker.process.pid for worker in workers]
        cpu_s = processes.cpu_s(*pids)
        begun_at = machines.hand_over(run)
        ended_at = machines.ended(run, 60 + _TIMES_IDEAL * workload.ideal_s)
        spent = ClientUsage((ended_at - begun_at).total_seconds(), processes.cpu_s(*pids) - cpu_s)
        _check(machines.database, run, number)
        return spent


def _check(database: Database, run: Run, number: int) -> None:
    with database.read() as connection:
        totals = calls.totals(connection, run.id)
    if totals.sent != number or totals.failed:
        raise RuntimeError(f"expected {number} good calls, found {totals}")


def _config(url: str, in_flight: int) -> Config:
    return planned.config({"alpha": {"base_url": url, "max_in_flight": in_flight}})


def _body() -> bytes:
    """Return a typical request of a judge."""
    message = Message(role="user", content=planned.TEXT * 2 + "Answer with the JSON object {}.")
    request = Request(provider="alpha", model="sim-j", messages=(message,), max_tokens=4096)
    provider = _config("http://127.0.0.1/v1", 1).providers["alpha"]
    return json.dumps(openai_chat.body(request, provider)).encode()
