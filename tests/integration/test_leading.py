"""The process that leads frees what the dead had in hand, soon, and nothing of the living."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from acm_workers import runtime
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.pipeline import outbox
from acm_workers.settings import Settings
from acm_workers.store import artifacts, claims, locks, runs, workers
from acm_workers.store.database import Database
from acm_workers.working.lead import Lead
from acm_workers.working.leading import Leading
from acm_workers.working.live import WorkerRuntime
from acm_workers.working.renewals import Renewals
from tests.support import redis_server, stored
from tests.support.stored import Scene, at

_LEADER = "the sweep"


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
    for name in ("publish", "start", "advance"):
        monkeypatch.setattr(outbox, name, clock.send)
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
        runs.hand_over(connection, scene.run.id)
        claims.take(connection, "artifact", scene.candidates[0].id, "somebody", at(0))
    return scene


class Process:
    """A process that serves ``control``, or a provider only; it has lived for so long."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        clock: Clock,
        owner: str,
        *,
        control: bool = True,
        age_s: float = 0,
    ) -> None:
        live = WorkerRuntime(database, MemoryLimiter(stored.config().providers), owner)
        self.renewals = Renewals(clock())
        lead = Lead(database, self.renewals, serves_control=control, clock=clock)
        self.leading = Leading(live, settings, lead, self.renewals, clock)
        self._database, self._owner, self._clock = database, owner, clock
        now = runtime.utc_now()
        queues = ("control",) if control else ("judge.alpha",)
        about = {"queues": queues, "started_at": now - timedelta(seconds=age_s), "seen_at": now}
        with database.write() as connection:
            workers.register(connection, stored.worker(owner, **about))

    def at(self, time: float, *, renews: bool = True) -> None:
        """Have it do at a time what it does every second, and renew its leases before."""
        self._clock.now = time
        if renews:
            self.renewals.went_through(time)
        self.leading.step()

    @property
    def swept_at(self) -> datetime | None:
        """When it swept last."""
        with self._database.read() as connection:
            every = workers.every(connection)
        return next(one.sweep_at for one in every if one.owner == self._owner)


@pytest.fixture
def begin(
    postgres_database: Database, settings: Settings, clock: Clock
) -> Iterator[Callable[..., Process]]:
    """Return what makes processes that are as old as the clock; they leave at the end."""
    begun: list[Process] = []

    def begin(owner: str, **about: Any) -> Process:
        begun.append(Process(postgres_database, settings, clock, owner, **about))
        return begun[-1]

    yield begin
    for process in begun:
        process.leading.leave()


@pytest.fixture
def process(begin: Callable[..., Process]) -> Process:
    return begin("us")


@pytest.fixture
def provider(begin: Callable[..., Process]) -> Process:
    """Return a process that serves a provider only."""
    return begin("provider", control=False)


@pytest.fixture
def other(postgres_database: Database) -> Iterator[locks.Leadership]:
    """Return somebody else who leads."""
    other = locks.Leadership(postgres_database, _LEADER)
    assert other.is_ours()
    yield other
    other.leave()


def held_by(database: Database) -> list[int]:
    """Return the sessions of whoever leads."""
    query = text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")
    with database.read() as connection:
        return list(connection.scalars(query))


def end_whoever_leads(database: Database) -> None:
    found = held_by(database)
    with database.look() as connection:
        for session in found:
            assert connection.scalar(text(f"SELECT pg_terminate_backend({session}, 10000)"))


def renew(database: Database, scene: Scene, now: datetime) -> None:
    with database.write() as connection:
        claims.renew(connection, "somebody", {scene.candidates[0].id: "artifact"}, now)


def state_of(database: Database, scene: Scene) -> str:
    with database.read() as connection:
        found = artifacts.get(connection, scene.candidates[0].id)
    assert found is not None
    return found.state


def test_who_stood_by_frees_leases_as_soon_as_it_leads(
    postgres_database: Database, scene: Scene, process: Process, other: locks.Leadership
) -> None:
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


def test_who_stood_by_leads_before_a_process_for_control_that_has_just_begun(
    postgres_database: Database,
    scene: Scene,
    begin: Callable[..., Process],
    provider: Process,
    other: locks.Leadership,
) -> None:
    for time in (0, 5, 10, 15):
        provider.at(time)
    other.leave()
    control = begin("control")

    for time in (16, 17):
        control.at(time)
        provider.at(time)

    assert control.swept_at is None
    assert state_of(postgres_database, scene) == "planned"


def test_of_those_that_stood_by_a_process_for_control_leads(
    scene: Scene, process: Process, provider: Process, other: locks.Leadership
) -> None:
    for time in (0, 5, 10, 15):
        provider.at(time)
        process.at(time)
    other.leave()

    for time in (16, 17, 18):
        provider.at(time)
        process.at(time)

    assert process.swept_at is not None
    assert provider.swept_at is None


def test_without_a_process_for_control_one_of_the_others_leads(
    postgres_database: Database, scene: Scene, provider: Process
) -> None:
    for time in (0, 5, 12):
        provider.at(time)

    assert state_of(postgres_database, scene) == "planned"


def test_a_process_for_control_that_has_lived_for_a_while_is_given_the_lead(
    postgres_database: Database,
    scene: Scene,
    begin: Callable[..., Process],
    provider: Process,
) -> None:
    control = begin("control", age_s=30)
    for time in (0, 5, 10):
        provider.at(time)
        control.renewals.went_through(time)
    assert provider.swept_at is not None
    control.at(15)

    assert control.swept_at is not None


def test_a_process_for_control_that_has_just_begun_is_not_given_the_lead(
    postgres_database: Database,
    scene: Scene,
    begin: Callable[..., Process],
    provider: Process,
) -> None:
    for time in (0, 5, 10, 15):
        provider.at(time)
    control = begin("control")
    first = provider.swept_at

    provider.at(20)
    for time in (21, 22, 23, 24, 25):
        control.at(time)
        provider.at(time)

    assert control.swept_at is None
    assert provider.swept_at != first


def test_whoever_loses_the_lead_waits_its_turn_again(
    postgres_database: Database,
    scene: Scene,
    begin: Callable[..., Process],
    provider: Process,
) -> None:
    for time in (0, 5, 10, 15):
        provider.at(time)
    control = begin("control")
    for time in (16, 21, 26, 31):
        control.renewals.went_through(time)
        provider.renewals.went_through(time)
    assert held_by(postgres_database)
    first = provider.swept_at

    end_whoever_leads(postgres_database)
    provider.at(31.1)
    provider.at(31.2)
    control.at(31.3)

    assert control.swept_at is not None
    assert provider.swept_at == first


def test_the_lead_is_given_away_once_and_not_again_soon_if_that_was_in_vain(
    postgres_database: Database,
    scene: Scene,
    begin: Callable[..., Process],
    provider: Process,
) -> None:
    for time in (0, 5, 10):
        provider.at(time)
    begin("dead", age_s=30)
    led = []

    for time in range(15, 35):
        provider.at(time)
        led.append(bool(held_by(postgres_database)))

    assert led.count(False) == 2


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
