"""Measures the cost of a run with a million comparisons, and whether costs grow with its size.

The store contains written candidates with planned comparisons. A client submits them to workers;
one process serves ``control``, and two machines process some of them at a provider that answers
immediately. These two machines and the provider run at a lower priority than the server and the
store, because they would be separate machines.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy import text

from acm_workers import broker
from acm_workers.engine import advance, publish
from acm_workers.pipeline.next_step import outcome
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from ops.benchmarks import api_server, cluster, planned, processes, scale_costs
from ops.benchmarks.api_server import Latency
from ops.benchmarks.cluster import Machines
from ops.benchmarks.scale_costs import Meter
from ops.benchmarks.table import Measured, Target
from schemas import lanes
from schemas.config.config import Config
from schemas.run import Run
from tests.support import api_process, simulator
from tests.support.api_process import ApiProcess
from tests.support.cluster import Worker
from tests.support.project import Project

COMPARISONS = 1_000_000
WORKED = 50_000
_CANDIDATES = 23
_JUDGES = 2
_A_DOCUMENT = _JUDGES * _CANDIDATES * (_CANDIDATES - 1)
"""Each judge compares each pair in both orders."""

_THREADS = 32
_IDLE_S = 30.0
_FOLLOWED_S = 10.0
_REQUESTS = 400
_LOOK_EVERY_S = 0.2
_GIVEN_UP_AFTER_S = 1200.0
_MOST_MB = 200.0
_GROWTH = 1.05
"""Maximum growth of memory in the second half; before, caches of texts and statements grow."""

_MOST_ADVANCE_MS = 1000.0

_PLANNED = text(
    "INSERT INTO pairwise_comparisons (comparison_id, tenant_id, run_id, document_id,"
    " artifact_a_id, artifact_b_id, judge, judge_provider, judge_model, iteration, lane, state,"
    " epoch, attempts, failures, rests, created_at)"
    " SELECT lpad((row_number() OVER (ORDER BY a.artifact_id, b.artifact_id, judge))::text, 26,"
    " '0'), a.tenant_id, a.run_id, a.document_id, a.artifact_id, b.artifact_id, 'j' || judge,"
    " 'alpha', 'sim-' || judge, 1, :lane, 'planned', 0, 0, 0, false, a.created_at"
    " FROM artifacts a JOIN artifacts b USING (document_id)"
    " CROSS JOIN generate_series(0, :judges - 1) judge"
    " WHERE a.run_id = :run AND a.artifact_id <> b.artifact_id"
)


class FigureSheet:
    """Collects figures with their limits, if any."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.targets: list[Target] = []

    def add(self, what: str, value: float, limit: float | None = None) -> None:
        """Add one figure."""
        self.rows.append({"what": what, "value": float(value), "limit": limit})
        if limit is not None:
            self.targets.append(Target(what, value, limit))


def measure(comparisons: int, worked: int) -> Measured:
    """Plan ``comparisons`` in one run, and process ``worked`` of them."""
    number = -(-comparisons // _A_DOCUMENT)
    sheet = FigureSheet()
    with simulator.running(latency_s=0) as provider, cluster.machines() as machines:
        processes.yield_processors(provider.pid)
        run = _seed(machines.database, _config(provider.url), number)
        sheet.add("documents", number)
        sheet.add("comparisons planned", number * _A_DOCUMENT)
        control = machines.cluster.start("control", threads=4)
        machines.cluster.ready(1, _GIVEN_UP_AFTER_S)
        enqueued_s, client_mb = _enqueued(machines, run)
        sheet.add("first 5,000 messages in s", enqueued_s, 60)
        sheet.add("client MB", client_mb, _MOST_MB)
        sheet.add("sweep, % of a core", 100 * _idle_share(machines, control), 5)
        with api_process.serving(machines.env) as server:
            for name, path in api_server.paths(run.id).items():
                idle = Latency.of([api_server.took_ms(server, path) for _ in range(_REQUESTS)])
                sheet.add(f"{name}, idle: p50 ms", idle.p50)
                sheet.add(f"{name}, idle: p99 ms", idle.p99, api_server.MOST_MS)
            _work_off(sheet, machines, control, server, run, worked)
        sheet.add("advance of a document in ms", _advance_ms(machines.database, run),
                  _MOST_ADVANCE_MS)  # fmt: skip
        ended = "select count(*) from documents where state = 'done'"
        sheet.add("documents decided", machines.cluster.number(ended))
    return Measured("scale", sheet.rows, sheet.targets)


def _work_off(
    sheet: FigureSheet,
    machines: Machines,
    control: Worker,
    server: ApiProcess,
    run: Run,
    worked: int,
) -> None:
    """Run two machines: first to measure the cost of a call, then during requests."""
    workers = [machines.cluster.start("judge.alpha", threads=_THREADS) for _ in range(2)]
    machines.cluster.ready(3, _GIVEN_UP_AFTER_S)
    processes.yield_processors(*(worker.process.pid for worker in workers))
    pids = {"control": control.process.pid, "server": server.pid, "redis": machines.redis.pid}
    pids |= {f"worker {place}": one.process.pid for place, one in enumerate(workers, 1)}
    _until_done(machines, worked // 10)
    early_mb = {name: processes.rss_mb(pid) for name, pid in pids.items()}
    meter = Meter(machines, pids)
    _until_done(machines, worked // 2)
    for what, value in meter.per_call().items():
        sheet.add(what, value)
    half_mb = {name: processes.rss_mb(pid) for name, pid in pids.items()}
    took_ms = _until_done(machines, worked, server, run)
    for name, samples in took_ms.items():
        busy = Latency.of(samples)
        sheet.add(f"{name}, at work: p50 ms", busy.p50)
        sheet.add(f"{name}, at work: p99 ms", busy.p99, api_server.MOST_MS)
    for name, pid in pids.items():
        used_mb = processes.rss_mb(pid)
        sheet.add(f"{name} MB", used_mb, _MOST_MB if name == "redis" else None)
        if name != "redis":
            sheet.add(f"memory of {name}, end / early", used_mb / early_mb[name])
            sheet.add(f"memory of {name}, end / half", used_mb / half_mb[name], _GROWTH)
    sheet.add("Redis used MB", scale_costs.used_mb(machines), _MOST_MB)


def _config(url: str) -> Config:
    return planned.config(
        {"alpha": {"base_url": url, "max_in_flight": 2 * _THREADS}},
        judges=[],
        cache="off",
        pairwise={
            "strategy": "round_robin", "position_swap": "both",
            "judges": [{"name": f"j{number}", "provider": "alpha", "model": f"sim-{number}"}
                       for number in range(_JUDGES)],
        },
    )  # fmt: skip


def _seed(database: Database, config: Config, number: int) -> Run:
    """Write a run with planned comparisons, without sending messages."""
    run = planned.written(database, config, number, _CANDIDATES)
    values = {"run": run.id, "lane": lanes.judge("alpha"), "judges": _JUDGES}
    with database.write() as connection:
        connection.execute(_PLANNED, values)
        connection.execute(text("UPDATE documents SET stage = 'compare'"))
    with database.autocommit() as connection:
        connection.execute(text("VACUUM ANALYZE"))
    return run


def _enqueued(machines: Machines, run: Run) -> tuple[float, float]:
    """Submit a run to workers; return the time until the queue is full, and the client's memory."""
    env = machines.cluster.env
    settings = Settings(
        broker_url=env["ACM_BROKER_URL"], key_prefix=env["ACM_KEY_PREFIX"], home=machines.folder
    )
    queue = lanes.judge("alpha")
    until = time.monotonic() + _GIVEN_UP_AFTER_S
    with tempfile.TemporaryDirectory() as folder:
        client = Project(Path(folder), {}, {})
        began = time.monotonic()
        with client.started("resume", run.id, "--json", env=env) as command:
            while broker.backlog(settings, [queue])[queue] < publish.ENOUGH:
                if command.ended or time.monotonic() > until:
                    raise RuntimeError(f"no messages are sent; the client says: {command.told()}")
                time.sleep(_LOOK_EVERY_S)
            enqueued_s = time.monotonic() - began
            time.sleep(_FOLLOWED_S)
            return enqueued_s, processes.peak_mb(command.pid)


def _idle_share(machines: Machines, control: Worker) -> float:
    """Return the share of a core that the search for work takes while the queue is full."""
    time.sleep(_FOLLOWED_S)  # what was sent is written

    def cpu_s() -> float:
        return processes.cpu_s(control.process.pid) + processes.family_cpu_s(machines.postgres.pid)

    before_s, began = cpu_s(), time.monotonic()
    time.sleep(_IDLE_S)
    return (cpu_s() - before_s) / (time.monotonic() - began)


def _until_done(
    machines: Machines, worked: int, server: ApiProcess | None = None, run: Run | None = None
) -> dict[str, list[float]]:
    """Wait until comparisons are processed; return the response times meanwhile, by route."""
    done = "select count(*) from pairwise_comparisons where state = 'done'"
    paths = {} if server is None or run is None else api_server.paths(run.id)
    took_ms: dict[str, list[float]] = {name: [] for name in paths}
    until = time.monotonic() + _GIVEN_UP_AFTER_S
    while machines.cluster.number(done) < worked:
        if time.monotonic() > until:
            raise RuntimeError(f"{worked} are not worked off\n{machines.cluster.logs()}")
        looked = time.monotonic() + 5
        while time.monotonic() < looked:
            for name, path in paths.items():
                assert server is not None  # noqa: S101  tells the type checker
                took_ms[name].append(api_server.took_ms(server, path))
            time.sleep(_LOOK_EVERY_S)
    return took_ms


def _advance_ms(database: Database, run: Run) -> float:
    """Return the duration of deciding one document, in the store and in Python."""
    with database.read() as connection:
        decided = connection.scalar(
            text("SELECT min(document_id) FROM documents WHERE state = 'done'")
        )
    began = time.perf_counter()
    with database.write() as connection:
        view = advance.view_of(connection, decided)
    outcome(view, run.config)
    return (time.perf_counter() - began) * 1000
