"""What calls have taken of a budget, as the store adds it up."""

import pytest

from acm_workers.store import budgets, calls
from acm_workers.store.connection.database import Database
from schemas.calls import CallState
from tests.support import stored

_CALLS: list[tuple[CallState, float | None, float | None]] = [
    ("done", 0.25, 0.5),
    ("done", None, 0.5),
    ("failed", None, 4.0),
    ("failed", 0.125, 4.0),
    ("uncertain", None, 0.5),
    ("done", None, None),
]


def test_costs_and_open_worst_cases_are_taken(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        unit = stored.candidates(connection, stored.document(connection, run))[0]
        made = [
            stored.call(unit, state=state, cost_usd=cost, reserved_usd=most)
            for state, cost, most in _CALLS
        ]
        for call in made:
            calls.start(connection, call)
        calls.start(connection, stored.call(unit, reserved_usd=0.5))

        found = budgets.committed_usd(connection, run.id)

    assert found == pytest.approx(0.25 + 0.5 + 0.125 + 0.5 + 0.5)
    assert found == pytest.approx(sum(budgets.charged_usd(call) for call in made) + 0.5)


def test_a_run_without_calls_has_taken_nothing(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

        assert budgets.committed_usd(connection, run.id) == 0.0
