"""Measures the overhead of the gateway compared with a direct client, and reservations after kills.

Streams: 100 at a time, 5 s each, 20 events a second, through a worker on one processor while the
provider and the children share another. Kills: children with one call in flight, and workers with
ten.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import func, select

from acm_workers import runtime
from acm_workers.engine import sweep
from acm_workers.store import budgets, calls, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import BudgetRow, CallRow
from ops.benchmarks import engine, paced_streams, processes
from ops.benchmarks.paced_streams import Arrivals
from ops.benchmarks.table import Measured, Target
from schemas.units import Artifact
from tests.support import gateways, stored
from tests.support.project import wait_until
from tests.support.simulator import Simulator, running

_OUTSIDE, _INSIDE = 0, 1
"""Processors of the provider and the children, and of the worker."""

_AT_ONCE = 100
_STREAM_S = 5.0
_PER_SECOND = 20
_UNITS = 10
_KILLS_A_ROUND = 100
_MOST_LIFE_S = 0.3
_PACED = {
    "model": f"sim-a@L0@E{_PER_SECOND}",
    "messages": [{"role": "user", "content": "Write a report."}],
    "max_tokens": 600,
    "stream": True,
}
_CHILD = """
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(sys.stdin.buffer.read())
print(flush=True)
while connection.recv(65536):
    pass
"""


class OpenGateway(NamedTuple):
    """A worker with open units: the port of its gateway, and the tokens of the units."""

    process: "subprocess.Popen[str]"
    port: int
    tokens: list[str]


class GatewayBooks(NamedTuple):
    """Records after all kills, and the provider's bill."""

    sent: int
    uncertain: int
    started: int
    known_usd: float
    most_usd: float
    taken_usd: float
    billed_usd: float


def measure(*, short: bool = False) -> Measured:
    """Measure streams, whole answers, and kills."""
    with running(latency=0.0) as simulator:
        processes.keep_to_processor(_OUTSIDE, simulator.pid)
        with processes.kept_to_processor(_OUTSIDE):
            rows, targets = _streams(simulator, rounds=1 if short else 3)
            whole, more = _whole(simulator, 200 if short else 1000)
        books, killed = _deaths(simulator, rounds=1 if short else 10)
    rows += whole
    left = books.started + (abs(books.taken_usd - books.most_usd) > 1e-9)
    sound = books.known_usd - 1e-9 <= books.billed_usd <= books.most_usd + 1e-9
    rows.append({"what": f"{killed} deaths", "calls": books.sent, "uncertain": books.uncertain,
                 "booked_usd": books.known_usd, "billed_usd": books.billed_usd,
                 "at_most_usd": books.most_usd})  # fmt: skip
    targets += more
    targets += [
        Target(f"reservations left after {killed} deaths", left, 0),
        Target("bills outside of what is booked", float(not sound), 0),
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    return Measured("gateway", [{name: row.get(name) for name in names} for row in rows], targets)


def _streams(simulator: Simulator, rounds: int) -> tuple[list[dict[str, Any]], list[Target]]:
    """Read paced streams from the provider, and then through the gateway."""
    number = _AT_ONCE * rounds
    port = int(simulator.root.rpartition(":")[2])
    direct, _ = _read(port, ["key"] * number)
    with engine.store() as database, _worker(database, simulator) as worker:
        tokens = [worker.tokens[place % _UNITS] for place in range(number)]
        through, cpu_s = _read(worker.port, tokens, worker.process.pid)
    rows = [_row("streams, direct", direct), _row("streams, gateway", through, cpu_s)]
    targets = []
    for what, mine, theirs in (
        ("the first byte", through.first_s, direct.first_s),
        ("each event", through.events_s, direct.events_s),
    ):
        for percent, limit in ((50, 2.0), (99, 10.0)):
            added_ms = 1000 * (_percentile(mine, percent) - _percentile(theirs, percent))
            targets.append(Target(f"p{percent} added to {what} in ms", added_ms, limit))
    return rows, targets


def _read(port: int, tokens: Sequence[str], pid: int | None = None) -> tuple[Arrivals, float]:
    """Read one stream for each token, on open connections.

    Returns:
        The measurement, and the CPU time of the process ``pid``.
    """
    client = paced_streams.StreamClient(port)
    short = _PACED | {"model": f"sim-a@L0@E{_PER_SECOND}@n2", "max_tokens": 6}
    client.read([_http(short, token) for token in tokens[:_AT_ONCE]], [0.0] * _AT_ONCE)
    cpu_s = 0.0 if pid is None else processes.cpu_s(pid)
    requests = [_http(_PACED, token) for token in tokens]
    seen = client.read(requests, _starts_s(len(requests)))
    client.close()
    return seen, 0.0 if pid is None else processes.cpu_s(pid) - cpu_s


def _starts_s(number: int) -> list[float]:
    """Return start times of streams with ``_AT_ONCE`` concurrent streams.

    Start times are irregular: at regular intervals equal to those of the events, all streams would
    have their events at the same moments.
    """
    draw = random.Random(7)  # noqa: S311  repeatable
    apart_s = _STREAM_S / _AT_ONCE
    return [apart_s * (place + draw.random()) for place in range(number)]


def _row(what: str, seen: Arrivals, cpu_s: float | None = None) -> dict[str, Any]:
    calls = len(seen.first_s)
    return {
        "what": what,
        "calls": calls,
        "at_once": seen.most_at_once,
        "events": len(seen.events_s),
        "first_p50_ms": 1000 * _percentile(seen.first_s, 50),
        "first_p99_ms": 1000 * _percentile(seen.first_s, 99),
        "event_p50_ms": 1000 * _percentile(seen.events_s, 50),
        "event_p99_ms": 1000 * _percentile(seen.events_s, 99),
        "cpu_ms/call": None if cpu_s is None else 1000 * cpu_s / calls,
    }


def _whole(simulator: Simulator, number: int) -> tuple[list[dict[str, Any]], list[Target]]:
    """Request whole answers, one at a time: directly, and through the gateway."""
    bodies = {"chat": gateways.CHAT, "embeddings": gateways.EMBEDDINGS}
    rows: list[dict[str, Any]] = []
    targets: list[Target] = []
    with engine.store() as database, _worker(database, simulator) as worker:
        for what, body in bodies.items():
            path = "embeddings" if what == "embeddings" else "chat/completions"
            port = int(simulator.root.rpartition(":")[2])
            theirs = paced_streams.read_whole(port, [_http(body, "key", path)] * number)
            cpu_s = processes.cpu_s(worker.process.pid)
            mine = paced_streams.read_whole(
                worker.port, [_http(body, worker.tokens[0], path)] * number
            )
            cpu_s = processes.cpu_s(worker.process.pid) - cpu_s
            for name, seen in (("direct", theirs), ("gateway", mine)):
                rows.append({"what": f"{what}, {name}", "calls": number, "at_once": 1,
                             "first_p50_ms": 1000 * _percentile(seen, 50),
                             "first_p99_ms": 1000 * _percentile(seen, 99)})  # fmt: skip
            rows[-1]["cpu_ms/call"] = 1000 * cpu_s / number
    return rows, targets


def _deaths(simulator: Simulator, rounds: int) -> tuple[GatewayBooks, int]:
    """Kill children and workers with calls in flight; return the records afterwards."""
    draw = random.Random(7)  # noqa: S311  repeatable
    before = simulator.stats()["billed"]["usd"]
    with engine.store() as database:
        run_id = _new_run(database)
        for _ in range(rounds):
            # A unit whose worker died six times fails, so each round has units of its own.
            with _worker(database, simulator, run_id) as worker:
                for place in range(0, _KILLS_A_ROUND - 1, _UNITS):
                    number = min(_UNITS, _KILLS_A_ROUND - 1 - place)
                    _kill_children(worker, worker.tokens[:number], draw)
                kept = [_child(worker, token, "@L5") for token in worker.tokens]
                wait_until(lambda: simulator.stats()["in_flight"] >= _UNITS)
                worker.process.kill()
                worker.process.wait()
                for child in kept:
                    _end(child)
            sweep.recover(database, run_id, "the next worker", runtime.making())
        wait_until(lambda: simulator.stats()["in_flight"] == 0)
        billed_usd = simulator.stats()["billed"]["usd"] - before
        return _books(database, run_id, billed_usd), rounds * _KILLS_A_ROUND


def _kill_children(worker: OpenGateway, tokens: Sequence[str], draw: random.Random) -> None:
    children = [_child(worker, token, "@E40@L0.05") for token in tokens]
    for child in children:
        _await_request(child)
    for child in children:
        time.sleep(draw.uniform(0, _MOST_LIFE_S / len(tokens)))
        _end(child)


def _await_request(child: "subprocess.Popen[bytes]") -> None:
    if child.stdout is None or not child.stdout.readline():
        raise RuntimeError("a child has not sent its request")


def _end(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _child(worker: OpenGateway, token: str, options: str) -> "subprocess.Popen[bytes]":
    body = gateways.CHAT | {"model": "sim-a" + options, "stream": True}
    command = [sys.executable, "-SEc", _CHILD, str(worker.port)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
    if child.stdin is None:
        raise RuntimeError("a child has no input")
    with child.stdin:
        child.stdin.write(_http(body, token))
    return child


@contextmanager
def _worker(
    database: Database, simulator: Simulator, run_id: str | None = None
) -> Iterator[OpenGateway]:
    """Run a worker with the open units of a new document."""
    units = _planned(database, run_id or _new_run(database))
    told = json.dumps([unit.model_dump(mode="json") for unit in units])
    url = database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.support.gateways", url, simulator.url, told]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        if process.stdout is None:
            raise RuntimeError("a worker has no output")
        try:
            found: dict[str, tuple[str, str]] = json.loads(process.stdout.readline())
            processes.keep_to_processor(_INSIDE, process.pid)
            opened = list(found.values())
            port = int(opened[0][0].removesuffix("/v1").rpartition(":")[2])
            yield OpenGateway(process, port, [token for _, token in opened])
        finally:
            process.kill()


def _new_run(database: Database) -> str:
    with database.write() as connection:
        return stored.run(connection).id


def _planned(database: Database, run_id: str) -> list[Artifact]:
    entry = {"type": "fpf", "provider": "alpha", "model": "m", "iterations": _UNITS}
    with database.write() as connection:
        document = stored.document(connection, runs.get(connection, run_id))
        return stored.candidates(connection, document, stored.config(runs=[entry]))


def _books(database: Database, run_id: str, billed_usd: float) -> GatewayBooks:
    with database.read() as connection:
        totals = calls.totals(connection, run_id)
        taken = select(BudgetRow.taken_usd).where(BudgetRow.run_id == run_id)
        started = select(func.count()).where(CallRow.run_id == run_id, CallRow.state == "started")
        return GatewayBooks(
            sent=totals.sent,
            uncertain=totals.uncertain,
            started=connection.scalar(started) or 0,
            known_usd=totals.cost_usd,
            most_usd=budgets.committed_usd(connection, run_id),
            taken_usd=connection.scalar(taken) or 0.0,
            billed_usd=billed_usd,
        )


def _http(body: dict[str, Any], token: str, path: str = "chat/completions") -> bytes:
    content = json.dumps(body).encode()
    head = (
        f"POST /v1/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]
