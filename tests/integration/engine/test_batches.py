"""Runs whose candidates and scores come in batches, in an engine and at a real simulator."""

from collections.abc import Iterator
from typing import Any

import pytest

from acm_workers import runtime, submit
from acm_workers.store import batches, calls, runs
from acm_workers.store.connection.database import Database
from schemas.calls import Call
from schemas.config.config import Config
from schemas.config.provider import Dialect
from tests.support import engines, simulator
from tests.support.project import wait_until
from tests.support.simulator import Simulator

_MODEL = "sim-writer"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.0, background_latency_s=0.3) as running:
        yield running


def config(there: Simulator, dialect: Dialect, model: str = _MODEL, **changes: Any) -> Config:
    """Return a config whose candidates and scores come in batches, and comparisons do not."""
    url = there.google_url if dialect == "google" else there.url
    alpha = {"dialect": dialect, "base_url": url, "poll_seconds": 0.1, "max_in_flight": 8}
    variant = {"type": "fpf", "provider": "alpha", "model": model, "iterations": 2}
    judge = {"name": "j1", "provider": "alpha", "model": "sim-judge", "iterations": 1}
    given: dict[str, Any] = {
        "providers": {"alpha": alpha},
        "runs": [{**variant, "delivery": "batch"}],
        "judges": [{**judge, "delivery": "batch"}],
        "pairwise": {"position_swap": "both", "judges": [judge]},
    }
    return engines.config(url, **given | changes)


def sent(database: Database, run_id: str) -> list[Call]:
    with database.read() as connection:
        return calls.of_run(connection, run_id)


@pytest.mark.parametrize(
    ("dialect", "fault"), [("openai", "expired"), ("anthropic", "errored"), ("google", "errored")]
)
def test_a_run_by_batch_and_live_costs_to_the_cent_what_the_provider_bills(
    sqlite_database: Database, provider: Simulator, dialect: Dialect, fault: str
) -> None:
    before = provider.stats()
    # Under a budget the most of each request is set aside before it waits for a batch.
    budget = {"budget_usd": 5.0} if dialect == "openai" else {}
    given = config(provider, dialect, f"{_MODEL}@A21.{fault}", **budget)

    run_id = engines.submitted(sqlite_database, given, documents=2)
    with engines.working(sqlite_database, run_id):
        found = engines.finished(sqlite_database, run_id)

    made = sent(sqlite_database, run_id)
    answered = [call for call in made if call.state == "done"]
    batched = [call for call in answered if call.usage.service_tier == "batch"]
    assert [document.state for document in found.documents] == ["done", "done"]
    # Candidates and their scores, but for one that failed; the playoffs and comparisons are live.
    assert (len(batched), len(answered)) == (2 * 4 - 1, 2 * engines.CALLS)
    assert all((call.reserved_usd is not None) == bool(budget) for call in made)
    assert {call.price for call in batched} == {"sim-* batch from 2020-01-01"}
    (failed,) = (call for call in made if call.state == "failed")
    (again,) = (call for call in answered if call.unit_id == failed.unit_id)
    assert (failed.cost_usd or 0.0, again.attempt, again.usage.service_tier) == (0.0, 2, None)
    after = provider.stats()
    usd = after["billed"]["usd"] - before["billed"]["usd"]
    assert after["billed"]["answers"] - before["billed"]["answers"] == len(answered)
    assert after["answered_twice"] == 0
    assert sum(call.cost_usd or 0.0 for call in made) == pytest.approx(usd, abs=1e-7)
    with sqlite_database.read() as connection:
        assert not batches.is_open(connection, run_id)
        assert batches.runs(connection, [run_id]) == []


def test_what_a_cancelled_run_has_in_batches_is_cancelled_there_and_booked(
    sqlite_database: Database,
) -> None:
    database = sqlite_database
    with simulator.running(latency_s=0.0, background_latency_s=6.0) as slow:
        given = config(slow, "openai")
        run_id = engines.submitted(database, given, documents=2)
        with engines.working(database, run_id):

            def some_answered() -> bool:
                with database.read() as connection:
                    return any(one.answered for one in batches.open_of(connection, run_id))

            wait_until(some_answered)
            submit.cancel(database, run_id, runtime.making())
            engines.finished(database, run_id)
        stats = slow.stats()

    made = sent(database, run_id)
    done = [call for call in made if call.state == "done"]
    assert len(made) == 4
    assert {call.state for call in made} <= {"done", "failed"}
    assert stats["billed"]["answers"] == len(done) >= 1
    assert stats["batches"]["cancels"] or len(done) == len(made)
    assert sum(call.cost_usd or 0.0 for call in made) == pytest.approx(stats["billed"]["usd"])
    with database.read() as connection:
        assert runs.get(connection, run_id).state == "cancelled"
        assert not batches.is_open(connection, run_id)
