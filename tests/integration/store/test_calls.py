"""The ledger: what was sent, what it cost, and which answers serve again."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, text
from ulid import ULID

from acm_workers.store import batches, calls
from acm_workers.store.connection.database import Database
from schemas.calls import Call, Completion, Evidence, Source, Usage
from schemas.units import Artifact
from tests.support import stored
from tests.support.stored import at

DIGEST = "d" * 64
USAGE = Usage(
    input_tokens=100,
    output_tokens=20,
    cached_tokens=5,
    cache_write_tokens=6,
    reasoning_tokens=7,
    searches=3,
    search_tokens=60,
    service_tier="flex",
)
EVIDENCE = Evidence(
    grounding="cited",
    reasoning="summary",
    queries=("how bees keep warm", "漢字"),
    sources=(Source(url="https://example.org/a", title="A"), Source(url="https://example.org/b")),
    summary="I looked at 🐝 first.",
)


MANY_CALLS = (
    "insert into calls (call_id, run_id, document_id, unit_id, unit_kind, stage, attempt,"
    " provider, model, digest, iteration, state, cached, reusable, wait_s, started_at, owner,"
    " tenant_id) select 'L' || n, :run, :document, 'A', 'artifact', 'main', 1, 'alpha', 'm',"
    " 'd' || n, 1, 'done', false, true, 0, :now, 'w', 'default' from generate_series(1, :rows) n"
)


@pytest.fixture
def units(database: Database) -> list[Artifact]:
    with database.write() as connection:
        document = stored.document(connection, stored.run(connection))
        return stored.candidates(connection, document)


def keep(database: Database, unit: Artifact, **changes: Any) -> Call:
    """Start a call and end it, as a worker does."""
    begun = stored.call(unit)
    done = {"state": "done", "answer": "text", "finish_reason": "stop", "status": 200}
    ended = Call.model_validate({**begun.model_dump(), **done, "ended_at": at(2), **changes})
    with database.write() as connection:
        asked = {"digest": ended.digest, "reserved_usd": ended.reserved_usd}
        calls.start(connection, begun.model_copy(update=asked))
        calls.end(connection, [ended])
    return ended


def answered(
    database: Database, digest: str = DIGEST, sample: int = 1, unit: Artifact | None = None
) -> Completion | None:
    with database.read() as connection:
        return calls.find_answer(connection, digest, sample, None if unit is None else unit.id)


def totals(database: Database, unit: Artifact) -> calls.CallTotals:
    with database.read() as connection:
        return calls.totals(connection, unit.run_id)


def test_a_call_is_there_before_it_is_answered(database: Database, units: list[Artifact]) -> None:
    begun = stored.call(units[0], wait_s=0.25)
    with database.write() as connection:
        calls.start(connection, begun)

        assert calls.of_run(connection, begun.run_id) == [begun]
    assert totals(database, units[0])._asdict() == {
        **dict.fromkeys(("failed", "cached", "uncertain", "unpriced", "uncertain_usd"), 0),
        "sent": 1,
        "in_flight": 1,
        "cost_usd": 0.0,
    }


def test_a_call_comes_back_as_it_ended(database: Database, units: list[Artifact]) -> None:
    begun = stored.call(units[0])
    ended = begun.model_copy(
        update={
            "state": "done",
            "status": 200,
            "finish_reason": "stop",
            "usage": USAGE,
            "cost_usd": 0.1 + 0.2,
            "price": "table 2026-01-01",
            "response_id": "resp",
            "request_id": "req",
            "ended_at": at(2.5),
            "answer": "The answer, 漢字 🦊",
        }
    )
    with database.write() as connection:
        calls.start(connection, begun)
        calls.end(connection, [ended])

        assert calls.of_run(connection, begun.run_id) == [ended.model_copy(update={"answer": None})]
        assert calls.find_answer(connection, DIGEST, 1) == Completion(
            text="The answer, 漢字 🦊",
            finish_reason="stop",
            usage=USAGE,
            response_id="resp",
            request_id="req",
        )


def test_an_answer_comes_back_with_all_that_it_proves(
    database: Database, units: list[Artifact]
) -> None:
    """Else an answer that serves again would be asked for again, for want of evidence."""
    call = keep(database, units[0], evidence=EVIDENCE)

    found = answered(database)

    assert found is not None
    assert found.evidence == EVIDENCE
    with database.read() as connection:
        of_run = calls.of_run(connection, call.run_id)
    assert [kept.evidence for kept in of_run] == [Evidence(grounding="cited", reasoning="summary")]


def test_a_paused_answer_can_go_on_after_a_restart(
    database: Database, units: list[Artifact]
) -> None:
    so_far = ({"type": "text", "text": "It is"}, {"type": "other", "deep": [1, None, "x"]})
    keep(database, units[0], finish_reason="pause", so_far=so_far)

    found = answered(database)

    assert found is not None
    assert (found.finish_reason, found.so_far) == ("pause", so_far)


def test_several_calls_end_together(database: Database, units: list[Artifact]) -> None:
    begun = [stored.call(units[0], digest=letter * 64) for letter in "abc"]
    done = {"state": "done", "answer": "text", "finish_reason": "stop", "status": 200}
    with database.write() as connection:
        for call in begun:
            calls.start(connection, call)
        calls.end(connection, [call.model_copy(update=done) for call in begun])
        calls.end(connection, [])

    assert totals(database, units[0]).in_flight == 0
    assert answered(database, "c" * 64) is not None


def test_an_answer_serves_the_same_request_and_sample_only(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0], answer="mine")

    found = answered(database)

    assert found is not None
    assert found.text == "mine"
    assert answered(database, "e" * 64) is None
    assert answered(database, sample=2) is None


def test_a_unit_can_be_given_its_own_answers_only(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0])

    assert answered(database, unit=units[0]) is not None
    assert answered(database, unit=units[1]) is None


def test_the_newest_answer_serves(database: Database, units: list[Artifact]) -> None:
    for answer in ("old", "new"):
        keep(database, units[0], answer=answer)

    found = answered(database)

    assert found is not None
    assert found.text == "new"


def test_answers_of_a_failed_unit_do_not_serve_again(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0])
    keep(database, units[1], digest="e" * 64)
    with database.write() as connection:
        calls.withdraw_answers(connection, units[0].id)

    assert answered(database) is None
    assert answered(database, unit=units[0]) is None
    assert answered(database, "e" * 64) is not None


def test_what_was_not_answered_does_not_serve(database: Database, units: list[Artifact]) -> None:
    keep(database, units[0], state="failed", answer=None, finish_reason=None)
    keep(database, units[0], state="uncertain", answer=None, finish_reason=None)
    with database.write() as connection:
        calls.start(connection, stored.call(units[0]))
        cached = {"state": "done", "cached": True, "cost_usd": 0.0}
        calls.start(connection, stored.call(units[0], **cached))

    assert answered(database) is None


def test_only_calls_of_the_dead_are_in_doubt(database: Database, units: list[Artifact]) -> None:
    keep(database, units[0], owner="dead")
    with database.write() as connection:
        mine = stored.call(units[0], owner="me")
        lost = stored.call(units[1], owner="dead")
        for call in (mine, lost):
            calls.start(connection, call)

        assert calls.mark_uncertain(connection, "me", mine.run_id, at(9)) == 1
        assert calls.mark_uncertain(connection, "me", mine.run_id, at(9)) == 0

        found = {call.id: call for call in calls.of_run(connection, mine.run_id)}
        assert (found[lost.id].state, found[lost.id].ended_at) == ("uncertain", at(9))
        assert found[lost.id].error_kind == "uncertain"
        assert found[mine.id].state == "started"
    assert (totals(database, units[0]).uncertain, totals(database, units[0]).in_flight) == (1, 1)


def test_the_calls_of_each_run_are_summed_apart_and_a_run_without_calls_has_none(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0], cost_usd=0.25)
    keep(database, units[1], cost_usd=0.5)

    with database.read() as connection:
        found = calls.totals_by_run(connection, [units[0].run_id, "no-such-run"])

    assert found[units[0].run_id] == totals(database, units[0])
    assert found[units[0].run_id].cost_usd == 0.75
    assert (found["no-such-run"].sent, found["no-such-run"].cost_usd) == (0, 0.0)


def test_totals_count_what_was_sent_and_what_was_not(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0], cost_usd=0.25)
    keep(database, units[0], cost_usd=0.5)
    keep(database, units[1], state="failed", answer=None, finish_reason=None)
    with database.write() as connection:
        cached = stored.call(units[1], state="done", cached=True, cost_usd=0.0)
        calls.start(connection, cached)
        calls.start(connection, stored.call(units[1]))

    assert totals(database, units[0])._asdict() == {
        "sent": 4,
        "failed": 1,
        "cached": 1,
        "uncertain": 0,
        "in_flight": 1,
        "cost_usd": 0.75,
        "unpriced": 0,
        "uncertain_usd": 0.0,
    }


def test_uncertain_calls_may_have_cost_what_was_set_aside_for_them(
    database: Database, units: list[Artifact]
) -> None:
    for most, cost in ((0.25, None), (0.5, None), (0.5, 0.125)):
        keep(database, units[0], state="uncertain", reserved_usd=most, cost_usd=cost)
    bounded = totals(database, units[0])
    keep(database, units[0], state="uncertain", reserved_usd=None, cost_usd=None)

    assert (bounded.cost_usd, bounded.uncertain_usd) == (0.125, 0.75)
    assert totals(database, units[0]).uncertain_usd is None


def test_an_answer_without_a_price_is_counted_not_taken_as_free(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0], cost_usd=None)
    keep(database, units[0], cost_usd=0.5)

    found = totals(database, units[0])

    assert (found.unpriced, found.cost_usd) == (1, 0.5)


def test_a_run_without_calls_cost_nothing(database: Database, units: list[Artifact]) -> None:
    assert set(totals(database, units[0])) == {0}


def test_calls_take_times_to_the_microsecond(database: Database, units: list[Artifact]) -> None:
    started_at = at(1) + timedelta(microseconds=123_457)
    with database.write() as connection:
        calls.start(connection, stored.call(units[0], started_at=started_at))

        assert calls.of_run(connection, units[0].run_id)[0].started_at == started_at


def test_what_a_unit_cost_is_unknown_while_a_call_of_it_is_in_flight(
    database: Database, units: list[Artifact]
) -> None:
    keep(database, units[0], cost_usd=0.5)
    with database.read() as connection:
        before = calls.spent_on(connection, units[0].id)

    with database.write() as connection:
        calls.start(connection, stored.call(units[0]))
        after = calls.spent_on(connection, units[0].id)

    assert (before, after) == (0.5, None)


def test_a_page_of_calls_is_read_in_the_order_of_an_index_before_postgres_knows_the_table(
    postgres_database: Database,
) -> None:
    with postgres_database.write() as connection:
        document = stored.document(connection, stored.run(connection))
        unit = stored.candidates(connection, document)[0]
        values = {"run": unit.run_id, "document": document.id, "now": at(0), "rows": 20_000}
        connection.execute(text(MANY_CALLS), values)
    statements: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    event.listen(postgres_database.engine, "before_cursor_execute", note)
    try:
        with postgres_database.read() as connection:
            page = calls.page(connection, unit.run_id, 51)
            statement, parameters = statements[-1]
            plan = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars().all()
    finally:
        event.remove(postgres_database.engine, "before_cursor_execute", note)

    assert len(page) == 51
    assert "calls_listed" in "\n".join(plan)
    assert not any("Sort" in line for line in plan)


def test_the_latest_starts_are_those_of_requests_that_were_sent_to_the_provider_since(
    database: Database, units: list[Artifact]
) -> None:
    unit = units[0]

    def started(seconds: float, **changes: Any) -> Call:
        call_id = str(ULID.from_datetime(at(seconds)))
        call = stored.call(unit, id=call_id, started_at=at(seconds), provider="alpha", model="m1")
        return call.model_copy(update=changes)

    with database.write() as connection:
        for call in (
            started(9),
            started(10.5),
            started(20, provider="other"),
            started(30, state="done", cached=True),
            in_batch := started(40),
            ended := started(50, model="m2"),
            started(60),
        ):
            calls.start(connection, call)
        batches.add_request(connection, in_batch, {})
        done = {"state": "done", "usage": USAGE, "ended_at": at(55)}
        calls.end(connection, [ended.model_copy(update=done)])
        found = calls.latest_starts(connection, "alpha", at(10), None)
        last = calls.latest_starts(connection, "alpha", at(10), 1)

    assert found == [(at(60), "m1", 0), (at(50), "m2", 120), (at(10.5), "m1", 0)]
    assert last == found[:1]
