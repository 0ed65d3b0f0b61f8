"""Calls are counted for monitoring once each, however they end, and in bounded steps."""

from datetime import datetime, timedelta

import pytest
from ulid import ULID

from acm_workers.monitoring.counts import CallCounter
from acm_workers.store import call_metrics, calls
from acm_workers.store.call_metrics import CallKind
from acm_workers.store.connection.database import Database
from schemas.calls import Call, Usage
from schemas.units import Artifact
from tests.support import stored
from tests.support.stored import NOW, at

_LATER = NOW + timedelta(hours=2)
_DONE = CallKind("alpha", "m1", "done", cached=False, error=None)
_FAILED = CallKind("alpha", "m1", "failed", cached=False, error="rate_limited")


@pytest.fixture
def unit(database: Database) -> Artifact:
    with database.write() as connection:
        document = stored.document(connection, stored.run(connection))
        return stored.candidates(connection, document)[0]


def begin(database: Database, unit: Artifact, moment: datetime, **changes: object) -> Call:
    """Write down a call at a moment, as its id tells."""
    call = stored.call(unit, id=str(ULID.from_datetime(moment)), **changes)
    with database.write() as connection:
        calls.start(connection, call)
    return call


def end(database: Database, call: Call, state: str = "done", **changes: object) -> None:
    """Write down how a call ended."""
    values = {"state": state, "ended_at": at(60), "cost_usd": 0.25, "answer": "text", **changes}
    usage = Usage(input_tokens=10, output_tokens=3)
    ended = Call.model_validate({**call.model_dump(), "usage": usage, **values})
    with database.write() as connection:
        calls.end(connection, [ended])


def number(counts: CallCounter, moment: datetime, kind: CallKind = _DONE) -> int | None:
    """Return how many calls of a kind there are; None while nobody knows."""
    found = counts.read(moment)
    return None if found is None else (found[kind].calls if kind in found else 0)


def test_calls_of_all_ages_are_counted_once_however_often_one_looks(
    database: Database, unit: Artifact
) -> None:
    counts = CallCounter(database)
    assert number(counts, NOW) == 0
    for minutes in (0, 1, 119, 120):
        end(database, begin(database, unit, NOW + timedelta(minutes=minutes)))

    assert [number(counts, _LATER) for _ in range(3)] == [4, 4, 4]
    assert number(counts, _LATER + timedelta(hours=1)) == 4
    assert number(CallCounter(database), _LATER) == 4


def test_a_call_that_ends_long_after_it_was_passed_is_counted_then(
    database: Database, unit: Artifact
) -> None:
    counts = CallCounter(database)
    slow = begin(database, unit, NOW)
    assert number(counts, _LATER) == 0

    end(database, slow, "failed", error_kind="rate_limited")

    assert [number(counts, _LATER, _FAILED) for _ in range(2)] == [1, 1]
    assert number(counts, _LATER) == 0


def test_tokens_cost_and_unknown_cost_are_added_up(database: Database, unit: Artifact) -> None:
    for cost in (0.25, 0.5, None):
        end(database, begin(database, unit, NOW), cost_usd=cost)

    found = CallCounter(database).read(_LATER)

    assert found is not None
    tally = found[_DONE]
    assert tally.tokens == (30, 9, 0, 0, 0)
    assert (tally.cost_usd, tally.unpriced) == (0.75, 1)


def test_what_the_cache_answered_is_told_apart(database: Database, unit: Artifact) -> None:
    begin(database, unit, NOW, state="done", cached=True, ended_at=NOW, cost_usd=0.0)

    found = CallCounter(database).read(_LATER)

    assert found is not None
    assert [(kind.cached, tally.calls) for kind, tally in found.items()] == [(True, 1)]


def test_a_large_store_is_caught_up_with_bit_by_bit_and_told_only_whole(
    database: Database, unit: Artifact
) -> None:
    for seconds in range(25):
        end(database, begin(database, unit, NOW + timedelta(seconds=seconds)))
    counts = CallCounter(database, page=2)

    told = [number(counts, _LATER) for _ in range(3)]

    assert told == [None, 25, 25]


def test_runs_and_calls_under_way_are_counted(database: Database, unit: Artifact) -> None:
    begin(database, unit, NOW)
    end(database, begin(database, unit, NOW))

    with database.read() as connection:
        assert call_metrics.in_flight(connection) == {"alpha": 1}
        assert call_metrics.runs(connection) == {"running": 1}
