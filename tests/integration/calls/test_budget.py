"""Budgets: what is set aside with a call, what is taken, and that the sum is never passed."""

import threading

import pytest
from sqlalchemy import select

from acm_workers.calls.budget import RunBudget
from acm_workers.errors import BudgetSpent, Cancelled
from acm_workers.store import budgets, calls, pending_calls
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import BudgetRow
from schemas.units import Artifact
from tests.support import stored
from tests.support.budget_calls import begin, end, in_threads, never
from tests.support.project import PATIENCE_S, wait_until


@pytest.fixture
def unit(database: Database) -> Artifact:
    with database.write() as connection:
        return stored.scene(connection).candidates[0]


def sums(database: Database, run_id: str) -> tuple[float, float]:
    """Return what calls have taken: as it is kept, and as it is added up."""
    with database.read() as connection:
        query = select(BudgetRow.taken_usd).where(BudgetRow.run_id == run_id)
        return connection.scalars(query).one(), budgets.committed_usd(connection, run_id)


def test_what_is_left_of_a_call_can_be_spent_again(database: Database, unit: Artifact) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)

    for _ in range(4):
        end(database, begin(database, budget, unit, 0.69), 0.1)

    with pytest.raises(BudgetSpent, match=r"\$0.4000 are spent, and it may cost up to \$0.6900"):
        begin(database, budget, unit, 0.69)
    assert sums(database, unit.run_id) == pytest.approx((0.4, 0.4))


def test_what_uncertain_calls_may_have_cost_is_told_beside_what_is_spent(
    database: Database, unit: Artifact
) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    end(database, begin(database, budget, unit, 0.4), 0.25)
    for _ in range(2):
        begin(database, budget, unit, 0.3, owner="who died")
    with database.write() as connection:
        calls.mark_uncertain(connection, "me", unit.run_id, stored.NOW)

    with pytest.raises(BudgetSpent) as caught:
        begin(database, budget, unit, 0.3)

    assert str(caught.value) == (
        "the budget of $1.0000 does not allow the next call: $0.2500 are spent, and up to $0.6000"
        " for 2 uncertain calls, and it may cost up to $0.3000"
    )


def test_what_was_spent_before_there_was_a_budget_counts(
    database: Database, unit: Artifact
) -> None:
    with database.write() as connection:
        calls.start(connection, stored.call(unit, state="done", cost_usd=0.6))

    with pytest.raises(BudgetSpent, match=r"budget of \$1.0000 does not allow"):
        begin(database, RunBudget(database, unit.run_id, 1.0), unit, 0.5)


def test_the_end_of_a_call_from_before_there_was_a_budget_counts(
    database: Database, unit: Artifact
) -> None:
    with database.write() as connection:
        calls.start(connection, stored.call(unit))
        pending_calls.mark_submitted(
            connection, calls.of_run(connection, unit.run_id)[0].id, "there"
        )
    begin(database, RunBudget(database, unit.run_id, 1.0), unit, 0.25)

    with database.read() as connection:
        found = pending_calls.awaited(connection, unit.run_id)
    end(database, found[0], 0.5)

    assert sums(database, unit.run_id) == pytest.approx((0.75, 0.75))


def test_once_closed_nothing_is_let_through_however_little_it_takes(
    database: Database, unit: Artifact
) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    with pytest.raises(BudgetSpent):
        begin(database, budget, unit, 2.0)

    with pytest.raises(BudgetSpent, match=r"up to \$2.0000"):
        begin(database, budget, unit, 0.1)
    with pytest.raises(BudgetSpent, match=r"up to \$2.0000"):  # another process
        begin(database, RunBudget(database, unit.run_id, 1.0), unit, 0.1)


def test_a_higher_budget_opens_a_run_again(database: Database, unit: Artifact) -> None:
    with pytest.raises(BudgetSpent):
        begin(database, RunBudget(database, unit.run_id, 1.0), unit, 2.0)

    begin(database, RunBudget(database, unit.run_id, 3.0), unit, 2.0)

    assert sums(database, unit.run_id) == (2.0, 2.0)
    with database.read() as connection:
        assert budgets.closed(connection, unit.run_id, 3.0) is None
        assert budgets.closed(connection, unit.run_id, 0.5) is None  # a call is under way


def test_it_is_told_that_a_run_is_closed_once_nothing_is_under_way(
    database: Database, unit: Artifact
) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    call = begin(database, budget, unit, 0.9)

    def later() -> None:
        with pytest.raises(BudgetSpent):
            begin(database, budget, unit, 0.8)

    waiting = threading.Thread(target=later)
    waiting.start()
    wait_until(lambda: budget.waiting == 1)
    with database.read() as connection:
        before = budgets.closed(connection, unit.run_id, 1.0)

    end(database, call, 0.5)
    waiting.join(PATIENCE_S)

    assert before is None
    with database.read() as connection:
        assert "$0.5000 are spent" in (budgets.closed(connection, unit.run_id, 1.0) or "")


def test_a_call_waits_as_long_as_others_may_leave_enough(
    database: Database, unit: Artifact
) -> None:
    budget, order = RunBudget(database, unit.run_id, 1.0), list[str]()
    first = begin(database, budget, unit, 0.9)

    def later() -> None:
        begin(database, budget, unit, 0.8)
        order.append("second")

    waiting = threading.Thread(target=later)
    waiting.start()
    wait_until(lambda: budget.waiting == 1)
    order.append("first")
    end(database, first, 0.1)
    waiting.join(PATIENCE_S)

    assert order == ["first", "second"]
    assert (budget.waiting, budget.head_is_taken, budget.closed) == (0, False, None)


def test_who_waits_for_money_can_be_stopped(database: Database, unit: Artifact) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    begin(database, budget, unit, 0.9)

    def stop() -> None:
        raise Cancelled("stopping")

    with pytest.raises(Cancelled):
        begin(database, budget, unit, 0.8, stop)
    assert (budget.waiting, budget.head_is_taken, budget.closed) == (0, False, None)


def test_answers_in_the_background_that_nobody_waits_for_hold_nobody_up(
    database: Database, unit: Artifact
) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    call = begin(database, budget, unit, 0.9)
    with database.write() as connection:
        pending_calls.mark_submitted(connection, call.id, "there")
        stored.put(connection, "artifact", [unit.id], state="cancelled")

    with pytest.raises(BudgetSpent):
        begin(database, budget, unit, 0.8, never)


def test_what_an_earlier_process_set_aside_is_waited_for_until_its_answer_is_there(
    database: Database, unit: Artifact
) -> None:
    call = begin(database, RunBudget(database, unit.run_id, 1.0), unit, 0.9, owner="gone")
    with database.write() as connection:
        pending_calls.mark_submitted(connection, call.id, "there")
        calls.mark_uncertain_of_owner(connection, "gone", stored.NOW)
    budget = RunBudget(database, unit.run_id, 1.0)
    waiting = threading.Thread(target=begin, args=(database, budget, unit, 0.8))
    waiting.start()
    wait_until(lambda: budget.waiting == 1)

    end(database, call, 0.1)
    waiting.join(PATIENCE_S)

    assert sums(database, unit.run_id) == pytest.approx((0.9, 0.9))


def test_saving_an_end_twice_gives_nothing_back_twice(database: Database, unit: Artifact) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    call = begin(database, budget, unit, 0.9)

    end(database, call, 0.1)
    end(database, call, 0.1)

    assert sums(database, unit.run_id) == pytest.approx((0.1, 0.1))


def test_calls_of_a_dead_worker_count_at_their_worst_until_their_ends_are_known(
    database: Database, unit: Artifact
) -> None:
    budget = RunBudget(database, unit.run_id, 1.0)
    call = begin(database, budget, unit, 0.9, owner="dead")
    with database.write() as connection:
        calls.mark_uncertain_of_owner(connection, "dead", stored.NOW)
    doubted = sums(database, unit.run_id)

    end(database, call, 0.1)  # it was only slow

    assert doubted == (0.9, 0.9)
    assert sums(database, unit.run_id) == pytest.approx((0.1, 0.1))


def test_many_threads_never_pass_the_budget_and_leave_less_than_one_call(
    database: Database, unit: Artifact
) -> None:
    paid = in_threads(database, unit, 4.0, 16)

    assert 3.95 - 1e-6 < paid <= 4.0
    assert sums(database, unit.run_id) == pytest.approx((paid, paid))
