"""Claims: one worker at a time has a unit, and only who has it saves it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection, select

from acm_workers.store import artifacts, claims, rows, units
from acm_workers.store.claims import LEASE, MAX_DELIVERIES
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import ArtifactRow
from schemas.units import Artifact
from tests.support import stored
from tests.support.stored import NOW, at

_LEASE_S = LEASE.total_seconds()
DONE = {"state": "done", "text": "# Written", "finished_at": at(9)}


@pytest.fixture
def planned(database: Database) -> list[Artifact]:
    with database.write() as connection:
        run = stored.run(connection)
        return stored.candidates(connection, stored.document(connection, run))


def take(connection: Connection, unit: Artifact, owner: str = "me", seconds: float = 0) -> int:
    epoch = claims.acquire(connection, "artifact", unit.id, owner, at(seconds))
    assert epoch is not None
    return epoch


def columns(connection: Connection, unit: Artifact, *names: str) -> tuple[Any, ...]:
    query = select(*(rows.column(ArtifactRow, name) for name in names))
    query = query.where(ArtifactRow.id == unit.id)
    return tuple(connection.execute(query).one())


def states(connection: Connection, all_of: Sequence[Artifact]) -> list[str]:
    return [columns(connection, unit, "state")[0] for unit in all_of]


def test_of_many_who_reach_for_a_unit_exactly_one_gets_it(
    database: Database, planned: list[Artifact]
) -> None:
    start = Barrier(64)

    def reach(number: int) -> int | None:
        start.wait()
        with database.write() as connection:
            return claims.acquire(connection, "artifact", planned[0].id, f"w{number}", NOW)

    with ThreadPoolExecutor(64) as pool:
        epochs = list(pool.map(reach, range(64)))

    assert [epoch for epoch in epochs if epoch is not None] == [1]
    with database.read() as connection:
        assert columns(connection, planned[0], "state", "attempts") == ("claimed", 1)
        assert columns(connection, planned[0], "owner") == (f"w{epochs.index(1)}",)


def test_units_of_every_kind_can_be_claimed(database: Database, planned: list[Artifact]) -> None:
    with database.write() as connection:
        evaluation = stored.evaluation(connection, planned[0])
        comparison = stored.comparison(connection, *planned)

        assert claims.acquire(connection, "evaluation", evaluation.id, "me", NOW) == 1
        assert claims.acquire(connection, "comparison", comparison.id, "me", NOW) == 1
        assert claims.acquire(connection, "comparison", "nobody", "me", NOW) is None


def test_a_result_is_saved_under_the_claim_it_was_made_under(
    database: Database, planned: list[Artifact]
) -> None:
    with database.write() as connection:
        epoch = take(connection, planned[0])

        assert claims.save(connection, "artifact", planned[0].id, epoch, DONE)

        found = artifacts.get(connection, planned[0].id)
        assert found is not None
        assert (found.state, found.text, found.finished_at) == ("done", "# Written", at(9))
        assert columns(connection, planned[0], "owner", "lease_until") == (None, None)


def test_an_older_claim_saves_nothing(database: Database, planned: list[Artifact]) -> None:
    unit = planned[0]
    with database.write() as connection:
        old = take(connection, unit, "slow")
        claims.release_expired(connection, unit.run_id, at(_LEASE_S + 1))
        new = take(connection, unit, "quick")

        assert not claims.save(connection, "artifact", unit.id, old, {**DONE, "text": "late"})
        assert claims.save(connection, "artifact", unit.id, new, DONE)
        assert not claims.save(connection, "artifact", unit.id, new, {**DONE, "text": "twice"})

        found = artifacts.get(connection, unit.id)
        assert found is not None
        assert (new, found.text) == (old + 1, "# Written")


def test_a_unit_that_was_cancelled_meanwhile_is_not_to_be_had(
    database: Database, planned: list[Artifact]
) -> None:
    with database.write() as connection:
        take(connection, planned[0])
        units.cancel_planned(connection, planned[0].run_id, NOW)

        assert claims.acquire(connection, "artifact", planned[1].id, "me", NOW) is None
        assert states(connection, planned) == ["claimed", "cancelled"]


def test_a_unit_that_is_given_back_can_be_taken_by_others(
    database: Database, planned: list[Artifact]
) -> None:
    with database.write() as connection:
        epoch = take(connection, planned[0])

        assert claims.release(connection, "artifact", planned[0].id, epoch)

        given = columns(connection, planned[0], "state", "attempts", "published_at")
        assert given == ("planned", 0, None)
        assert take(connection, planned[0], "other") == epoch + 1


def test_leases_run_out_unless_they_are_renewed(
    database: Database, planned: list[Artifact]
) -> None:
    first, second = planned
    with database.write() as connection:
        take(connection, first, "alive")
        take(connection, second, "dead")
        claims.renew(connection, "alive", {first.id: "artifact"}, at(20))

        claims.release_expired(connection, first.run_id, at(_LEASE_S - 1))
        assert states(connection, planned) == ["claimed", "claimed"]

        claims.release_expired(connection, first.run_id, at(_LEASE_S + 1))
        assert states(connection, planned) == ["claimed", "planned"]
        assert columns(connection, second, "owner", "published_at") == (None, None)

        claims.release_expired(connection, first.run_id, at(20 + _LEASE_S + 1))
        assert states(connection, planned) == ["planned", "planned"]


def test_only_leases_of_the_run_run_out(database: Database, planned: list[Artifact]) -> None:
    with database.write() as connection:
        take(connection, planned[0])
        other = stored.run(connection)

        claims.release_expired(connection, other.id, at(_LEASE_S + 1))

        assert states(connection, planned) == ["claimed", "planned"]


def test_whoever_is_alone_takes_over_what_others_had(
    database: Database, planned: list[Artifact]
) -> None:
    with database.write() as connection:
        take(connection, planned[0], "me")
        take(connection, planned[1], "dead")

        other = stored.run(connection)
        claims.release_all_but(connection, other.id, "me", at(1))
        assert states(connection, planned) == ["claimed", "claimed"]

        claims.release_all_but(connection, planned[0].run_id, "me", at(1))
        assert states(connection, planned) == ["claimed", "planned"]


@pytest.mark.parametrize("others", [True, False], ids=["killed", "silent"])
def test_a_unit_whose_worker_dies_each_time_is_given_up(
    database: Database, planned: list[Artifact], others: bool
) -> None:
    unit = planned[0]
    found = []
    with database.write() as connection:
        for number in range(MAX_DELIVERIES):
            take(connection, unit, f"w{number}", number * 1000)
            later = at((number + 1) * 1000)
            if others:
                claims.release_all_but(connection, unit.run_id, "new", later)
            else:
                claims.release_expired(connection, unit.run_id, later)
            found += states(connection, [unit])

        kind, why, ended = columns(connection, unit, "error_kind", "error", "finished_at")
        assert found == [*["planned"] * (MAX_DELIVERIES - 1), "failed"]
        assert (kind, ended) == ("poison_unit", later)
        assert f"{MAX_DELIVERIES} times" in why


def test_coming_back_makes_up_for_earlier_deaths(
    database: Database, planned: list[Artifact]
) -> None:
    unit = planned[0]
    with database.write() as connection:
        for number in range(2 * MAX_DELIVERIES):
            epoch = take(connection, unit, f"w{number}")
            if number % 2:
                claims.release(connection, "artifact", unit.id, epoch)
            else:
                claims.release_all_but(connection, unit.run_id, "new", NOW)

        assert states(connection, [unit]) == ["planned"]
