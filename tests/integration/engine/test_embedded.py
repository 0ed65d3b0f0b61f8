"""The embedded engine against a simulated provider: it ends what it begins, and pays once."""

import functools
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import func, select, update
from structlog.testing import capture_logs

from acm_workers import runtime, submit
from acm_workers.engine import publish
from acm_workers.pipeline import units
from acm_workers.store import artifacts, documents, evaluations, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import ArtifactRow, CallRow
from acm_workers.store.units import UnitMessage
from acm_workers.submit import RunInput
from schemas.run import RunResult
from tests.support import intercepting_proxy, simulator, stored
from tests.support.engines import CALLS, config, finished, submitted, working
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.05) as running:
        yield running


@pytest.fixture
def paid_twice(provider: Simulator) -> Callable[[], int]:
    """Return how to count answers that were given a second time since the test began."""
    before = provider.stats()["answered_twice"]
    return lambda: int(provider.stats()["answered_twice"]) - int(before)


def answered(database: Database, run_id: str) -> int:
    query = select(func.count()).where(CallRow.run_id == run_id, CallRow.state == "done")
    with database.read() as connection:
        return connection.scalar(query) or 0


def more_answered(database: Database, run_id: str, than: int) -> bool:
    return answered(database, run_id) > than


def unit_states(database: Database, run_id: str) -> set[str]:
    queries = [select(row.state).where(row.run_id == run_id) for row in UNIT_ROWS.values()]
    with database.read() as connection:
        return {state for query in queries for state in connection.scalars(query)}


def whole(found: RunResult, number: int) -> bool:
    """Return whether that many documents have all units they are to have, each paid once."""
    wanted = ("done", 3, 4, 6, 0)
    seen = [
        (one.state, one.artifacts, one.evaluations, one.comparisons, one.missing)
        for one in found.documents
    ]
    assert seen == [wanted] * number
    assert found.calls.model_dump() == {
        "total": CALLS * number, "failed": 0, "cached": 0, "uncertain": 0
    }  # fmt: skip
    return found.state == "done"


def test_documents_come_to_their_winners(
    database: Database, provider: Simulator, paid_twice: Callable[[], int]
) -> None:
    run_id = submitted(database, config(provider.url), 3)

    with working(database, run_id):
        found = finished(database, run_id)

    assert whole(found, 3)
    assert all(document.winner for document in found.documents)
    assert paid_twice() == 0


@pytest.mark.parametrize("swap", ["random", "none"])
def test_the_same_work_again_asks_the_same_and_pays_nothing(
    database: Database, provider: Simulator, swap: str
) -> None:
    variant = {"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 5}
    pairwise = {"strategy": "round_robin", "position_swap": swap}
    # Elo as games were played would choose parents by the order in which answers came.
    ranking = {"elo": {"order": "shuffled"}}
    more = {"runs": [variant], "pairwise": pairwise, "ranking": ranking}
    given = config(provider.url, skip="never", **more)
    work = RunInput("config.yaml", given, f"As {stored.new_id()} says.", None, first(3))
    paid, cached = [], []

    for _ in range(2):
        run_id = submit.submit(database, work, runtime.making()).run_id
        assert run_id is not None
        with working(database, run_id):
            calls = finished(database, run_id).calls
        paid.append(calls.total)
        cached.append(calls.cached)

    # Each document: 5 candidates with 5 scores and 10 pairs, 1 combination with 2 and 5.
    assert paid == [84, 0]
    assert cached == [0, 84]


def test_a_run_whose_messages_are_lost_ends_all_the_same(
    sqlite_database: Database, provider: Simulator
) -> None:
    given = config(provider.url)
    run_id = submitted(sqlite_database, given, 3)
    making = runtime.making()
    with sqlite_database.write() as connection:
        told, begun, written = documents.of_run(connection, run_id)
        documents.mark_published(connection, [told.id], making.now)
        for document in (begun, written):
            planned = units.candidates(document, given, making)
            artifacts.plan(connection, planned, making.now)
            documents.set_stage(connection, document.id, "generate")
        done = {"state": "done", "text": "# Written"}
        there = ArtifactRow.document_id == written.id
        connection.execute(update(ArtifactRow).where(there).values(**done))
        for artifact in planned:
            scored = units.evaluations(artifact, given, making)
            evaluations.plan(connection, scored, making.now)

    with working(sqlite_database, run_id):
        found = finished(sqlite_database, run_id)

    assert [document.state for document in found.documents] == ["done"] * 3
    # Identical requests of the three documents that are under way at once are sent once.
    assert found.calls.total + found.calls.cached == 3 * CALLS - 2


def test_a_document_that_fails_is_no_hindrance_for_others(
    sqlite_database: Database, provider: Simulator
) -> None:
    given = config(provider.url)
    run_id = submitted(sqlite_database, given, 2)
    making = runtime.making()
    with sqlite_database.write() as connection:
        first, _ = documents.of_run(connection, run_id)
        artifacts.plan(connection, units.candidates(first, given, making), making.now)
        documents.set_stage(connection, first.id, "generate")
        connection.execute(update(ArtifactRow).values(state="failed", error="no such model"))

    with working(sqlite_database, run_id):
        found = finished(sqlite_database, run_id)

    failed, done = found.documents
    assert (found.state, failed.state, done.state) == ("partial", "failed", "done")
    assert "no such model" in (failed.reason or "")
    assert done.comparisons == 6


def test_a_model_that_never_answers_fails_its_own_units_only(
    sqlite_database: Database, provider: Simulator
) -> None:
    variants = [{"type": "fpf", "provider": "alpha", "model": name} for name in ("m1", "m2@500")]
    run_id = submitted(sqlite_database, config(provider.url, runs=variants))

    with working(sqlite_database, run_id):
        found = finished(sqlite_database, run_id)

    (document,) = found.documents
    assert (document.state, document.artifacts, document.missing) == ("done", 1, 1)
    assert "only candidate" in (document.reason or "")
    assert found.calls.failed == 2


def test_an_engine_that_is_stopped_leaves_nothing_behind_and_another_goes_on(
    database: Database, provider: Simulator, paid_twice: Callable[[], int]
) -> None:
    with intercepting_proxy.holding(provider.url, passes=5) as held:
        run_id = submitted(database, config(held.url), 2)
        with working(database, run_id, held.open):
            wait_until(lambda: answered(database, run_id) >= 5)

        with database.read() as connection:
            assert runs.running(connection) == [run_id]
        left = unit_states(database, run_id)
        paid = answered(database, run_id)
        with working(database, run_id):
            found = finished(database, run_id)

    assert "claimed" not in left
    assert paid < 2 * CALLS
    assert whole(found, 2)
    assert paid_twice() == 0


def test_however_often_a_unit_is_delivered_it_is_paid_once(
    sqlite_database: Database, provider: Simulator, paid_twice: Callable[[], int]
) -> None:
    run_id = submitted(sqlite_database, config(provider.url))

    with working(sqlite_database, run_id):
        while (calls := answered(sqlite_database, run_id)) < CALLS:
            deliver_again(sqlite_database, run_id)
            wait_until(functools.partial(more_answered, sqlite_database, run_id, calls))
        found = finished(sqlite_database, run_id)

    assert whole(found, 1)
    assert paid_twice() == 0


def deliver_again(database: Database, run_id: str) -> None:
    """Send the message of everything there is once more, and of what is not there at all."""
    with database.read() as connection:
        everything = [
            UnitMessage(kind, unit_id, document_id, lane)
            for kind, row in UNIT_ROWS.items()
            for unit_id, document_id, lane in connection.execute(
                select(row.id, row.document_id, row.lane).where(row.run_id == run_id)
            )
        ]
        (document,) = documents.of_run(connection, run_id)
    publish.start(database, [document.id])
    publish.units(
        database, [*everything, UnitMessage("artifact", "nobody", document.id, "generate.alpha")]
    )
    publish.advance(document.id)
    publish.advance("nobody")


def test_a_result_that_no_store_takes_is_a_failed_unit(
    postgres_database: Database, provider: Simulator
) -> None:
    judge = {"name": "j" * 300, "provider": "alpha", "model": "j1", "iterations": 1}
    run_id = submitted(postgres_database, config(provider.url, judges=[judge]))

    with capture_logs() as logged, working(postgres_database, run_id):
        found = finished(postgres_database, run_id)

    (document,) = found.documents
    # A message that an engine before has left may be told as well: its document is gone.
    assert [entry["event"] for entry in logged].count("a result cannot be saved") == 2
    assert (document.state, document.missing) == ("failed", 2)
    assert "a fault of ACM" in (document.reason or "")
