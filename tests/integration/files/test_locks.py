"""Locks of runs, and complete files, as other processes see them."""

import threading

from acm_api.files import export, locks
from acm_workers.store import events, reports
from acm_workers.store.connection.database import Database
from tests.support import stored
from tests.support.project import PATIENCE_S
from tests.support.stored import at


def _nobody_waits() -> None:
    raise AssertionError("nobody else has the lock")


def test_who_has_the_lock_of_a_run_is_seen_by_others(database: Database) -> None:
    before = locks.is_held(database, "RUN")
    with locks.run_lock(database, "RUN", _nobody_waits):
        meanwhile, of_another = (locks.is_held(database, run) for run in ("RUN", "ANOTHER"))
    after = locks.is_held(database, "RUN")

    assert (before, meanwhile, after) == (False, True, False)
    # On a server each run has a lock of its own.
    assert of_another is database.is_sqlite


def test_a_process_that_executes_a_run_waits_for_another_one_on_the_same_store(
    database: Database,
) -> None:
    waits, begun = threading.Event(), threading.Event()

    def execute() -> None:
        with locks.run_lock(database, "ANOTHER", waits.set, executes=True):
            begun.set()

    other = threading.Thread(target=execute)
    with locks.run_lock(database, "RUN", _nobody_waits, executes=True):
        other.start()
        assert waits.wait(PATIENCE_S)
        meanwhile = begun.is_set()
    other.join()

    assert (meanwhile, begun.is_set()) == (False, True)


def test_files_are_complete_once_the_report_tells_the_end_of_the_run(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

    def complete_after(seconds: float, *, report: bool) -> bool:
        with database.write() as connection:
            if report:
                reports.replace(connection, run.id, "reports/index.html", at(seconds))
            else:
                events.add(connection, run.id, "note", at(seconds))
        return export.is_complete(database, run.id)

    assert not export.is_complete(database, run.id)
    assert not complete_after(1, report=False)
    assert complete_after(2, report=True)
    assert not complete_after(3, report=False)
    assert complete_after(4, report=True)
