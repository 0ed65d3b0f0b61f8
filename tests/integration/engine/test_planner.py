"""Which Workers a process has as runs begin and end."""

from acm_workers.engine.worker_plan import Planner, WorkerOptions
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas.scope import Scope
from tests.support import stored


def test_what_no_run_needs_is_served_for_another_hour(database: Database) -> None:
    now = 0.0
    planner = Planner(WorkerOptions(everything=True, threads=1), lambda: now)
    with database.write() as connection:
        run = stored.run(connection, scope=Scope("T1"))
        runs.give_to_workers(connection, run.id)

    def planned_names() -> list[str]:
        with database.read() as connection:
            return [group.name for group in planner.plan(connection).groups]

    needed = planned_names()
    with database.write() as connection:
        runs.finish(connection, run.id, "done", stored.NOW, None)
    now = 3600.0
    kept = planned_names()
    now = 3601.0

    assert needed == kept == ["control", "T1/alpha"]
    assert planned_names() == ["control"]
