"""What a plan says of requests that are sent in batches."""

from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.pipeline import plan
from schemas.plan import PlanLine, RunPlan
from tests.support import stored

AT = datetime(2026, 11, 25, tzinfo=UTC)


def planned(delivery: str, **changes: Any) -> RunPlan:
    """Return the plan of a run whose candidates and judge have that delivery."""
    alpha = {"dialect": "openai", "base_url": "http://127.0.0.1:1/v1"}
    variant = {"type": "fpf", "provider": "alpha", "model": "sim-a", "iterations": 2}
    judge = {"name": "j1", "provider": "alpha", "model": "sim-j", "iterations": 1}
    given: dict[str, Any] = {
        "providers": {"alpha": alpha},
        "runs": [{**variant, "delivery": delivery}],
        "judges": [{**judge, "delivery": delivery}],
    }
    return plan.plan(stored.config(**given | changes), "Write.", None, ["The source."], AT)


def line(found: RunPlan, stage: str, *, batched: bool) -> PlanLine:
    (one,) = [each for each in found.lines if each.stage == stage and each.batched == batched]
    return one


@pytest.mark.parametrize("stage", ["generate", "score", "compare"])
def test_what_is_sent_in_a_batch_is_likely_to_cost_half(stage: str) -> None:
    whole = {"playoffs": {"enabled": False}}

    live, batch = (
        line(planned(delivery, **whole), stage, batched=delivery == "batch")
        for delivery in ("live", "batch")
    )

    assert live.likely.calls == batch.likely.calls
    assert live.likely.usd is not None
    assert batch.likely.usd == pytest.approx(live.likely.usd / 2, abs=1e-6)


def test_the_most_holds_for_requests_that_fail_in_a_batch_and_are_sent_again() -> None:
    live, batch = (
        line(planned(delivery), "generate", batched=delivery == "batch")
        for delivery in ("live", "batch")
    )

    assert (live.most.calls, batch.most.calls) == (live.most.calls, (live.most.calls or 0) + 2)
    assert (batch.most.usd or 0) > (live.most.usd or 0)


def test_playoffs_are_planned_live_unless_their_own_judges_say_otherwise() -> None:
    judge = {"name": "j2", "provider": "alpha", "model": "sim-k", "iterations": 1}

    usual = planned("batch")
    own = planned("batch", playoffs={"judges": [{**judge, "delivery": "batch"}]})

    assert not line(usual, "combine", batched=False).batched
    assert line(usual, "score", batched=False).likely.calls == 2  # playoffs.iterations
    assert line(usual, "compare", batched=False).likely.calls
    assert not any(one.stage == "score" and not one.batched for one in own.lines)


def test_a_batch_counts_for_no_minutes() -> None:
    assert line(planned("batch"), "generate", batched=True).likely.minutes == 0
