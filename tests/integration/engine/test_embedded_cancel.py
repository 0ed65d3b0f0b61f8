"""Cancelling a run that an engine works on, and letting it go on."""

from collections.abc import Iterator

import pytest

from acm_workers import runtime, submit
from acm_workers.errors import RequestError
from acm_workers.store import claims, documents, results, runs, units
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.run import RunResult
from tests.support import intercepting_proxy, simulator
from tests.support.engines import CALLS, config, finished, submitted, working
from tests.support.project import wait_until
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.05) as running:
        yield running


def progress(database: Database, run_id: str) -> Progress:
    with database.read() as connection:
        return results.progress(connection, run_id)


def is_whole(found: RunResult, number: int) -> bool:
    wanted = ("done", 3, 4, 6, 0)
    return [wanted] * number == [
        (one.state, one.artifacts, one.evaluations, one.comparisons, one.missing)
        for one in found.documents
    ]


@pytest.mark.parametrize("calls", [2, 7])
def test_a_run_that_was_cancelled_goes_on_as_if_nothing_had_been(
    database: Database, provider: Simulator, calls: int
) -> None:
    before = provider.stats()["answered_twice"]

    with intercepting_proxy.holding(provider.url, passes=calls - 1) as held:
        run_id = submitted(database, config(held.url), 2)
        with working(database, run_id, held.open):
            wait_until(lambda: progress(database, run_id).calls.sent >= calls)
            submit.cancel(database, run_id, runtime.making())
            held.open()
            cancelled = finished(database, run_id)
        submit.resume(database, run_id, runtime.making())
        with working(database, run_id):
            found = finished(database, run_id)

    assert cancelled.state == "cancelled"
    assert cancelled.calls.total < 2 * CALLS
    assert progress(database, run_id).calls.in_flight == 0
    assert is_whole(found, 2)
    assert found.calls.total == 2 * CALLS
    assert provider.stats()["answered_twice"] == before


def test_a_document_does_not_end_with_what_it_has_when_the_rest_is_cancelled(
    sqlite_database: Database, provider: Simulator
) -> None:
    with intercepting_proxy.holding(provider.url) as held:
        alpha = {"dialect": "openai_chat", "base_url": held.url, "max_in_flight": 1}
        run_id = submitted(sqlite_database, config(held.url, providers={"alpha": alpha}))
        with working(sqlite_database, run_id, held.open):
            wait_until(lambda: progress(sqlite_database, run_id).calls.sent == 1)
            submit.cancel(sqlite_database, run_id, runtime.making())
            held.open()
            cancelled = finished(sqlite_database, run_id)
        submit.resume(sqlite_database, run_id, runtime.making())
        with working(sqlite_database, run_id):
            found = finished(sqlite_database, run_id)

    assert (cancelled.state, cancelled.documents[0].winner) == ("cancelled", None)
    assert is_whole(found, 1)


def test_nothing_is_sent_for_a_run_that_was_cancelled_before_anybody_worked_on_it(
    sqlite_database: Database, provider: Simulator
) -> None:
    run_id = submitted(sqlite_database, config(provider.url))

    submit.cancel(sqlite_database, run_id, runtime.making())

    found = progress(sqlite_database, run_id)
    assert (found.state, found.stages) == ("cancelled", {"cancelled": 1})
    with pytest.raises(RequestError, match="cannot be cancelled: it is cancelled"):
        submit.cancel(sqlite_database, run_id, runtime.making())


def test_a_run_that_was_cancelled_under_a_dead_worker_goes_on_whole(
    sqlite_database: Database, provider: Simulator
) -> None:
    with intercepting_proxy.holding(provider.url, passes=2) as held:
        run_id = submitted(sqlite_database, config(held.url), 2)
        with working(sqlite_database, run_id, held.open):
            wait_until(lambda: progress(sqlite_database, run_id).calls.sent >= 3)
        with sqlite_database.write() as connection:
            units.mark_all_unsent(connection, run_id)
            for unit in units.unpublished(connection, run_id, runtime.utc_now())[:1]:
                claims.acquire(connection, unit.kind, unit.id, "dead", runtime.utc_now())

        submit.cancel(sqlite_database, run_id, runtime.making())
        state = progress(sqlite_database, run_id).state
        submit.resume(sqlite_database, run_id, runtime.making())
        with working(sqlite_database, run_id):
            found = finished(sqlite_database, run_id)

    assert state == "running"
    assert is_whole(found, 2)
    assert found.calls.total == 2 * CALLS


def test_the_same_command_again_lets_a_cancelled_run_go_on(
    sqlite_database: Database, provider: Simulator
) -> None:
    given = config(provider.url)
    run_id = submitted(sqlite_database, given)
    with sqlite_database.read() as connection:
        run = runs.get(connection, run_id)
        (document,) = documents.of_run(connection, run_id)
        text = documents.text(connection, document.id)
    work = submit.RunInput(run.title, given, run.instructions, None, {document.path: text})

    submit.cancel(sqlite_database, run_id, runtime.making())
    again = submit.submit(sqlite_database, work, runtime.making())
    with working(sqlite_database, run_id):
        found = finished(sqlite_database, run_id)

    assert (again.run_id, again.resumed) == (run_id, True)
    assert is_whole(found, 1)


def test_failed_units_are_tried_again_only_where_that_is_asked(
    sqlite_database: Database, provider: Simulator
) -> None:
    judges = [
        {"name": "good", "provider": "alpha", "model": "j1", "iterations": 1},
        {"name": "broken", "provider": "alpha", "model": "j2@500", "iterations": 1},
    ]
    given = config(provider.url, judges=judges, retries={"attempts": 1, "give_up_after": None})
    run_id = submitted(sqlite_database, given)
    with working(sqlite_database, run_id):
        finished(sqlite_database, run_id)

    with pytest.raises(RequestError, match="nothing left to do"):
        submit.resume(sqlite_database, run_id, runtime.making())
    failed = submit.resume(sqlite_database, run_id, runtime.making(), failed=True)
    with working(sqlite_database, run_id):
        found = finished(sqlite_database, run_id)

    (document,) = found.documents
    assert failed == document.missing == 4 + 6
    assert (document.state, document.artifacts, document.evaluations) == ("done", 3, 4)
    assert found.calls.total == 3 + 4 + 6 + 2 * 10
