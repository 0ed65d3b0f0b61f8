"""Runs that are killed at one point and continued: embedded, with a worker, and with its client."""

import functools
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import redis
from sqlalchemy import text

from acm_workers.store.connection.database import Database
from acm_workers.store.tables import Base
from ops.benchmarks import crash_books, crash_points
from ops.benchmarks.crash_books import Left, SavedResults
from ops.benchmarks.reckoning import CallReckoning
from tests.support import cluster, configs, forked, postgres, redis_server, research, simulator
from tests.support.cluster import Cluster
from tests.support.project import Command, Outcome, Project
from tests.support.simulator import Simulator

_ENDS_WITHIN_S = 600.0
_LOOK_EVERY_S = 0.02
_KILLED = -9
_RUN = ("run", "--json")
_WORKER = ("worker", "--control", "--provider", "alpha", "--provider", "openaidp")
_TEXTS = {"bread.md": "# Bread\n\nFlour, water and patience are enough for a good bread.\n"}

_Hook = Callable[[], object]

forked.preload(
    "acm_api.cli.foreground",
    "acm_api.cli.run",
    "acm_api.cli.view.progress",
    "acm_api.cli.worker",
    "acm_api.config.loading",
    "acm_workers.engine.embedded",
    "acm_workers.engine.worker_service",
    "acm_workers.pipeline.explain",
    "acm_workers.reporting.report",
    "acm_workers.tasks.control",
    "acm_workers.tasks.generate",
    "acm_workers.tasks.judge",
    "ops.benchmarks.crash_points",
)


class Trial(NamedTuple):
    """A run that was killed at a point, or that ended before the point.

    Attributes:
        at: The point; None if the run ended before it.
        books: The calls of ledger and provider at the end; None if the run ended before the point.
        wrong: Differences from an undisturbed run.
    """

    number: int
    at: str | None
    seconds: float
    books: CallReckoning | None
    wrong: tuple[str, ...]


class TrialFolder(NamedTuple):
    """A folder for consecutive runs, and their provider.

    Attributes:
        batched: Whether candidates and scores are requested in batches.
    """

    folder: Path
    provider: Simulator
    log: Path
    batched: bool = False

    @property
    def note(self) -> Path:
        """Return the file with the name of the point where a process ended."""
        return self.folder / "note"

    def project(self) -> Project:
        """Return a new project in an empty folder.

        It has all stages: one candidate is a background answer, and both candidates are combined.
        """
        folder = self.folder / "project"
        shutil.rmtree(folder, ignore_errors=True)
        prices = {research.MODEL: research.PRICE}
        url = self.provider.url
        if self.batched:
            return Project(folder, _batching(url), _TEXTS)
        slow = configs.provider(url, dialect="openai", poll_seconds=0.2, prices=prices)
        config = configs.base(
            {"alpha": configs.provider(url, "m1", "m2", "j1"), "openaidp": slow},
            runs=configs.runs(alpha=["m1"], openaidp=[research.MODEL]),
            # Elo goes by the order in which comparisons end, and so may differ without a kill.
            ranking={"method": "posterior"},
            playoffs={"models": [{"provider": "alpha", "model": "m2"}]},
        )
        return Project(folder, config, _TEXTS)

    def arrived(self) -> int:
        """Return the size of the provider's log."""
        return self.log.stat().st_size


def _batching(url: str) -> dict[str, Any]:
    """Return a config with batches of two models, and with live comparisons and combining."""
    batch = {"delivery": "batch"}
    prices = {model: {**configs.PRICE, "batch": 0.5} for model in ("m1", "m2", "j1")}
    alpha = configs.provider(url, dialect="openai", poll_seconds=0.2, prices=prices)
    return configs.base(
        {"alpha": alpha},
        runs=[one | batch for one in configs.runs(alpha=["m1", "m2"])],
        judges=[configs.judge() | batch],
        pairwise={
            "strategy": "round_robin",
            "position_swap": "both",
            "judges": [configs.judge()],
        },
        ranking={"method": "posterior"},
        playoffs={"models": [{"provider": "alpha", "model": "m2"}]},
    )


class _Story(NamedTuple):
    """The course of a run.

    Attributes:
        died: Finished work at the time of the kill; None without a kill.
        died_at: Size of the provider's log at that time.
    """

    died: SavedResults | None
    died_at: int
    wrong: tuple[str, ...]


class Killable(Protocol):
    """A method of executing a run, with a process that can be killed."""

    place: TrialFolder

    def play(self, project: Project, number: int | None) -> _Story:
        """Execute a run to its end, with a kill at a point."""

    def store(self, project: Project) -> Database:
        """Return the store of the run, at its end."""


class Embedded:
    """``acm run`` in one process on SQLite is killed; the same command resumes the run."""

    def __init__(self, place: TrialFolder) -> None:
        self.place = place

    def play(self, project: Project, number: int | None) -> _Story:
        """See ``Killable``."""
        hook = functools.partial(crash_points.kill_at, number, self.place.note)
        with project.started(*_RUN, before=hook) as command:
            first = _end(command)
        middle = self.place.arrived()
        if first.code != _KILLED:
            return _Story(None, middle, _failed(first.code, first.err))
        died = self._saved(project)
        with project.started(*_RUN) as command:
            second = _end(command)
        return _Story(died, middle, _failed(second.code, second.err))

    def store(self, project: Project) -> Database:
        """See ``Killable``."""
        return Database(f"sqlite:///{project.folder / '.acm' / 'acm.db'}")

    def _saved(self, project: Project) -> SavedResults:
        """Open a copy, because opening a store repairs it."""
        copy = self.place.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if not (project.folder / ".acm" / "acm.db").exists():
            return SavedResults()
        shutil.copytree(project.folder / ".acm", copy)
        with closing(Database(f"sqlite:///{copy / 'acm.db'}")) as database:
            return crash_books.saved(database)


class Workers:
    """A worker on Redis and Postgres is killed and replaced.

    Args:
        client: Whether the client is killed instead; the same command then resumes the run.
    """

    def __init__(
        self, place: TrialFolder, machines: Cluster, redis_url: str, *, client: bool
    ) -> None:
        self.place = place
        self._machines = machines
        self._redis_url = redis_url
        self._client = client

    def play(self, project: Project, number: int | None) -> _Story:
        """See ``Killable``."""
        self._clear()
        kill = functools.partial(crash_points.shorten_and_kill_at, number, self.place.note)
        hooks: list[_Hook] = [kill, crash_points.shorten_waits]
        with ExitStack() as processes:
            begin = functools.partial(self._begin, processes, project)
            worker = begin(_WORKER, hooks[self._client])
            client = begin(_RUN, hooks[not self._client])
            victim = client if self._client else worker
            died: SavedResults | None = None
            middle = 0
            until = time.monotonic() + _ENDS_WITHIN_S
            while not client.ended or victim is client:
                if died is None and victim.ended and victim.end().code == _KILLED:
                    died, middle = crash_books.saved(self._machines.database), self.place.arrived()
                    victim = begin(_RUN if self._client else _WORKER, crash_points.shorten_waits)
                    client = victim if self._client else client
                elif client.ended:
                    break
                if time.monotonic() > until:
                    return _Story(died, middle, (f"no end: {client.told()} {victim.told()}",))
                time.sleep(_LOOK_EVERY_S)
            outcome = client.end()
            return _Story(died, middle, _failed(outcome.code, outcome.err))

    def store(self, project: Project) -> Database:
        """See ``Killable``."""
        return Database(self._machines.env["ACM_DATABASE_URL"])

    def _begin(
        self, processes: ExitStack, project: Project, arguments: tuple[str, ...], hook: _Hook
    ) -> Command:
        env = self._machines.env
        return processes.enter_context(project.started(*arguments, env=env, before=hook))

    def _clear(self) -> None:
        """Empty the store and the queues; after a loss, limits in Redis need time to recover."""
        names = [table.name for table in Base.metadata.sorted_tables if table.name != "tenants"]
        with self._machines.database.write() as connection:
            connection.execute(text(f"TRUNCATE {', '.join(names)}"))
        prefix = self._machines.env["ACM_KEY_PREFIX"]
        with redis.Redis.from_url(self._redis_url) as client:
            for key in client.scan_iter(f"{prefix}*"):
                if not key.startswith(f"{prefix}limits".encode()):
                    client.delete(key)


@contextmanager
def place(folder: Path, *, batched: bool = False) -> Iterator[TrialFolder]:
    """Provide a place in a folder, with a provider whose answers are deterministic."""
    folder.mkdir()
    log = folder / "log"
    with simulator.running(
        latency_s=0.0, background_latency_s=0.1, judge_noise=0.0, repeatable=True, log_file=log
    ) as provider:
        yield TrialFolder(folder, provider, log, batched)


@contextmanager
def engine(name: str, folder: Path, servers: tuple[str, str] | None = None) -> Iterator[Killable]:
    """Provide an engine by name: embedded, workers, client, batches or batch-workers.

    Args:
        servers: URLs of a Redis and a Postgres; both are started by default if needed.
    """
    batched = name in ("batches", "batch-workers")
    with place(folder, batched=batched) as found, ExitStack() as stack:
        if name in ("embedded", "batches"):
            yield Embedded(found)
            return
        if servers is None:
            servers = (
                stack.enter_context(redis_server.own()).url,
                stack.enter_context(postgres.own()).url,
            )
        machines = stack.enter_context(cluster.on(*servers, folder, f"acm_{folder.name}"))
        yield Workers(found, machines, servers[0], client=name == "client")


class Trials:
    """Kills runs of an engine at consecutive points."""

    def __init__(self, engine: Killable) -> None:
        """Execute the undisturbed reference run.

        Raises:
            RuntimeError: The run fails.
        """
        self._engine = engine
        project = engine.place.project()
        story = engine.play(project, None)
        if story.wrong:
            raise RuntimeError(f"an undisturbed run {story.wrong[0]}")
        self._usual = self._left(project, 0)

    def run(self, number: int) -> Trial:
        """Kill a run at a point, continue it, and compare it with the undisturbed run."""
        place, began = self._engine.place, time.monotonic()
        begin, project = place.arrived(), place.project()
        story = self._engine.play(project, number)
        wrong, books = list(story.wrong), None
        if story.died is not None and not wrong:
            left = self._left(project, begin)
            books = left.books
            came = crash_books.requests(place.log, begin)
            later = crash_books.requests(place.log, story.died_at)
            wrong += crash_books.differences(left, self._usual, story.died, came, later)
        at = None if story.died is None else place.note.read_text()
        return Trial(number, at, time.monotonic() - began, books, tuple(wrong))

    def _left(self, project: Project, begin: int) -> Left:
        # A batch is charged for, and logged, when anything is asked for: also one nobody knows.
        self._engine.place.provider.stats()
        came = crash_books.requests(self._engine.place.log, begin)
        with closing(self._engine.store(project)) as database:
            return crash_books.left(database, project, came)


def _end(command: Command) -> Outcome:
    """Wait for the end of a command; return its exit code, or 1 without one."""
    try:
        return command.end(_ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        return Outcome(1, command.printed(), f"no end in {_ENDS_WITHIN_S:g} s: {command.told()}")


def _failed(code: int, told: str) -> tuple[str, ...]:
    return () if code == 0 else (f"ended with {code}: {told}",)
