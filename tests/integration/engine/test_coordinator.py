"""The process that leads frees what the dead had in hand, soon, and nothing of the living."""

import threading
from collections.abc import Iterator
from datetime import datetime

import pytest
from sqlalchemy import text

from acm_workers import runtime
from acm_workers.engine import publish
from acm_workers.engine.coordinator import BacklogReader, Coordinator
from acm_workers.engine.leader import LeaderElection, LeaseHealth
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.settings import Settings
from acm_workers.store import artifacts, claims, locks, runs, waits, workers
from acm_workers.store.connection.database import Database
from acm_workers.store.waits import WaitingUnits
from tests.support import redis_server, stored
from tests.support.project import PATIENCE_S, wait_until
from tests.support.stored import Scene, at


class Clock:
    """Seconds that pass when they are told to, and some with each message that is sent."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sending_takes_s = 0.0

    def __call__(self) -> float:
        return self.now

    def send(self, *_: object) -> None:
        self.now += self.sending_takes_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock; messages go nowhere, in place of a broker."""
    clock = Clock()
    for name in ("units", "start", "advance"):
        monkeypatch.setattr(publish, name, clock.send)
    return clock


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    with redis_server.running() as redis:
        yield Settings(broker_url=redis, key_prefix="leading:")


@pytest.fixture
def scene(postgres_database: Database) -> Scene:
    """Return a run in the hands of workers, with a candidate whose lease ran out long ago."""
    with postgres_database.write() as connection:
        scene = stored.scene(connection)
        runs.give_to_workers(connection, scene.run.id)
        claims.acquire(connection, "artifact", scene.candidates[0].id, "somebody", at(0))
    return scene


class Process:
    """A process that serves ``control`` and is as old as the clock."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self.limiter = MemoryLimiter(stored.config().providers)
        live = WorkerRuntime(database, self.limiter, "us")
        self.renewals = LeaseHealth(clock())
        self.leader = LeaderElection(
            database, "us", self.renewals, serves_control=True, clock=clock
        )
        queues = BacklogReader(settings, lambda run_id: list(live.run(run_id).config.providers))
        find, leader = runs.given_to_workers, self.leader
        self.coordinator = Coordinator(live, find, leader, queues, clock=clock)
        self._database, self._clock = database, clock
        with database.write() as connection:
            workers.register(connection, stored.worker("us", seen_at=runtime.utc_now()))

    def at(self, time: float, *, renews: bool = True) -> None:
        """Have it do at a time what it does every second, and renew its leases before."""
        self._clock.now = time
        if renews:
            self.renewals.renewed(time)
        self.coordinator.step()

    @property
    def swept_at(self) -> datetime | None:
        """When it swept last."""
        with self._database.read() as connection:
            return workers.swept_at(connection)


@pytest.fixture
def process(postgres_database: Database, settings: Settings, clock: Clock) -> Iterator[Process]:
    process = Process(postgres_database, settings, clock)
    yield process
    process.leader.leave()


def renew(database: Database, scene: Scene, now: datetime) -> None:
    with database.write() as connection:
        claims.renew(connection, "somebody", {scene.candidates[0].id: "artifact"}, now)


def state_of(database: Database, scene: Scene) -> str:
    with database.read() as connection:
        found = artifacts.get(connection, scene.candidates[0].id)
    assert found is not None
    return found.state


def test_who_stood_by_frees_leases_as_soon_as_it_leads(
    postgres_database: Database, scene: Scene, process: Process
) -> None:
    other = locks.Leadership(postgres_database, "the sweep")
    assert other.is_ours()
    for time in (0, 5, 10, 15):
        process.at(time)
    assert process.swept_at is None

    other.leave()
    process.at(16)

    assert state_of(postgres_database, scene) == "planned"


def test_who_has_just_begun_frees_none_for_a_while(
    postgres_database: Database, scene: Scene, process: Process
) -> None:
    process.at(0)
    process.at(6)
    assert process.swept_at is not None
    assert state_of(postgres_database, scene) == "claimed"

    process.at(12)

    assert state_of(postgres_database, scene) == "planned"


def test_a_store_that_hung_is_one_that_was_away_though_no_error_told_of_it(
    postgres_database: Database, scene: Scene, process: Process
) -> None:
    renew(postgres_database, scene, runtime.utc_now())
    for time in (0, 5, 10, 15):
        process.at(time)

    renew(postgres_database, scene, at(0))
    process.at(60, renews=False)
    assert state_of(postgres_database, scene) == "claimed"
    for time in (61, 66, 71):
        process.at(time)
    assert state_of(postgres_database, scene) == "claimed"

    process.at(76)

    assert state_of(postgres_database, scene) == "planned"


def test_a_sweep_that_hung_is_followed_by_another_within_a_minute(
    scene: Scene, process: Process, clock: Clock
) -> None:
    process.at(0)
    clock.sending_takes_s = 40
    process.at(4)
    clock.sending_takes_s = 0
    hung_until, first = clock.now, process.swept_at

    process.at(hung_until + 60)

    assert hung_until >= 40
    assert process.swept_at != first


_WAITING = text("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")


def somebody_waits(database: Database) -> bool:
    """Return whether a transaction waits for another one."""
    with database.autocommit() as connection:
        return bool(connection.scalar(_WAITING))


def test_a_client_may_pause_a_run_while_the_leader_does_as_its_provider_is_paused(
    postgres_database: Database, scene: Scene, process: Process
) -> None:
    run_id = scene.run.id
    with postgres_database.write() as connection:
        claims.release_expired(connection, run_id, runtime.utc_now())
        waits.replace(connection, run_id, [WaitingUnits("alpha", "requests", 1, None)])
    process.limiter.pause("alpha", "no money left")
    process.at(0)
    leading = threading.Thread(target=process.at, args=(6,))

    # What `pausing.pause` does, with the leader between its two steps.
    with postgres_database.write() as connection:
        assert runs.pause(connection, run_id, "as asked")
        leading.start()
        wait_until(lambda: somebody_waits(postgres_database))
        waits.replace(connection, run_id, [])
    leading.join(PATIENCE_S)

    with postgres_database.read() as connection:
        found = runs.get(connection, run_id)
    assert not leading.is_alive()
    assert (found.state, found.reason) == ("paused", "as asked")
