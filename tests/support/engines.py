"""Runs in an embedded engine, without the command line."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from acm_workers import runtime, submit
from acm_workers.engine.embedded import Engine
from acm_workers.store import results, runs
from acm_workers.store.connection.database import Database
from acm_workers.submit import RunInput
from schemas.config.config import Config
from schemas.run import RunResult
from tests.support import stored
from tests.support.project import PATIENCE_S
from tests.support.texts import first

_LOOK_S = 0.02
CALLS = 13
"""What a document takes with ``config``: 2 candidates, 2 scores, 2 comparisons, 1 combination,
2 scores of it and 4 comparisons with it."""


def config(url: str, **changes: Any) -> Config:
    """Return a config of one provider, one model, one judge and both orders."""
    alpha = {"dialect": "openai_chat", "base_url": url, "max_in_flight": 8}
    given: dict[str, Any] = {
        "providers": {"alpha": alpha},
        "pairwise": {"position_swap": "both"},
        "retries": {"attempts": 2, "base_delay_seconds": 0.05},
    }
    return stored.config(**given | changes)


def submitted(database: Database, given: Config, documents: int = 1) -> str:
    """Start a run of some documents; nobody works on it yet."""
    # What no earlier run asked, for all of them ask one simulator.
    instructions = f"Write it anew, as number {stored.new_id()}."
    work = RunInput("config.yaml", given, instructions, None, first(documents))
    run_id = submit.submit(database, work, runtime.making()).run_id
    assert run_id is not None
    return run_id


@contextmanager
def working(
    database: Database, run_id: str, let_pass: Callable[[], object] = lambda: None
) -> Iterator[Engine]:
    """Work on a run; at the end the engine is stopped.

    Args:
        let_pass: Called when nothing new is begun any more; releases the calls that are held back.
    """
    with database.read() as connection:
        given = runs.get(connection, run_id).config
    live = runtime.build(database, given)
    engine = Engine(live, run_id, given.providers)
    collecting = gc.get_threshold()
    engine.start()
    try:
        yield engine
    finally:
        live.stopping.set()
        let_pass()
        engine.stop()
        # The engine sets the collector for a process of its own; here other tests follow.
        gc.unfreeze()
        gc.set_threshold(*collecting)
    assert live.failure is None


def result(database: Database, run_id: str) -> RunResult:
    """Return what became of a run, or how far it is."""
    with database.read() as connection:
        return results.of_run(connection, run_id)


def finished(database: Database, run_id: str, deadline_s: float = PATIENCE_S) -> RunResult:
    """Wait until a run has ended; return what became of it."""
    until = time.monotonic() + deadline_s
    while (found := result(database, run_id)).state == "running":
        assert time.monotonic() < until, f"the run did not end: {found}"
        time.sleep(_LOOK_S)
    return found
