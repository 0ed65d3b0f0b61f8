"""Answers in the background in an engine, on both kinds of store."""

from collections.abc import Iterator

import pytest

from acm_workers.store import pending_calls
from acm_workers.store.connection.database import Database
from schemas.config.config import Config
from tests.support import engines, intercepting_proxy, simulator
from tests.support.project import wait_until
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02, background_latency_s=0.1) as running:
        yield running


def config(url: str) -> Config:
    """Return a config whose candidates and whose combination are made in the background."""
    alpha = {"dialect": "openai", "base_url": url, "poll_seconds": 0.1}
    runs = [{"type": "fpf", "provider": "deep", "model": "m1", "iterations": 2}]
    return engines.config(
        url, providers={"alpha": alpha, "deep": {**alpha, "background": True}}, runs=runs
    )


def test_another_engine_takes_up_what_an_engine_has_left_in_the_background(
    database: Database, provider: Simulator
) -> None:
    before = provider.stats()["background"]["submitted"]

    def open_ones() -> int:
        with database.read() as connection:
            return len(pending_calls.awaited(connection, run_id))

    with intercepting_proxy.unfinished(provider.url) as there:
        run_id = engines.submitted(database, config(there.url))
        with engines.working(database, run_id):
            wait_until(lambda: open_ones() == 2)
        assert open_ones() == 2
        there.finish()
        with engines.working(database, run_id):
            found = engines.finished(database, run_id)

    (document,) = found.documents
    assert (document.state, document.artifacts, document.missing) == ("done", 3, 0)
    assert (found.calls.total, found.calls.uncertain) == (engines.CALLS, 0)
    assert provider.stats()["background"]["submitted"] - before == 3
