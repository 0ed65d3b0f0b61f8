"""Measures whether a run survives faults of all processes without paying for a call twice.

Workers are killed with SIGKILL continuously, Redis is killed and emptied, Postgres is killed, and
the provider is unreachable for a while. The run must end without help; then the ledger is compared
with the provider's log. One run is started by a client of the store, another by a server, which is
killed as well.
"""

import functools
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import select

from acm_workers.store import calls, results, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from ops.benchmarks import cluster, faults, reckoning
from ops.benchmarks.cluster import Machines
from ops.benchmarks.faults import Fault, KilledWorkers
from ops.benchmarks.reckoning import CallReckoning
from ops.benchmarks.table import Measured, Target
from tests.support import api_process, configs, postgres, proxy, simulator
from tests.support.api_process import ApiProcess
from tests.support.project import Command, Project
from tests.support.proxy import Proxy

_A_DOCUMENT = 10
_WORKERS = 4
_THREADS = 8
_RECOVERED_WITHIN_S = 60.0
_ENDS_WITHIN_S = 600.0
_EMBEDDED_KILLS = 3
_LOOK_EVERY_S = 0.1
UNSENT = 2

Happening = tuple[str, Callable[[], None]]


class Plan(NamedTuple):
    """Size of a run, and the pause between two faults.

    Attributes:
        units: Number of candidates, scores, comparisons and combinations of all documents.
        kills: Maximum number of killed workers; each may delay the run by the duration of a lease.
        clients: ``workers``: a client submits the run to workers; ``server``: a server does.
    """

    units: int
    latency_s: float
    in_flight: int
    peace_s: float
    kills: int
    clients: tuple[str, ...]


FULL = Plan(600, 1.0, 8, 5.0, 1000, ("workers", "server"))
SHORT = Plan(160, 0.8, 8, 1.0, 4, ("server",))


def measure(plan: Plan) -> Measured:
    """Run with all faults, with workers and in one process."""
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    with tempfile.TemporaryDirectory(prefix="acm-chaos-") as folder:
        for client in plan.clients:
            suffered, lost, found = _machines(plan, client, Path(folder) / client)
            worst_s = max(fault.recovered_s for fault in suffered)
            targets.append(Target(f"{client}: slowest recovery in s", worst_s, _RECOVERED_WITHIN_S))
            targets += _targets(client, lost, found)
            rows += [*_rows(suffered), *_books(client, lost, found)]
        lost, found = _embedded(plan, Path(folder) / "one")
    rows += _books("embedded", lost, found)
    return Measured("chaos", rows, [*targets, *_targets("embedded", lost, found)])


def _machines(plan: Plan, by: str, folder: Path) -> tuple[list[Fault], int, CallReckoning]:
    log = folder.with_suffix(".log")
    with (
        simulator.running(latency_s=plan.latency_s, log_file=log) as provider,
        proxy.running(urlsplit(provider.url).port or 0) as way,
        cluster.machines(postgres.SURVIVES_KILL) as machines,
    ):
        project = _project(folder, f"http://127.0.0.1:{way.port}/v1", plan.units, plan.in_flight)
        crew = _crew(machines, plan.kills)
        with ExitStack() as opened:
            opened.callback(crew.stop)
            environment, happenings = machines.cluster.env, _happenings(machines, way)
            if by == "server":
                server = opened.enter_context(api_process.serving(environment))
                environment = {"ACM_API_URL": server.url}
                happenings.append(("server killed and started again", lambda: _restart(server)))
            with project.started("run", "--json", env=environment) as client:
                suffered, before = _suffer(machines.database, happenings, client, crew, plan)
                outcome = client.end(_ENDS_WITHIN_S)
        if outcome.code != 0:
            raise RuntimeError(f"the client ended with {outcome.code}: {outcome.err}")
        return suffered, *_compared(machines.database, log, before)


def _crew(machines: Machines, kills: int) -> KilledWorkers:
    """Start workers for the provider, and one for control."""
    queues = [("control",), *[("generate.alpha", "judge.alpha")] * _WORKERS]
    crew = KilledWorkers(machines, queues, _THREADS, kills)
    machines.cluster.ready(len(queues))
    return crew


def _happenings(machines: Machines, way: Proxy) -> list[Happening]:
    return [
        ("Redis killed and started empty", functools.partial(faults.lose_redis, machines)),
        ("Redis FLUSHALL", functools.partial(faults.flush_redis, machines)),
        ("Postgres killed and started again", functools.partial(faults.kill_postgres, machines)),
        ("provider unreachable for 5 s", functools.partial(faults.shut_provider, way)),
    ]


def _restart(server: ApiProcess) -> None:
    server.kill()
    server.start()


def _suffer(
    database: Database,
    happenings: Sequence[Happening],
    client: Command,
    crew: KilledWorkers,
    plan: Plan,
) -> tuple[list[Fault], set[str]]:
    """Inject all faults one after another; return the units that were done before the last one."""
    _await(client, functools.partial(_has_done, database, plan.units // 20))
    crew.begin()
    suffered: list[Fault] = []
    before: set[str] = set()
    for what, happens in happenings:
        time.sleep(plan.peace_s)
        before |= _done(database)
        if client.ended:
            raise RuntimeError(f"the run ended before: {what}; it has to be longer")
        suffered.append(faults.suffer(what, happens, database))
    _await(client, lambda: client.ended, _ENDS_WITHIN_S)
    crew.stop()
    for at in crew.killed_at:
        recovered_s = faults.after(database, at)
        if recovered_s is not None:  # else the last call had been begun before
            suffered.append(Fault("kill -9 of a worker", at, recovered_s))
    return suffered, before


def _embedded(plan: Plan, folder: Path) -> tuple[int, CallReckoning]:
    """Kill the only process repeatedly; the same command resumes the run each time."""
    log = folder.with_suffix(".log")
    with simulator.running(latency_s=plan.latency_s / 4, log_file=log) as provider:
        project = _project(folder, provider.url, plan.units // 5, plan.in_flight)
        before: set[str] = set()
        for kill in range(_EMBEDDED_KILLS):
            with project.started("run", "--json") as command, _store(project) as database:
                wanted = len(before) + plan.units // 25
                _await(command, functools.partial(_is_busy, database, wanted))
                command.send(signal.SIGKILL)
                if command.end().code != -signal.SIGKILL:
                    raise RuntimeError(f"the run ended before kill {kill + 1}")
                before |= _done(database)
        outcome = project.acm("run", "--json", deadline_s=_ENDS_WITHIN_S)
        if outcome.code != 0:
            raise RuntimeError(f"the client ended with {outcome.code}: {outcome.err}")
        with _store(project) as database:
            return _compared(database, log, before)


@contextmanager
def _store(project: Project) -> Iterator[Database]:
    file = project.folder / ".acm" / "acm.db"
    until = time.monotonic() + _RECOVERED_WITHIN_S
    while not project.number("select count(*) from runs"):
        if time.monotonic() > until:
            raise RuntimeError("the run does not begin")
        time.sleep(_LOOK_EVERY_S)
    with closing(Database(f"sqlite:///{file}")) as database:
        yield database


def _project(folder: Path, url: str, units: int, in_flight: int) -> Project:
    texts = {
        f"{number}.md": f"# Document {number}\n\nIt tells what document {number} has to tell.\n"
        for number in range(-(-units // _A_DOCUMENT))
    }
    alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=in_flight)
    changes: dict[str, Any] = {"pairwise": {"position_swap": "random"}}
    # Pauses are drawn: the sum of fewer might be shorter than the outage.
    changes["retries"] = {"attempts": 20, "base_delay_seconds": 0.5, "max_delay_seconds": 4.0}
    return Project(folder, configs.base({"alpha": alpha}, **changes), texts)


def _compared(database: Database, log: Path, before: set[str]) -> tuple[int, CallReckoning]:
    """Return the number of missing results, and the calls of ledger and provider."""
    with database.read() as connection:
        run = runs.latest(connection)
        progress = results.progress(connection, run.id)
        sent = calls.of_run(connection, run.id)
    states = [*progress.units.values(), progress.stages]
    unfinished = sum(sum(found.values()) - found.get("done", 0) for found in states)
    lost = len(before - _done(database)) + unfinished
    for why in _failures(database):
        print(f"failed: {why}", file=sys.stderr)  # noqa: T201
    return lost, reckoning.reckon(sent, reckoning.arrived(log))


def _done(database: Database) -> set[str]:
    """Return the finished units."""
    found: set[str] = set()
    with database.read() as connection:
        for row in UNIT_ROWS.values():
            found |= set(connection.scalars(select(row.id).where(row.state == "done")))
    return found


def _failures(database: Database) -> list[str]:
    """Return the reasons of failed units."""
    found: list[str] = []
    with database.read() as connection:
        for row in UNIT_ROWS.values():
            found += connection.scalars(select(row.error).where(row.state == "failed"))
    return found


def _has_done(database: Database, number: int) -> bool:
    return len(_done(database)) >= number


def _is_busy(database: Database, number: int) -> bool:
    """Return whether a number of units is done and calls are in flight."""
    with database.read() as connection:
        in_flight = calls.totals(connection, runs.latest(connection).id).in_flight
    return in_flight > 0 and _has_done(database, number)


def _await(client: Command, condition: Callable[[], bool], within_s: float = 120.0) -> None:
    """Wait for a condition while a client runs."""
    until = time.monotonic() + within_s
    while not client.ended and not condition():
        if time.monotonic() > until:
            raise RuntimeError(f"it did not come about in {within_s:g} s: {client.told()}")
        time.sleep(_LOOK_EVERY_S)


def _rows(suffered: Sequence[Fault]) -> list[dict[str, Any]]:
    began = min(fault.at for fault in suffered)
    return [
        {"what": fault.what, "at_s": (fault.at - began).total_seconds(),
         "recovered_s": fault.recovered_s, "number": None}
        for fault in sorted(suffered, key=lambda fault: fault.at)
    ]  # fmt: skip


def _books(where: str, lost: int, found: CallReckoning) -> list[dict[str, Any]]:
    numbers = {"results lost": lost, **found._asdict()}
    return [
        {"what": f"{where}: {name.replace('_', ' ')}", "at_s": None, "recovered_s": None,
         "number": number}
        for name, number in numbers.items()
    ]  # fmt: skip


def _targets(where: str, lost: int, found: CallReckoning) -> list[Target]:
    return [
        Target(f"{where}: results lost", lost, 0),
        Target(f"{where}: finished calls sent again", found.paid_again, 0),
        Target(f"{where}: requests unknown to the store", found.unexplained, 0),
        # A worker that dies within the millisecond between writing down a call and sending it.
        Target(f"{where}: uncertain calls never sent", found.unsent, UNSENT),
    ]
