"""When a run of which something rests has nothing left to do."""

from typing import Any

import pytest

from acm_workers import submit
from acm_workers.engine import pausing
from acm_workers.engine.pausing import PauseReasons
from acm_workers.store import claims, documents, events, pauses, runs, units, waits
from acm_workers.store.connection.database import Database
from acm_workers.store.waits import WaitingUnits
from schemas.units import Artifact, Document
from tests.support import stored

NO_MONEY = PauseReasons("the budget is spent", {})
BETA_RESTS = PauseReasons(None, {"beta": "beta: HTTP 401"})

Given = tuple[Document, list[Artifact]]


@pytest.fixture
def given(database: Database) -> Given:
    """Return a document with a candidate at alpha and one at beta, both planned."""
    beta = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
    entries: list[dict[str, Any]] = [
        {"type": "fpf", "provider": name, "model": "m"} for name in ("alpha", "beta")
    ]
    config = stored.config(providers={"alpha": beta, "beta": beta}, runs=entries)
    with database.write() as connection:
        run = stored.run(connection, config=config)
        document = stored.document(connection, run)
        return document, stored.candidates(connection, document, config)


def stuck(database: Database, document: Document, rest: PauseReasons) -> bool:
    with database.write() as connection:
        return pausing.pause_if_stuck(connection, document.run_id, rest, stored.making())


def leave(database: Database, unit: Artifact) -> None:
    """Leave a unit as a worker does whose call was refused."""
    with database.write() as connection:
        epoch = claims.acquire(connection, "artifact", unit.id, "me", stored.NOW)
        claims.suspend(connection, "artifact", unit.id, epoch)


def test_units_are_counted_by_who_they_wait_for(database: Database, given: Given) -> None:
    run_id = given[0].run_id
    with database.read() as connection:
        assert pauses.count_planned(connection, run_id, "alpha") == 1
        assert pauses.count_planned_elsewhere(connection, run_id, ["beta"]) == 1
        assert pauses.count_planned_elsewhere(connection, run_id, ["alpha", "beta"]) == 0
        held = [WaitingUnits("beta", "paused", 0, None), WaitingUnits("alpha", "requests", 7, None)]
        counted = pausing.counted(connection, run_id, held)

    assert [wait.units for wait in counted] == [1, 7]


def test_without_money_a_run_is_paused_once_nobody_works(database: Database, given: Given) -> None:
    document, (first, _) = given
    with database.write() as connection:
        epoch = claims.acquire(connection, "artifact", first.id, "me", stored.NOW)
    before = stuck(database, document, NO_MONEY)
    with database.write() as connection:
        claims.release(connection, "artifact", first.id, epoch or 0)
        waits.replace(connection, document.run_id, [WaitingUnits("alpha", "requests", 1, None)])
    after = stuck(database, document, NO_MONEY)

    with database.read() as connection:
        run = runs.get(connection, document.run_id)
        assert waits.of_run(connection, run.id) == []
        assert [event.kind for event in events.since(connection, run.id, 0)] == ["run_paused"]
    assert (before, after) == (False, True)
    assert (run.state, run.finished_at) == ("paused", None)
    assert run.reason is not None
    assert run.reason.startswith("the budget is spent; raise it with `acm resume --budget USD`")


def test_a_resting_provider_stops_a_run_that_has_nothing_else(
    database: Database, given: Given
) -> None:
    document, (first, _) = given
    before = stuck(database, document, BETA_RESTS)
    leave(database, first)

    assert (before, stuck(database, document, BETA_RESTS)) == (False, True)


def test_documents_that_can_go_on_by_themselves_keep_a_run_going(
    database: Database, given: Given
) -> None:
    document, both = given
    with database.write() as connection:
        for unit in both:
            epoch = claims.acquire(connection, "artifact", unit.id, "me", stored.NOW) or 0
            done = {"state": "done", "finished_at": stored.NOW}
            claims.save(connection, "artifact", unit.id, epoch, done)

    assert not stuck(database, document, BETA_RESTS)


def test_documents_that_have_not_begun_keep_a_run_going(database: Database, given: Given) -> None:
    document, (first, _) = given
    with database.write() as connection:
        run = runs.get(connection, document.run_id)
        stored.document(connection, run, stage="planned")
    leave(database, first)

    assert not stuck(database, document, BETA_RESTS)


def test_a_cancelled_run_is_not_paused(database: Database, given: Given) -> None:
    document, _ = given
    with database.write() as connection:
        runs.cancel(connection, document.run_id)

    assert not stuck(database, document, NO_MONEY)


def test_a_paused_run_is_found_by_its_command_and_can_end(database: Database, given: Given) -> None:
    document, _ = given
    stuck(database, document, NO_MONEY)
    with database.write() as connection:
        run = runs.get(connection, document.run_id)
        found = runs.unfinished(connection, run.key)
        ended = runs.finish(connection, run.id, "done", stored.NOW)
        again = runs.get(connection, run.id)

    assert found == run
    assert ended
    assert (again.state, again.reason) == ("done", None)


def test_a_paused_run_goes_on_without_its_reason(database: Database, given: Given) -> None:
    document, both = given
    stuck(database, document, NO_MONEY)
    with database.write() as connection:
        run = runs.get(connection, document.run_id)
        runs.reopen(connection, run.id, run.config)
        units.mark_all_unsent(connection, run.id)
        left = units.unpublished(connection, run.id, stored.at(1))
        quiet = documents.idle(connection, run.id)
        again = runs.get(connection, run.id)

    assert (again.state, again.reason) == ("running", None)
    assert [unit.id for unit in left] == [unit.id for unit in both]
    assert quiet == []


def test_a_cancel_request_a_resume_and_a_raised_budget_are_one_event_each(
    database: Database,
) -> None:
    def kinds() -> list[str]:
        with database.read() as connection:
            found = events.since(connection, run.id, seen[-1])
        seen.extend(event.id for event in found)
        return [event.kind for event in found]

    def resume(budget_usd: float | None = None) -> None:
        submit.resume(database, run.id, stored.making(), budget_usd=budget_usd)

    seen = [0]
    with database.write() as connection:
        run = stored.run(connection, config=stored.config(budget_usd=1.0))
        first, _ = stored.candidates(connection, stored.document(connection, run))
        claims.acquire(connection, "artifact", first.id, "me", stored.NOW)
    submit.cancel(database, run.id, stored.making())
    submit.cancel(database, run.id, stored.making())
    assert kinds() == ["run_cancel_requested"]
    resume(budget_usd=2.0)
    assert kinds() == ["run_budget_raised", "run_resumed"]
    resume()
    resume(budget_usd=1.5)
    assert kinds() == []
    resume(budget_usd=3.0)
    assert kinds() == ["run_budget_raised"]

    paused = submit.pause(database, run.id, stored.making())
    with database.write() as connection:
        limits = stored.config(budget_usd=4.0)
        submit.resume_in(connection, paused, limits, stored.NOW)
    assert kinds() == ["run_paused", "run_budget_raised", "run_resumed"]
    with database.read() as connection:
        raised = events.latest(connection, run.id, "run_budget_raised")
    assert [one["budget_usd"] for one in raised] == [2.0, 3.0, 4.0]


def test_a_cancelled_run_that_nobody_works_on_is_asked_to_stop_before_it_ends(
    database: Database, given: Given
) -> None:
    document, _ = given

    submit.cancel(database, document.run_id, stored.making())

    with database.read() as connection:
        found = events.since(connection, document.run_id, 0)
    assert [one.kind for one in found] == ["run_cancel_requested", "run_finished"]
