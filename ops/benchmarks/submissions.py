"""Measures code submissions: claims per second, sandboxes, deadlines, and killed workers.

Workers are killed with SIGKILL, each at one of the states of a submission, and restarted, while a
queue of submissions is processed, each of which needs one of three slots. Meanwhile the processes
of the machine are watched: the slot variable in their environments identifies the slot that they
use.
"""

import importlib
import itertools
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import ForkProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

from acm_api import submissions
from acm_workers import runtime
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.processes import sandbox
from acm_workers.store import outbox, resource_pools, schema, submission_versions
from acm_workers.store import submissions as stored
from acm_workers.store.connection.database import Database
from acm_workers.store.resource_pools import ClaimingWorker
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.submissions import NewSubmission, SubmissionFilter
from acm_workers.submissions import state
from ops.benchmarks.table import Measured, Target
from schemas.submissions import Evaluator, ExecutionLimits, NoticeTarget, SubmissionTask
from tests.support import postgres as servers

_EVALUATOR = "def evaluate(submission):\n    return submission.result\n"
_CODE = (
    "import time\ndef solve():\n    print('run', flush=True)\n    time.sleep(0.05)\n"
    "    return 1.0\n"
)
_QUEUED = 10_000
_CLAIMS = 300
_STARTS = 25
_SLOTS = 3
_WORKERS = 4
_VARIABLE = "BENCH_SLOT"
_LOOK_EVERY_S = 0.05
_SUBMITTING, _THREADS = 10, 50
"""Number of processes and of their threads, within the connections of the test server."""
_AT_ONCE = 4
_POINTS = {
    "queued": ("acm_workers.store.resource_pools", "claim"),
    "claimed": ("acm_workers.store.submission_versions", "mark_running"),
    "running": ("acm_workers.submissions.execution", "_Log.add"),
    "harvested": ("acm_workers.submissions.execution", "_evaluate"),
    "evaluated": ("acm_workers.engine.submission_settlement", "save"),
    "result saved": ("acm_workers.store.outbox", "claim"),
    "notice pending": ("acm_workers.submissions.delivery", "deliver"),
    "notice sent, not marked": ("acm_workers.store.outbox", "sent"),
}
"""Points at which a worker is killed, by the state of the submission."""

_fork = multiprocessing.get_context("fork")
_DETACHED = (
    "os.setsid()",
    "os.setsid() or os.fork() and os._exit(0)",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "bomb()",
)
_BOMB = (
    "def bomb():\n"
    "    while True:\n"
    "        try:\n"
    "            os.fork()\n"
    "        except OSError:\n"
    "            time.sleep(0.01)\n"
)


class Size(NamedTuple):
    """Sizes of the measurements."""

    items: int
    kills: int
    deadlines: int
    submitters: int


FULL = Size(200, 500, 1000, 500)
SHORT = Size(20, 16, 12, 40)


def measure(size: Size) -> Measured:
    """Run all measurements."""
    rows: list[dict[str, object]] = []
    targets: list[Target] = []
    with _stores() as urls:
        for name, url in urls.items():
            rate = _claim_rate(url)
            rows.append({"what": f"claims a second, {_QUEUED:,} queued", "store": name, "is": rate})
    over_ms = _start_ms()
    rows.append({"what": "start of Python, ms over an unsandboxed one", "store": "", "is": over_ms})
    targets.append(Target("ms of a sandboxed start over an unsandboxed one", over_ms, 50.0))
    latest_s, alive = _deadlines(size.deadlines)
    what = f"{size.deadlines} trees, seconds from deadline to death of the last"
    rows.append({"what": what, "store": "", "is": latest_s})
    targets += [
        Target("seconds from a deadline to the death of the whole tree", latest_s, 1.0),
        Target("processes alive after their deadline", alive, 0),
    ]
    with _stores() as urls:
        for name, url in urls.items():
            lost, doubled = _submitters(url, size.submitters)
            what = f"{size.submitters} submitters at once, lost and doubled"
            rows.append({"what": what, "store": name, "is": lost + doubled})
            targets.append(Target(f"lost or doubled submissions on {name}", lost + doubled, 0))
    with _stores() as urls:
        for name, url in urls.items():
            faults = _kills(url, size.items, size.kills // len(urls))
            rows += [{"what": what, "store": name, "is": found} for what, found in faults.items()]
            bad = sum(found for what, found in faults.items() if not what.startswith("kills"))
            targets.append(Target(f"faults after kills on {name}", bad, 0))
    return Measured("submissions", rows, targets)


@contextmanager
def _stores() -> Iterator[dict[str, str]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        servers.running() as server,
        servers.schema(server, "bench_submissions") as url,
    ):
        yield {"SQLite": f"sqlite:///{folder}/acm.db", "Postgres": url}


def _prepared(url: str, notices: str, items: int) -> Database:
    """Return a store with submissions for a task that needs one of the slots."""
    database = Database(url)
    schema.upgrade(database)
    task = SubmissionTask(
        key="numbers",
        evaluator=Evaluator(source=_EVALUATOR),
        resources={"slot": 1},
        limits=ExecutionLimits(wall_s=60, memory_mb=512),
        notify=(NoticeTarget(channel="file", path=notices),),
    )
    submissions.register(database, [task])
    now = runtime.utc_now()
    with database.write() as connection:
        names = [str(index) for index in range(_SLOTS)]
        resource_pools.add(connection, "slot", names, now, host=None, variable=_VARIABLE)
        for _ in range(items):
            number = stored.add(connection, NewSubmission("numbers", "ada"), now)
            submission_versions.add(connection, number, "numbers", _CODE, now)
    return database


def _claim_rate(url: str) -> float:
    """Return the number of versions that one process claims and ends per second."""
    database = _prepared(url, "/nowhere", _QUEUED)
    worker = ClaimingWorker("bench", "box", "", "bubblewrap")
    begun = time.perf_counter()
    for _ in range(_CLAIMS):
        now = runtime.utc_now()
        with database.write() as connection:
            claimed = resource_pools.claim(connection, worker, now).version
        assert claimed is not None  # noqa: S101  there are enough
        with database.write() as connection:
            submission_versions.end(connection, claimed.key, claimed.epoch, "scored", now)
    rate = _CLAIMS / (time.perf_counter() - begun)
    database.close()
    return rate


def _start_ms() -> float:
    """Return the median time that a sandbox adds to the start of Python."""
    limits = ExecutionLimits(wall_s=30)
    program = (sys.executable, "-I", "-c", "pass")
    isolation = sandbox.strongest()
    inside, outside = [], []
    for _ in range(_STARTS):
        with tempfile.TemporaryDirectory() as base:
            folders = sandbox.prepare(Path(base))
            spec = sandbox.SandboxSpec(
                isolation=isolation, argv=program, environment={}, folders=folders, limits=limits
            )
            begun = time.perf_counter()
            sandbox.run(spec)
            inside.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        subprocess.run(program, check=True)  # noqa: S603  our own
        outside.append(time.perf_counter() - begun)
    return 1000 * (statistics.median(inside) - statistics.median(outside))


def _deadlines(number: int) -> tuple[float, int]:
    """Run process trees past their deadlines; return the maximum delay and the survivors."""
    sandbox.strongest()  # tried once, for all threads
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(_deadline, range(number)))
    return max(late for late, _ in found), sum(alive for _, alive in found)


def _deadline(index: int) -> tuple[float, int]:
    """Run one process tree past its deadline; return its delay and the number of survivors."""
    wall_s, mark = 0.5, f"bench-deadline-{os.getpid()}-{index}-"
    program = (
        f"import os, signal, sys, time\n{_BOMB}"
        f"if os.fork() == 0:\n    {_DETACHED[index % len(_DETACHED)]}\n"
        f"    os.execv(sys.executable, ['{mark}', '-I', '-c', 'import time; time.sleep(60)'])\n"
        "time.sleep(60)\n"
    )
    with tempfile.TemporaryDirectory() as base:
        spec = sandbox.SandboxSpec(
            isolation=sandbox.strongest(),
            argv=(sys.executable, "-I", "-c", program),
            environment={},
            folders=sandbox.prepare(Path(base)),
            limits=ExecutionLimits(wall_s=wall_s, processes=64),
        )
        ended = sandbox.run(spec).end
    alive = sum(mark.encode() in words for words in _processes("cmdline").values())
    return ended.wall_s - wall_s, alive


def _submitters(url: str, number: int) -> tuple[int, int]:
    """Submit from many threads while workers claim; return lost and duplicate versions."""
    with tempfile.TemporaryDirectory() as notices:
        database = _prepared(url, notices, 0)
        begin, over = _fork.Event(), _fork.Event()
        per_process = -(-number // _SUBMITTING)
        claimed = _fork.Queue()
        claiming = [
            _fork.Process(target=_claim_all, args=(url, over, claimed)) for _ in range(_WORKERS)
        ]
        submitting = [
            _fork.Process(target=_submit_at_once, args=(url, per_process, begin))
            for _ in range(_SUBMITTING)
        ]
        for process in (*claiming, *submitting):
            process.start()
        begin.set()
        for process in submitting:
            process.join()
        over.set()
        found = [key for _ in claiming for key in claimed.get()]
        for process in claiming:
            process.join()
        wanted = per_process * _SUBMITTING
        there = len(submissions.page(database, SubmissionFilter(), 1_000_000))
        database.close()
    return wanted - min(there, len(set(found))), len(found) - len(set(found))


def _submit_at_once(url: str, number: int, begin: Event) -> None:
    database = Database(url)
    begin.wait()
    threads = [threading.Thread(target=_submit_more, args=(database, 1)) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()


def _claim_all(url: str, over: Event, claimed: "Queue[list[VersionKey]]") -> None:
    """Claim and end versions until none is left; put the keys of all of them into a queue."""
    database = Database(url)
    worker = ClaimingWorker(str(os.getpid()), "box", "", "bubblewrap")
    found: list[VersionKey] = []
    while True:
        were_over = over.is_set()
        now = runtime.utc_now()
        with database.write() as connection:
            version = resource_pools.claim(connection, worker, now).version
        if version is not None:
            found.append(version.key)
            with database.write() as connection:
                submission_versions.end(connection, version.key, version.epoch, "scored", now)
        elif were_over:
            break
        else:
            time.sleep(_LOOK_EVERY_S)
    claimed.put(found)
    database.close()


def _kills(url: str, items: int, kills: int) -> dict[str, int]:
    """Kill workers during their work; return the errors by name."""
    sandbox.strongest()  # tried once, for all processes
    with tempfile.TemporaryDirectory() as notices:
        database = _prepared(url, notices, items)
        watch = _Watch(database)
        points = itertools.cycle(_POINTS)
        workers: dict[int, tuple[ForkProcess, str | None]] = {}
        killed: Counter[str] = Counter()
        give_up_at = time.monotonic() + 3600
        while time.monotonic() < give_up_at:
            for slot in range(_WORKERS):
                process, point = workers.get(slot, (None, None))
                if process is not None and process.is_alive():
                    continue
                if process is not None and point is not None:
                    killed[point] += process.exitcode == -signal.SIGKILL
                point = next(points) if killed.total() < kills else None
                process = _fork.Process(target=_serve, args=(url, point), daemon=True)
                process.start()
                workers[slot] = process, point
            time.sleep(_LOOK_EVERY_S)
            watch.look()
            if watch.is_done():
                if killed.total() >= kills:
                    break
                _submit_more(database, items // 4)
        for process, _ in workers.values():
            process.terminate()
            process.join()
        faults = {f"kills, {point}": number for point, number in sorted(killed.items())}
        faults |= watch.faults(len(list(Path(notices).glob("*.json"))))
        database.close()
        return faults


def _serve(url: str, point: str | None) -> None:
    """Process submissions in a separate process that is killed at a point."""
    state.MOST_ATTEMPTS = 1_000_000  # nothing is lost, however often its worker is killed
    if point is not None:
        _die_at(*_POINTS[point])
    database = Database(url)
    worker = SubmissionWorker(database, SubmissionOptions())
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    worker.run()
    database.close()
    os._exit(0)


def _die_at(module: str, name: str) -> None:
    """Kill this process when it calls a function."""
    holder: Any = importlib.import_module(module)
    *path, attribute = name.split(".")
    for part in path:
        holder = getattr(holder, part)
    setattr(holder, attribute, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))


def _submit_more(database: Database, number: int) -> None:
    for _ in range(number):
        submissions.submit(database, NewSubmission("numbers", "ada"), _CODE)


class _Watch:
    """Samples slots and processes continuously."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._most_held = 0
        self._doubled = 0

    def look(self) -> None:
        """Count the held slots, and the processes on each."""
        with self._database.read() as connection:
            held = sum(slot.holder is not None for slot in resource_pools.every(connection))
        self._most_held = max(self._most_held, held)
        on: dict[str, list[int]] = defaultdict(list)
        for pid, environment in _processes("environ").items():
            if (slot := _slot(environment)) is not None:
                on[slot].append(pid)
        # One of them may have ended while the others were read: look again at what seems doubled.
        for slot, pids in on.items():
            again = [pid for pid in pids if _slot(_environment(pid)) == slot]
            self._doubled += len(pids) > 1 and len(again) > 1

    def is_done(self) -> bool:
        """Return whether all work is done."""
        with self._database.read() as connection:
            return not (stored.open_count(connection) or outbox.unsent(connection))

    def faults(self, notices: int) -> dict[str, int]:
        """Return the errors by name."""
        found = submissions.page(self._database, SubmissionFilter(), 1_000_000)
        versions = [version for one in found for version in one.versions]
        with self._database.read() as connection:
            slots = resource_pools.every(connection)
            sent = sum(len(outbox.of_submission(connection, one.submission.id)) for one in found)
        return {
            "submissions without a score": sum(one.state != "scored" for one in versions),
            "versions too many": len(versions) - len(found),
            "slots held beyond those there are": max(0, self._most_held - _SLOTS),
            "slots leaked": sum(slot.holder is not None for slot in slots),
            "slots with two live processes": self._doubled,
            "notices too many or too few": abs(sent - len(found)) + abs(notices - len(found)),
        }


def _slot(environment: bytes) -> str | None:
    found = [e for e in environment.split(b"\0") if e.startswith(_VARIABLE.encode() + b"=")]
    return found[0].decode() if found else None


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _processes(file: str) -> dict[int, bytes]:
    """Yield a file of every process of this machine."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = (folder / file).read_bytes()
            except OSError:
                continue
    return found
