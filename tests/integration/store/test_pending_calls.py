"""Answers in the background, as the store knows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from sqlalchemy import event

from acm_workers.store import batches, calls, claims, pending_calls, units
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage
from schemas.calls import Call
from schemas.units import Artifact
from tests.support import stored
from tests.support.stored import NOW, at

KIND: Final = "artifact"


@pytest.fixture
def unit(database: Database) -> Artifact:
    with database.write() as connection:
        document = stored.document(connection, stored.run(connection))
        return stored.candidates(connection, document)[0]


def begin(database: Database, unit: Artifact, response: str | None = "resp_1") -> Call:
    """Begin a call for a claimed unit, and give its answer a name if there is one."""
    call = stored.call(unit, reserved_usd=0.25)
    with database.write() as connection:
        calls.start(connection, call)
        if response is not None:
            pending_calls.mark_submitted(connection, call.id, response)
    return call.model_copy(update={"response_id": response})


def claim(database: Database, unit: Artifact) -> int:
    with database.write() as connection:
        epoch = claims.acquire(connection, KIND, unit.id, "me", NOW)
    assert epoch is not None
    return epoch


def test_a_call_is_open_from_its_name_to_its_end(database: Database, unit: Artifact) -> None:
    nameless = begin(database, unit, None)
    with database.read() as connection:
        assert pending_calls.of_unit(connection, unit.id) is None

    call = begin(database, unit)
    with database.write() as connection:
        assert pending_calls.of_unit(connection, unit.id) == (call, 0)
        assert pending_calls.awaited(connection, unit.run_id) == [call]
        assert pending_calls.providers(connection, unit.run_id) == {"alpha"}
        pending_calls.count_miss(connection, call.id, 2)
        assert pending_calls.of_unit(connection, unit.id) == (call, 2)

        ended = call.model_copy(update={"state": "failed", "ended_at": at(3)})
        calls.end(connection, [ended])

        assert pending_calls.of_unit(connection, unit.id) is None
        assert pending_calls.awaited(connection, unit.run_id) == []
        assert pending_calls.providers(connection, unit.run_id) == set()
    assert nameless.response_id is None


def test_after_a_crash_only_calls_without_a_name_are_in_doubt(
    database: Database, unit: Artifact
) -> None:
    begin(database, unit, None)
    call = begin(database, unit)

    with database.write() as connection:
        assert calls.mark_uncertain(connection, "another", unit.run_id, at(9)) == 1
        assert pending_calls.awaited(connection, unit.run_id) == [call]
        assert calls.totals(connection, unit.run_id).in_flight == 1


def test_a_unit_that_is_postponed_is_published_when_it_is_time_to_look(
    database: Database, unit: Artifact
) -> None:
    epoch = claim(database, unit)
    begin(database, unit)
    with database.write() as connection:
        assert claims.postpone(connection, KIND, unit.id, epoch, at(60))
        assert not claims.postpone(connection, KIND, unit.id, epoch, at(90))
    message = UnitMessage(KIND, unit.id, unit.document_id, "poll.alpha")

    with database.write() as connection:
        for early in (at(30), at(59)):
            assert units.due(connection, unit.run_id, early) == []
            assert units.unpublished(connection, unit.run_id, early) == []
        assert units.due(connection, unit.run_id, at(60)) == [message]
        assert units.unpublished(connection, unit.run_id, at(61)) == [message]

        units.mark_published(connection, KIND, [unit.id], at(61))

        assert units.due(connection, unit.run_id, at(62)) == []
        # It can be claimed as often as there are looks, without counting as poison.
        for _ in range(claims.MAX_DELIVERIES + 1):
            again = claims.acquire(connection, KIND, unit.id, "me", at(62))
            assert again is not None
            claims.postpone(connection, KIND, unit.id, again, at(70))
        claims.acquire(connection, KIND, unit.id, "me", at(62))
        claims.release_all_but(connection, unit.run_id, "another", at(63))
        assert units.due(connection, unit.run_id, at(70)) == [message]


def test_a_unit_whose_answer_has_ended_waits_in_the_usual_queue(
    database: Database, unit: Artifact
) -> None:
    epoch = claim(database, unit)
    call = begin(database, unit)
    with database.write() as connection:
        calls.end(connection, [call.model_copy(update={"state": "failed"})])
        claims.postpone(connection, KIND, unit.id, epoch, at(60))

        assert units.due(connection, unit.run_id, at(60)) == [
            UnitMessage(KIND, unit.id, unit.document_id, "generate.alpha")
        ]


def test_calls_of_units_that_have_ended_are_orphans(database: Database, unit: Artifact) -> None:
    claim(database, unit)
    call = begin(database, unit)
    with database.write() as connection:
        assert pending_calls.abandoned(connection, unit.run_id, batched=False) == []
        claims.release_all_but(connection, unit.run_id, "another", at(9))

        units.cancel_planned(connection, unit.run_id, at(9))

        assert pending_calls.abandoned(connection, unit.run_id, batched=False) == [call]
        assert pending_calls.awaited(connection, unit.run_id) == []

        units.replan(connection, unit.document_id, ["cancelled"])

        assert pending_calls.abandoned(connection, unit.run_id, batched=False) == []
        assert pending_calls.awaited(connection, unit.run_id) == [call]


def test_orphans_in_batches_are_told_from_the_others_by_as_many_queries_as_for_one(
    database: Database,
) -> None:
    def abandon(number: int, *, batched: bool) -> tuple[str, list[str]]:
        """Add a run with pending calls whose units have ended; return the ids of both."""
        changes: dict[str, Any] = {"runs": [{"type": "fpf", "provider": "alpha", "model": "m1"}]}
        changes["runs"][0]["iterations"] = number
        config = stored.config(**changes)
        with database.write() as connection:
            run = stored.run(connection, config=config)
            document = stored.document(connection, run)
            made = [stored.call(one) for one in stored.candidates(connection, document, config)]
            for call in made:
                calls.start(connection, call)
                if batched:
                    batches.add_request(connection, call, {"model": "m1"})
                else:
                    pending_calls.mark_submitted(connection, call.id, "resp")
            units.cancel_planned(connection, run.id, at(9))
        return run.id, [call.id for call in made]

    seen: list[int] = []
    for number in (1, 3):
        (alone, polled), (mixed, sent) = (
            abandon(number, batched=False),
            abandon(number, batched=True),
        )
        with database.read() as connection, counted(database) as statements:
            found = {
                (run, batched): [
                    one.id for one in pending_calls.abandoned(connection, run, batched=batched)
                ]
                for run in (alone, mixed)
                for batched in (False, True)
            }
            requests = [batches.of_abandoned(connection, run) for run in (alone, mixed)]
            seen.append(len(statements))

        assert found == {
            (alone, False): polled, (alone, True): [], (mixed, False): [], (mixed, True): sent,
        }  # fmt: skip
        assert [sorted(one) for one in requests] == [[], sent]
    assert seen == [6, 6]


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    """Yield the statements that a block sends."""
    sent: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def test_failures_of_a_unit_are_counted_until_it_is_planned_again(
    database: Database, unit: Artifact
) -> None:
    epoch = claim(database, unit)
    with database.write() as connection:
        for number in range(3):
            assert units.background_failures(connection, KIND, unit.id) == number
            units.count_background_failure(connection, KIND, unit.id)
        claims.save(connection, KIND, unit.id, epoch, {"state": "failed", "not_before": at(5)})

        units.replan(connection, unit.document_id, ["failed"])

        assert units.background_failures(connection, KIND, unit.id) == 0
        published = units.unpublished(connection, unit.run_id, at(1))
        assert unit.id in {one.id for one in published}
