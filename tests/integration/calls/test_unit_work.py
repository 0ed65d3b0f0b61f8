"""One unit from its claim to its saved row: each answer is saved once, under a claim that holds."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import Connection, select

from acm_workers import runtime, submit
from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.context import UnitRef
from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.errors import AlreadyClaimed, AnswerPending, BudgetSpent, Cancelled, EmptyAnswer
from acm_workers.store import artifacts, calls, claims, runs, units
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import CallRow
from schemas.calls import Call, Evidence, Request
from schemas.units import Artifact
from tests.support import stored
from tests.support.stored import NOW

FREE = BudgetReservation(Request(provider="alpha", model="m1", messages=()))


@pytest.fixture
def unit(database: Database) -> Artifact:
    with database.write() as connection:
        return stored.scene(connection).candidates[0]


def work(database: Database, unit: Artifact) -> UnitWork:
    """Return the work of a process of its own on a unit."""
    context = runtime.build(database, stored.config()).call_context
    return UnitWork(context, UnitRef("artifact", unit.id, unit.run_id, unit.document_id, 1))


def started(one: UnitWork, unit: Artifact) -> Call:
    call = one.start_call(lambda: stored.call(unit, id=stored.new_id()), FREE)
    assert call is not None
    return call


def answered(call: Call) -> Call:
    told = {"answer": "Yes.", "finish_reason": "stop", "status": 200}
    return call.model_copy(update={"state": "done", "ended_at": NOW, **told})


def states(database: Database, unit: Artifact) -> tuple[str, list[str]]:
    """Return the state of a unit and those of its calls."""
    with database.read() as connection:
        found = artifacts.get(connection, unit.id)
        made = calls.of_run(connection, unit.run_id)
    assert found is not None
    return found.state, [call.state for call in made if call.unit_id == unit.id]


def test_the_first_call_takes_the_claim_and_the_result_saves_its_end(
    database: Database, unit: Artifact
) -> None:
    one = work(database, unit)

    call = started(one, unit)
    before = states(database, unit)
    one.keep_answered(answered(call))
    saved = one.succeed(UnitResult({"text": "The moon."}))

    assert before == ("claimed", ["started"])
    assert saved
    assert states(database, unit) == ("done", ["done"])


def test_no_call_is_started_for_a_unit_that_another_worker_has(
    database: Database, unit: Artifact
) -> None:
    started(work(database, unit), unit)
    other = work(database, unit)

    with pytest.raises(AlreadyClaimed) as caught:
        started(other, unit)

    assert not other.fail(caught.value)
    assert states(database, unit) == ("claimed", ["started"])


def test_an_answer_is_saved_when_the_next_call_starts(database: Database, unit: Artifact) -> None:
    one = work(database, unit)
    one.keep_answered(answered(started(one, unit)))

    started(one, unit)

    assert states(database, unit) == ("claimed", ["done", "started"])


@pytest.mark.parametrize(
    "why", [Cancelled("stopping"), BudgetSpent("spent"), AnswerPending("later", NOW)]
)
def test_answers_are_kept_when_the_unit_is_given_back(
    database: Database, unit: Artifact, why: Exception
) -> None:
    one = work(database, unit)
    one.keep_answered(answered(started(one, unit)))

    assert not one.fail(why)

    assert states(database, unit) == ("planned", ["done"])


def test_a_result_is_saved_under_a_new_claim_if_the_lease_was_lost(
    database: Database, unit: Artifact
) -> None:
    one = work(database, unit)
    one.keep_answered(answered(started(one, unit)))
    with database.write() as connection:
        claims.release_expired(connection, unit.run_id, runtime.utc_now() + timedelta(hours=1))

    assert one.succeed(UnitResult({"text": "The moon."}))

    assert states(database, unit) == ("done", ["done"])


def test_a_result_is_not_saved_over_that_of_another_worker(
    database: Database, unit: Artifact
) -> None:
    slow, quick = work(database, unit), work(database, unit)
    slow.keep_answered(answered(started(slow, unit)))
    with database.write() as connection:
        claims.release_expired(connection, unit.run_id, runtime.utc_now() + timedelta(hours=1))
    quick.keep_answered(answered(started(quick, unit)))
    quick.succeed(UnitResult({"text": "First."}))

    assert not slow.succeed(UnitResult({"text": "Second."}))

    assert states(database, unit) == ("done", ["done", "done"])
    with database.read() as connection:
        assert artifacts.text(connection, unit.id) == "First."


def test_a_failure_is_saved_with_its_kind_and_its_answers_serve_no_other_attempt(
    database: Database, unit: Artifact
) -> None:
    one = work(database, unit)
    call = answered(started(one, unit))
    one.keep_answered(call)

    assert one.fail(EmptyAnswer("m1 answered without any text", raw=""))

    with database.read() as connection:
        found = artifacts.get(connection, unit.id)
        assert calls.find_answer(connection, call.digest, call.iteration) is None
    assert found is not None
    assert (found.state, found.error_kind) == ("failed", "empty_answer")


def lose_claim(database: Database, unit: Artifact) -> None:
    """Take the unit from its worker, as when its lease was not renewed in time."""
    with database.write() as connection:
        claims.release_expired(connection, unit.run_id, runtime.utc_now() + timedelta(hours=1))


def test_an_answer_that_comes_after_its_run_was_deleted_completes_the_bill_and_brings_no_text(
    database: Database, unit: Artifact
) -> None:
    slow = work(database, unit)
    call = started(slow, unit)
    lose_claim(database, unit)
    with database.write() as connection:
        units.cancel_planned(connection, unit.run_id, NOW)
        runs.finish(connection, unit.run_id, "cancelled", NOW)
    submit.delete(database, unit.run_id, stored.making())
    told = {
        "cost_usd": 0.25,
        "error": "Yes.",
        "evidence": Evidence(summary="Yes.", queries=("Yes.",)),
    }
    slow.keep_answered(answered(call).model_copy(update=told))

    assert not slow.succeed(UnitResult({"text": "Yes."}))

    with database.read() as connection:
        (kept,) = connection.execute(select(CallRow.__table__)).mappings()
    assert (kept["state"], kept["cost_usd"]) == ("done", 0.25)
    assert [kept[name] for name in ("answer", "error", "summary", "queries")] == [None] * 4
    assert (kept["digest"], kept["reusable"]) == ("", False)


def test_a_worker_that_lost_its_claim_begins_nothing_more_and_what_it_paid_is_saved(
    database: Database, unit: Artifact
) -> None:
    slow = work(database, unit)
    call = started(slow, unit)
    slow.keep_answered(answered(call))
    lose_claim(database, unit)

    with pytest.raises(AlreadyClaimed) as caught:
        started(slow, unit)
    assert not slow.fail(caught.value)

    assert states(database, unit) == ("planned", ["done"])
    with database.read() as connection:
        assert calls.find_answer(connection, call.digest, call.iteration) is not None


def pause(connection: Connection, run_id: str) -> None:
    assert runs.pause(connection, run_id, "as asked")


@pytest.mark.parametrize("stop", [runs.cancel, pause])
def test_no_further_call_of_a_unit_begins_once_its_run_is_cancelled_or_paused(
    database: Database, unit: Artifact, stop: Callable[[Connection, str], object]
) -> None:
    one = work(database, unit)
    one.keep_answered(answered(started(one, unit)))
    with database.write() as connection:
        stop(connection, unit.run_id)

    with pytest.raises(Cancelled):
        started(one, unit)

    assert states(database, unit) == ("claimed", ["started"])


@pytest.mark.parametrize("stop", [runs.cancel, pause])
@pytest.mark.parametrize("also", [None, lambda connection, call: None])
def test_no_first_call_of_a_unit_begins_once_its_run_is_cancelled_or_paused(
    database: Database,
    unit: Artifact,
    stop: Callable[[Connection, str], object],
    also: Callable[[Connection, Call], None] | None,
) -> None:
    with database.write() as connection:
        stop(connection, unit.run_id)

    with pytest.raises((AlreadyClaimed, Cancelled)):
        work(database, unit).start_call(lambda: stored.call(unit), FREE, also)

    assert states(database, unit) == ("planned", [])
