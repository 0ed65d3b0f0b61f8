"""Of all worker processes the one leads that can free leases, if possible one for ``control``."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import text

from acm_workers import runtime
from acm_workers.engine.leader import LeaderElection, LeaseHealth
from acm_workers.store import locks, workers
from acm_workers.store.connection.database import Database
from tests.support import stored

_HELD = text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")


class Process:
    """A process that stands for the lead, and renews its leases when it does."""

    def __init__(self, database: Database, now: float, *, control: bool) -> None:
        self._now = now
        self._renewals = LeaseHealth(now)
        clock = lambda: self._now  # noqa: E731
        leases = self._renewals
        self.lead = LeaderElection(database, "us", leases, serves_control=control, clock=clock)

    def lives(self, *times: float) -> None:
        """Have it renew its leases at those times, and nothing else."""
        for time in times:
            self._renewals.renewed(time)

    def leads(self, *times: float) -> bool:
        """Return whether it leads after it has tried at those times."""
        found = False
        for self._now in times:
            self.lives(self._now)
            found = self.lead.is_ours()
        return found


@pytest.fixture
def begin(postgres_database: Database) -> Iterator[Callable[..., Process]]:
    """Return what makes processes; they leave at the end."""
    begun: list[Process] = []

    def begin(now: float = 0, *, control: bool) -> Process:
        begun.append(Process(postgres_database, now, control=control))
        return begun[-1]

    yield begin
    for process in begun:
        process.lead.leave()


@pytest.fixture
def control(begin: Callable[..., Process]) -> Process:
    return begin(control=True)


@pytest.fixture
def provider(begin: Callable[..., Process]) -> Process:
    """Return a process that serves a provider only."""
    return begin(control=False)


@pytest.fixture
def other(postgres_database: Database) -> Iterator[locks.Leadership]:
    """Return somebody else who leads."""
    other = locks.Leadership(postgres_database, "the sweep")
    assert other.is_ours()
    yield other
    other.leave()


def tell_of_control(database: Database, age_s: float) -> None:
    """Have a process for ``control`` told of that has lived for so long."""
    now = runtime.utc_now()
    about = {"started_at": now - timedelta(seconds=age_s), "seen_at": now}
    with database.write() as connection:
        workers.register(connection, stored.worker("control", **about))


def sessions_that_lead(database: Database) -> list[int]:
    with database.autocommit() as connection:
        return list(connection.scalars(_HELD))


def test_nobody_leads_beside_who_does(control: Process, other: locks.Leadership) -> None:
    assert not control.leads(0, 5, 10, 15, 16)


def test_who_stood_by_leads_before_a_process_for_control_that_has_just_begun(
    begin: Callable[..., Process], provider: Process, other: locks.Leadership
) -> None:
    assert not provider.leads(0, 5, 10, 15)
    other.leave()
    new = begin(15, control=True)

    assert not new.leads(16)
    assert not provider.leads(16)
    assert not new.leads(17)
    assert provider.leads(17)


def test_of_those_that_stood_by_a_process_for_control_leads(
    control: Process, provider: Process, other: locks.Leadership
) -> None:
    assert not provider.leads(0, 5, 10, 15)
    assert not control.leads(0, 5, 10, 15)
    other.leave()

    assert not provider.leads(16)
    assert control.leads(16)


def test_without_a_process_for_control_one_of_the_others_leads(provider: Process) -> None:
    assert not provider.leads(0, 4)
    assert provider.leads(5)


def test_a_process_for_control_that_has_lived_for_a_while_is_given_the_lead(
    postgres_database: Database, control: Process, provider: Process
) -> None:
    assert provider.leads(0, 5)
    tell_of_control(postgres_database, 30)

    provider.lead.leave_to_control()

    control.lives(5, 10)
    assert control.leads(15)


@pytest.mark.parametrize("control", [True, False])
def test_nobody_gives_the_lead_to_one_that_has_just_begun_or_serves_control_no_more_than_itself(
    postgres_database: Database, begin: Callable[..., Process], control: bool
) -> None:
    ours = begin(control=control)
    assert ours.leads(0, 5)
    tell_of_control(postgres_database, 30 if control else 5)
    before = sessions_that_lead(postgres_database)

    ours.lead.leave_to_control()

    assert sessions_that_lead(postgres_database) == before != []


def test_the_lead_is_not_given_away_again_soon_if_that_was_in_vain(
    postgres_database: Database, provider: Process
) -> None:
    tell_of_control(postgres_database, 30)
    assert provider.leads(0, 5, 15)
    provider.lead.leave_to_control()
    assert sessions_that_lead(postgres_database) == []
    assert provider.leads(16, 17)

    provider.lead.leave_to_control()
    assert sessions_that_lead(postgres_database) != []

    assert provider.leads(36)
    provider.lead.leave_to_control()
    assert sessions_that_lead(postgres_database) == []


def test_whoever_loses_the_lead_waits_its_turn_again(
    postgres_database: Database, provider: Process
) -> None:
    assert provider.leads(0, 5, 10, 15)
    for session in sessions_that_lead(postgres_database):
        with postgres_database.autocommit() as connection:
            assert connection.scalar(text(f"SELECT pg_terminate_backend({session}, 10000)"))

    assert not provider.leads(16, 16.1, 16.9)
    assert provider.leads(17.1)
