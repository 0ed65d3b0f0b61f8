"""What one call takes of a budget."""

from acm_workers.pipeline import units
from acm_workers.store.budgets import charged_usd
from schemas.calls import Call, CallState
from schemas.units import Document
from tests.support import stored

_DOCUMENT = Document(id="d", run_id="r", path="p", key="k", created_at=stored.NOW)


def call(state: CallState, cost: float | None, reserved: float | None = 0.5) -> Call:
    unit = units.candidates(_DOCUMENT, stored.config(), stored.making())[0]
    return stored.call(unit, state=state, cost_usd=cost, reserved_usd=reserved)


def test_a_call_takes_its_cost_or_its_worst_case_where_that_is_open() -> None:
    assert charged_usd(call("done", 0.2)) == 0.2
    assert charged_usd(call("failed", 0.2)) == 0.2
    assert charged_usd(call("failed", None)) == 0.0
    assert charged_usd(call("done", None)) == 0.5
    assert charged_usd(call("uncertain", None)) == 0.5
    assert charged_usd(call("done", None, None)) == 0.0
