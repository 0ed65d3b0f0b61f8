"""One budget, many processes with many threads each, some of which die."""

import time
from contextlib import ExitStack

import pytest
from sqlalchemy import select

from acm_workers.store import budgets, calls
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import BudgetRow, CallRow
from schemas.units import Artifact
from tests.support import stored, together
from tests.support.budget_calls import MOST_USD, paying_process
from tests.support.project import wait_until

_BUDGET_USD = 4.0
_PROCESSES, _THREADS = 4, 16


@pytest.fixture
def unit(database: Database) -> Artifact:
    with database.write() as connection:
        return stored.scene(connection).candidates[0]


def taken(database: Database, run_id: str) -> float:
    """Return what is kept as taken, which is never above the budget."""
    with database.read() as connection:
        query = select(BudgetRow.taken_usd).where(BudgetRow.run_id == run_id)
        return connection.scalar(query) or 0.0


def test_processes_never_pass_a_budget_together(database: Database, unit: Artifact) -> None:
    most = 0.0
    with ExitStack() as stack:
        started = [
            paying_process(database, unit, f"p{number}", _BUDGET_USD, _THREADS)
            for number in range(_PROCESSES)
        ]
        processes = [stack.enter_context(one) for one in started]
        together.begin(processes)
        while any(one.poll() is None for one in processes):
            most = max(most, taken(database, unit.run_id))
            time.sleep(0.05)
        paid = [float(one.communicate()[0]) for one in processes]

    with database.read() as connection:
        spent = budgets.committed_usd(connection, unit.run_id)
        assert budgets.closed(connection, unit.run_id, _BUDGET_USD) is not None
    assert sum(amount > 0 for amount in paid) >= 2
    assert _BUDGET_USD - MOST_USD - 1e-6 < sum(paid) <= _BUDGET_USD
    assert spent == pytest.approx(sum(paid))
    assert taken(database, unit.run_id) == pytest.approx(spent)
    assert most <= _BUDGET_USD


def test_what_a_killed_process_had_under_way_stays_set_aside(
    database: Database, unit: Artifact
) -> None:
    with (
        paying_process(database, unit, "dies", _BUDGET_USD, _THREADS) as dies,
        paying_process(database, unit, "lives", _BUDGET_USD, _THREADS) as lives,
    ):
        together.begin([dies, lives])
        wait_until(lambda: taken(database, unit.run_id) >= _BUDGET_USD / 4)
        dies.kill()
        dies.wait()
        while lives.poll() is None:
            # Again and again, as the sweep does: the server may still be at its last statement.
            with database.write() as connection:
                calls.mark_uncertain_of_owner(connection, "dies", stored.NOW)
            time.sleep(0.1)
        paid = float(lives.communicate()[0])

    with database.read() as connection:
        query = select(CallRow.cost_usd).where(CallRow.owner == "dies", CallRow.state == "done")
        before = sum(connection.scalars(query))
        spent = budgets.committed_usd(connection, unit.run_id)
        lost = calls.totals(connection, unit.run_id).uncertain
    assert lives.returncode == 0
    assert _BUDGET_USD - MOST_USD - 1e-6 < spent <= _BUDGET_USD
    assert spent == pytest.approx(before + paid + lost * MOST_USD)
    assert taken(database, unit.run_id) == pytest.approx(spent)
