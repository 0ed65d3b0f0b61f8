"""What became of a unit beside what its row of the table says."""

import pytest

from schemas.calls import Call, Usage
from schemas.config.provider import TokenPrice
from tests.support.faults.form import Case, Cost, Row
from tests.support.faults.work import Happened, Worked


def check(case: Case, worked: Worked) -> None:
    """Assert reaction, record and cost, and that the fault was really met."""
    happened, row = worked.happened[case.name], case.row
    _check_meeting(case, happened, worked)
    _check_record(row, happened)
    _check_reaction(row, happened)
    for call, wanted in zip(happened.calls, row.calls, strict=True):
        _check_cost(call, wanted.cost, row.ask.price)
    _check_bill(happened)


def _check_meeting(case: Case, happened: Happened, worked: Worked) -> None:
    if case.row.ask.at != "simulator":
        assert happened.served == []
        return
    number = case.row.number
    models = {call.model for call in happened.calls}
    counted = sum(worked.stats["by_model"][model] for model in models)
    assert len(happened.served) == counted == len(case.row.calls)
    assert worked.stats["faults"][number] >= 1
    if ".poll" not in case.row.wish:
        assert happened.served[0].fault == number


def _check_record(row: Row, happened: Happened) -> None:
    stored = [(call.state, call.error_kind, call.stage) for call in happened.calls]
    assert stored == [(call.state, call.kind, call.stage) for call in row.calls]
    unit = happened.unit
    ends = {"done": ("done", None), "paused": ("planned", None)}
    assert (unit.state, unit.error_kind) == ends.get(row.end, ("failed", row.end))
    for call, served in zip(happened.calls, happened.served, strict=False):
        assert call.ended_at is not None
        # Of an answer that was not seen to its end the status is not always known.
        assert call.state == "uncertain" or call.status == served.status


def _check_reaction(row: Row, happened: Happened) -> None:
    """Assert what tells reactions apart that leave the same calls behind."""
    made = happened.calls
    same = [call.digest == made[0].digest for call in made[1:]]
    if row.reaction in ("wait", "retry"):
        assert all(same)
        assert [call.attempt for call in made] == list(range(1, len(made) + 1))
    else:
        assert not any(same)
        assert {call.attempt for call in made} == {1}
    assert (happened.paused is not None) == (row.reaction == "pause")
    if row.waits_s:
        passed = made[1].started_at - (made[0].ended_at or made[0].started_at)
        assert passed.total_seconds() >= row.waits_s


def _check_cost(call: Call, rule: Cost, price: TokenPrice | float) -> None:
    if rule == "booked":
        assert call.cost_usd == pytest.approx(_usd(call.usage, price))
        assert call.cost_usd is not None
        assert call.cost_usd > 0
        return
    assert call.cost_usd is None
    if rule == "nothing":
        assert call.state == "failed"
        assert call.usage == Usage()
    else:
        assert call.state == "uncertain" or call.usage.output_tokens is None


def _check_bill(happened: Happened) -> None:
    """Assert that the store has the provider's own counts, wherever no fault was met."""
    for call, served in zip(happened.calls, happened.served, strict=False):
        if served.fault is None and call.state == "done":
            counted = (served.input_tokens, served.output_tokens)
            assert (call.usage.input_tokens, call.usage.output_tokens) == counted


def _usd(usage: Usage, price: TokenPrice | float) -> float:
    if isinstance(price, float):
        return price
    tokens = (usage.input_tokens or 0) * price.input + (usage.output_tokens or 0) * price.output
    return tokens / 1e6 + (usage.searches or 0) * (price.search or 0) / 1000
