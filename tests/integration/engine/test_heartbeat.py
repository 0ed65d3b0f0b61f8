"""What a worker process learns from the store it tells that it is alive."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from acm_workers import runtime
from acm_workers.engine.heartbeat import Heartbeat
from acm_workers.engine.leader import LeaseHealth
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from tests.support import stored
from tests.support.project import PATIENCE_S, wait_until

_WAITING = text(
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
    " and clock_timestamp() - query_start > interval '2 seconds'"
)


def somebody_waits(database: Database) -> bool:
    """Return whether the store has let somebody wait for some seconds."""
    with database.autocommit() as connection:
        return bool(connection.scalar(_WAITING))


@pytest.fixture
def heartbeat(postgres_database: Database) -> Iterator[Heartbeat]:
    live = WorkerRuntime(postgres_database, MemoryLimiter({}), "us")
    yield Heartbeat(live, runs.given_to_workers, LeaseHealth(0.0), stored.worker("us"))
    runtime.set_clock(timedelta(), timedelta())


def test_a_store_that_hangs_does_not_change_what_time_it_is(
    postgres_database: Database, heartbeat: Heartbeat
) -> None:
    look = threading.Thread(target=heartbeat.look)
    with postgres_database.write() as connection:
        connection.execute(text("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE"))
        look.start()
        wait_until(lambda: somebody_waits(postgres_database))
    look.join(PATIENCE_S)

    assert not look.is_alive()
    before, seen, after = datetime.now(UTC), runtime.utc_now(), datetime.now(UTC)
    assert before - timedelta(seconds=1) < seen < after + timedelta(seconds=1)
