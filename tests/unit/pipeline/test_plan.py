"""What a run is expected to do and cost."""

from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.pipeline import plan
from schemas.config.provider import KNOWN
from schemas.run import RunPlan
from tests.support import stored

AT = datetime(2026, 11, 20, tzinfo=UTC)
PRICE = {"input": 1.0, "output": 4.0, "search": 10.0}
PLACE: dict[str, Any] = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
LOCAL = PLACE | {"prices": {"m1": PRICE, "j1": PRICE, "c1": PRICE}}
SEARCHING = {"grounding": "searched"}


def planned(documents: int = 1, **changes: Any) -> RunPlan:
    given = {"providers": {"alpha": LOCAL}, "pairwise": {"enabled": False}} | changes
    return plan.plan(stored.config(**given), "x" * 350, ["y" * 3500] * documents, AT)


def judge(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "j1", "provider": "alpha", "model": "j1", "iterations": 1} | changes]


def variant(**changes: Any) -> list[dict[str, Any]]:
    return [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 2} | changes]


def test_calls_are_those_of_candidates_scores_and_the_combined_one() -> None:
    found = planned(3)

    assert found.units == {"generate": 6, "score": 12, "compare": 0, "combine": 3}
    assert found.calls == {"alpha": {"m1": 9, "j1": 12}}
    assert (found.searches, found.second_stage_calls, found.minutes) == (0, 0, None)


DEAR = {"input": 50.0, "output": 100.0}
FREE = {"input": 0.0, "output": 0.0}
WIDE = {"m1": FREE, "m2": FREE, "j1": FREE}
TWO_PLACES: dict[str, Any] = {
    "providers": {
        "alpha": PLACE | {"prices": WIDE, "requests_per_minute": 7},
        "beta": PLACE | {"prices": {"n1": FREE, "n2": DEAR}, "requests_per_minute": 5},
    },
    "runs": [
        *variant(model="m1", iterations=1),
        *variant(model="m2", iterations=1),
        *variant(provider="beta", model="n1", iterations=1),
        *variant(provider="beta", model="n2", iterations=1),
        *variant(model="m1", iterations=1, effort="low"),
    ],
}


def test_whoever_turns_out_best_and_combines_the_plan_is_the_most_of_it() -> None:
    found = planned(5, **TWO_PLACES)
    named = [
        planned(5, **TWO_PLACES, playoffs={"models": [{"provider": name, "model": model}]})
        for name, model in (("alpha", "m1"), ("alpha", "m2"), ("beta", "n1"), ("beta", "n2"))
    ]

    assert found.usd["expected"] == max(one.usd["expected"] for one in named)
    assert found.minutes == max(one.minutes or 0 for one in named)
    assert found.calls == {
        name: {model: max(one.calls[name][model] for one in named) for model in by_model}
        for name, by_model in named[0].calls.items()
    }
    for one in named:
        assert (found.units, found.tokens) == (one.units, one.tokens)
        assert found.calls_in_all == one.calls_in_all == 5 * (5 + 5 + 1 + 2)


def test_cost_is_that_of_the_tokens() -> None:
    found = planned(playoffs={"enabled": False})

    task = 110 + 500 + 1100
    read, written = 2 * task + 2 * (task + 1500), 2 * 1500 + 2 * 400
    assert found.tokens == {"input": read, "output": written}
    assert found.usd["expected"] == pytest.approx((read + 4 * written) / 1e6)
    assert found.usd["unknown_models"] == []


def test_searches_cost_their_fee_and_what_they_bring() -> None:
    plain = planned(playoffs={"enabled": False})
    found = planned(runs=variant(require=SEARCHING, max_searches=3), playoffs={"enabled": False})

    assert found.searches == 6
    assert found.usd["searches"] == pytest.approx(0.06)
    assert found.tokens["input"] - plain.tokens["input"] == 6 * 5200
    assert found.usd["expected"] == pytest.approx(plain.usd["expected"] + 0.06 + 6 * 5200 / 1e6)


def test_a_judge_that_cannot_do_both_takes_a_second_call() -> None:
    apart = LOCAL | {"capabilities": {"j1": {"tools_with_json": False}}}
    changes: dict[str, Any] = {
        "providers": {"alpha": apart},
        "judges": judge(require=SEARCHING),
        "jsonify": {"provider": "alpha", "model": "c1"},
        "playoffs": {"enabled": False},
    }

    found = planned(2, **changes)
    without = planned(2, **changes | {"json": False})

    assert found.units["score"] == 4
    assert found.calls["alpha"] == {"m1": 4, "j1": 4, "c1": 4}
    assert (found.second_stage_calls, without.second_stage_calls) == (4, 0)
    assert found.usd["expected"] > without.usd["expected"]


def test_thinking_is_paid_as_output_and_ends_at_the_token_budget() -> None:
    thinks = LOCAL | {"capabilities": {"j1": {"efforts": ["low", "high"]}}}
    changes: dict[str, Any] = {"providers": {"alpha": thinks}, "playoffs": {"enabled": False}}
    plain = planned(**changes)

    low = planned(**changes, judges=judge(effort="low"))
    high = planned(**changes, judges=judge(effort="high", max_tokens=6000))

    assert low.tokens["output"] - plain.tokens["output"] == 2 * 1000
    assert high.tokens["output"] - plain.tokens["output"] == 2 * (6000 - 400)


def test_an_unknown_price_makes_the_cost_unknown() -> None:
    found = planned(providers={"alpha": PLACE | {"prices": {"m1": PRICE}}})

    assert found.usd["expected"] is None
    assert found.usd["unknown_models"] == ["alpha:j1"]


def test_an_unknown_fee_of_searches_makes_the_cost_unknown() -> None:
    prices = {"m1": {"input": 1, "output": 1}, "j1": PRICE}
    changes: dict[str, Any] = {"providers": {"alpha": PLACE | {"prices": prices}}}

    assert planned(**changes).usd["unknown_models"] == []
    found = planned(**changes, runs=variant(require=SEARCHING))
    assert found.usd["unknown_models"] == ["alpha:m1"]


def test_limits_of_a_model_make_a_run_longer() -> None:
    limited = LOCAL | {"requests_per_minute": 100, "models": {"j1": {"requests_per_minute": 1}}}

    found = planned(3, providers={"alpha": limited})

    assert found.minutes == 12.0


def test_the_budget_is_part_of_the_plan() -> None:
    assert planned(budget_usd=2.5).usd["budget"] == 2.5


def test_searching_judges_are_planned_with_what_such_judges_used() -> None:
    changes: dict[str, Any] = {
        "providers": {"alpha": LOCAL, "openai": KNOWN["openai"], "google": KNOWN["google"]},
        "playoffs": {"enabled": False},
    }
    gpt, gemini = (
        planned(
            **changes,
            judges=judge(provider=name, model=model, max_tokens=30_000, require=SEARCHING),
        )
        for name, model in (("openai", "gpt-6-luna"), ("google", "gemini-3.8-flash"))
    )
    plain = planned(playoffs={"enabled": False})

    assert gpt.searches == 2 * 24
    assert gpt.tokens["input"] - plain.tokens["input"] == 2 * 24 * 7250
    assert gpt.tokens["output"] - plain.tokens["output"] == 2 * 19_900
    # What searches of Google bring is input that costs nothing.
    task = 110 + 500 + 1100
    candidates = 2 * (task * 1 + 1500 * 4)
    scores = 2 * ((task + 1500) * 0.75 + 4400 * 3.75)
    assert gemini.usd["expected"] == pytest.approx((candidates + scores) / 1e6 + 2 * 10 * 0.014)
