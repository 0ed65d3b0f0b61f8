"""What a run is likely to take, and the most that it can take."""

from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.pipeline import plan
from acm_workers.providers.catalog import consumption
from schemas.config.provider import KNOWN
from schemas.plan import PlanLine, RunPlan
from tests.support import stored
from tests.support.records_builder import CRITERIA

AT = datetime(2026, 11, 20, tzinfo=UTC)
PRICE = {"input": 1.0, "output": 4.0, "search": 10.0}
PLACE: dict[str, Any] = {
    "dialect": "openai_chat",
    "base_url": "http://127.0.0.1:1/v1",
    "capabilities": {"*": {"max_output": 3000}},
}
LOCAL = PLACE | {"prices": {"m1": PRICE, "j1": PRICE, "c1": PRICE}}
SEARCHING = {"grounding": "searched"}
NO_PLAYOFFS: dict[str, Any] = {"playoffs": {"enabled": False}}
SCORES = len(CRITERIA) * 80 + 60
"""Tokens of an answer with a score on each criterion, and of its summary."""

ONCE: dict[str, Any] = {"retries": {"attempts": 1}}


def planned(documents: int = 1, instructions: str = "x" * 400, **changes: Any) -> RunPlan:
    given = {"providers": {"alpha": LOCAL}, "pairwise": {"enabled": False}, "criteria": CRITERIA}
    config = stored.config(**given | changes)
    return plan.plan(config, instructions, None, ["y" * 4000] * documents, AT)


def judge(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "j1", "provider": "alpha", "model": "j1", "iterations": 1} | changes]


def variant(**changes: Any) -> list[dict[str, Any]]:
    return [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 2} | changes]


def line(found: RunPlan, stage: str, model: str = "j1") -> PlanLine:
    return next(one for one in found.lines if (one.stage, one.model) == (stage, model))


def calls(found: RunPlan) -> dict[tuple[str, str], int | None]:
    return {(one.stage, one.model): one.likely.calls for one in found.lines}


def usd(found: RunPlan) -> float:
    assert found.likely.usd is not None
    return found.likely.usd


def read(found: RunPlan) -> int:
    assert found.likely.input_tokens is not None
    return found.likely.input_tokens


def test_likely_calls_are_those_of_candidates_scores_and_the_combined_one() -> None:
    found = planned(3)

    assert found.units == {"generate": 6, "score": 12, "compare": 0, "combine": 3}
    assert calls(found) == {("generate", "m1"): 6, ("score", "j1"): 12, ("combine", "m1"): 3}
    assert (found.likely.calls, found.likely.searches) == (21, 0)


def test_a_report_takes_what_gpt_researcher_was_measured_to_take() -> None:
    options = {"words": 1200, "max_calls": 20, "timeout_seconds": 60}
    found = planned(runs=variant(type="gptr", research=options), **NO_PLAYOFFS)

    written = line(found, "generate", "m1")
    # Two children of a candidate, with 20 calls each, of which each is sent four times.
    assert (written.likely.calls, written.most.calls) == (6, 2 * 2 * 20 * 4)
    assert (written.likely.input_tokens, written.likely.output_tokens) == (48_000, 3_800)
    assert found.unbounded == ()
    assert (written.likely.minutes or 0) > (line(found, "score").likely.minutes or 0)


RESEARCH = {"words": 1200, "max_calls": 20, "timeout_seconds": 60}


def test_the_most_of_a_report_is_that_of_the_longest_calls_it_may_make() -> None:
    reports = variant(type="gptr", iterations=1, research=RESEARCH)
    found = planned(runs=reports, **ONCE, **NO_PLAYOFFS)
    unknown = planned(
        providers={"alpha": {**LOCAL, "capabilities": {}}}, runs=reports, **ONCE, **NO_PLAYOFFS
    )

    written = line(found, "generate", "m1").most
    longest = 2 * 1024 * 1024 + 3000  # what a request may have, and an answer that is repaired
    assert written.usd == pytest.approx(2 * 20 * (longest + 4 * 3000) / 1e6)
    # Each judge may have to read the longest report.
    assert (line(found, "score").most.input_tokens or 0) > 512 * 1024
    assert unknown.most.usd is None
    assert unknown.unbounded[0] == (
        "the longest answer of alpha:m1 is not known; set max_output under"
        " providers.alpha.capabilities"
    )


def test_an_embedding_may_be_any_of_the_calls_of_a_report() -> None:
    prices = {**LOCAL["prices"], "e1": {"input": 2.0, "output": 0.0}}
    options = RESEARCH | {"embedding": "e1"}
    found = planned(
        providers={"alpha": LOCAL | {"prices": prices}},
        runs=variant(type="gptr", iterations=1, research=options),
        **ONCE,
        **NO_PLAYOFFS,
    )

    embedded = line(found, "generate", "e1")
    assert (embedded.likely.calls, embedded.most.calls) == (8, 40)
    assert embedded.most.usd == pytest.approx(40 * 2 * 2 * 1024 * 1024 / 1e6)


def test_paid_searches_of_reports_are_calls_with_their_price() -> None:
    def of(retriever: dict[str, Any]) -> RunPlan:
        reports = variant(type="gptr", research=RESEARCH)
        return planned(runs=reports, retriever=retriever, **ONCE, **NO_PLAYOFFS)

    free = of({"type": "folder", "folder": "sources"})
    paid = of({"type": "tavily", "key_env": "KEY", "usd_per_search": 0.008})
    unpriced = of({"type": "tavily", "key_env": "KEY"})
    own = of({"type": "searxng", "url": "http://127.0.0.1:1"})

    searched = line(paid, "generate", "tavily")
    assert (searched.provider, searched.likely.calls, searched.likely.searches) == (
        "retriever", 10, 10
    )  # fmt: skip
    assert searched.likely.usd == pytest.approx(10 * 0.008)
    # Two children of a candidate may search 20 times each.
    assert searched.most.calls == 80
    assert searched.most.usd == pytest.approx(80 * 0.008)
    assert usd(paid) == pytest.approx(usd(free) + 0.08)
    assert unpriced.unknown_prices == ("retriever:tavily",)
    assert line(own, "generate", "searxng").most.usd == 0
    assert "retriever" not in {one.provider for one in free.lines}


def test_a_deep_report_takes_more_with_each_level_and_embeds_with_its_own_model() -> None:
    def calls_of(depth: int, **more: Any) -> dict[tuple[str, str], int | None]:
        options = {"words": 1200, "breadth": 3, "depth": depth, "max_calls": 9,
                   "timeout_seconds": 60, **more}  # fmt: skip
        return calls(
            planned(runs=variant(type="dr", iterations=1, research=options), **NO_PLAYOFFS)
        )

    assert calls_of(1)["generate", "m1"] == 12
    assert calls_of(2)["generate", "m1"] == 33
    assert calls_of(2, embedding="e1")["generate", "e1"] == 72


def test_sections_and_their_reviews_take_calls() -> None:
    options = {"sections": 3, "max_calls": 9, "timeout_seconds": 60}
    followed = options | {"follow_guidelines": True}

    found = planned(
        runs=[*variant(type="ma", research=options, iterations=1),
              *variant(type="ma", model="m2", research=followed, iterations=1)],
        **NO_PLAYOFFS,
    )  # fmt: skip

    assert calls(found)["generate", "m1"] == 14
    assert calls(found)["generate", "m2"] == 23


def test_the_likely_cost_is_that_of_the_tokens() -> None:
    found = planned(**NO_PLAYOFFS)

    written = 2 * 1500 + 2 * SCORES
    assert found.likely.output_tokens == written
    assert usd(found) == pytest.approx((read(found) + 4 * written) / 1e6, abs=2e-6)
    assert found.unknown_prices == ()


def test_instructions_and_source_are_read_in_each_call() -> None:
    found, longer = planned(**NO_PLAYOFFS), planned(instructions="x" * 800, **NO_PLAYOFFS)

    assert read(longer) - read(found) == 4 * 100
    assert read(planned(2, **NO_PLAYOFFS)) == pytest.approx(2 * read(found), abs=1)


def test_searches_cost_their_fee_and_what_they_bring() -> None:
    plain = planned(**NO_PLAYOFFS)
    found = planned(runs=variant(require=SEARCHING, max_searches=3), **NO_PLAYOFFS)

    assert found.likely.searches == 6
    brought = read(found) - read(plain)
    assert brought - 6 * 5200 == pytest.approx(0, abs=2 * 300)  # the prompt asks for searches
    assert usd(found) == pytest.approx(usd(plain) + 0.06 + brought / 1e6, abs=2e-6)


def test_a_judge_that_cannot_do_both_takes_a_second_call() -> None:
    apart = LOCAL | {"capabilities": {"j1": {"tools_with_json": False}}}
    changes: dict[str, Any] = {
        "providers": {"alpha": apart},
        "judges": judge(require=SEARCHING),
        "jsonify": {"provider": "alpha", "model": "c1"},
        **NO_PLAYOFFS,
    }

    found = planned(2, **changes)
    without = planned(2, **changes | {"json": False})

    assert found.units["score"] == 4
    assert calls(found) == {("generate", "m1"): 4, ("score", "j1"): 4, ("score", "c1"): 4}
    assert calls(without) == {("generate", "m1"): 4, ("score", "j1"): 4}


def test_thinking_is_paid_as_output_and_ends_at_the_token_limit() -> None:
    thinks = LOCAL | {"capabilities": {"j1": {"efforts": ["low", "high"]}}}
    changes: dict[str, Any] = {"providers": {"alpha": thinks}, **NO_PLAYOFFS}
    plain = planned(**changes).likely.output_tokens or 0

    low = planned(**changes, judges=judge(effort="low")).likely.output_tokens
    high = planned(**changes, judges=judge(effort="high", max_tokens=6000)).likely.output_tokens

    assert low == plain + 2 * 1000
    assert high == plain + 2 * (6000 - SCORES)


def test_an_unknown_price_makes_the_cost_unknown() -> None:
    found = planned(providers={"alpha": PLACE | {"prices": {"m1": PRICE}}})

    assert (found.likely.usd, found.most.usd) == (None, None)
    assert found.unknown_prices == ("alpha:j1",)
    assert found.most.calls is not None


def test_an_unknown_fee_of_searches_makes_the_cost_unknown() -> None:
    prices = {"m1": {"input": 1, "output": 1}, "j1": PRICE}
    changes: dict[str, Any] = {"providers": {"alpha": PLACE | {"prices": prices}}}

    assert planned(**changes).unknown_prices == ()
    found = planned(**changes, runs=variant(require=SEARCHING))
    assert (found.likely.usd, found.unknown_prices) == (None, ("alpha:m1",))


def test_limits_of_a_model_make_a_run_longer() -> None:
    limited = LOCAL | {"requests_per_minute": 100, "models": {"j1": {"requests_per_minute": 1}}}

    found = planned(3, providers={"alpha": limited})

    assert found.likely.minutes == 12.0
    assert found.most.minutes is None


def test_the_budget_bounds_the_cost() -> None:
    found = planned(budget_usd=0.01)

    assert (found.budget_usd, found.most.usd) == (0.01, 0.01)


def test_searching_judges_are_planned_with_what_such_judges_used() -> None:
    changes: dict[str, Any] = {
        "providers": {"alpha": LOCAL, "openai": KNOWN["openai"], "google": KNOWN["google"]},
        **NO_PLAYOFFS,
    }
    gpt, gemini = (
        planned(
            **changes,
            judges=judge(provider=name, model=model, max_tokens=30_000, require=SEARCHING),
        )
        for name, model in (("openai", "gpt-6-luna"), ("google", "gemini-3.8-flash"))
    )

    assert gpt.likely.searches == round(2 * 12.4)
    openai = consumption.of(KNOWN["openai"], "gpt-6-luna", AT)
    assert line(gpt, "score", "gpt-6-luna").likely.output_tokens == 2 * (SCORES + openai.searching)
    # What searches of Google bring is input that costs nothing.
    judged = line(gemini, "score", "gemini-3.8-flash").likely
    paid = (judged.input_tokens or 0) - 2 * 5 * 5200
    expected = (paid * 0.75 + (judged.output_tokens or 0) * 3.75) / 1e6 + 2 * 5 * 0.014
    assert judged.usd == pytest.approx(expected, abs=1e-5)


def test_the_most_counts_repairs_repeated_requests_and_refused_schemas() -> None:
    found = planned(retries={"attempts": 3}, **NO_PLAYOFFS)

    # Per candidate: 3 answers, each sent 3 times. Per score: 3 answers, each with two token
    # limits, and one more for a schema that is refused; each sent 3 times.
    assert line(found, "generate", "m1").most.calls == 2 * 3 * 3
    assert line(found, "score").most.calls == 2 * (2 * 3 + 1) * 3


def test_the_most_counts_the_second_request_of_a_candidate_that_was_cut_off() -> None:
    found = planned(runs=variant(max_tokens=100), **ONCE, **NO_PLAYOFFS)

    written = line(found, "generate", "m1").most
    assert (written.calls, written.output_tokens) == (2 * 2, 2 * 2 * 200)


def test_the_most_counts_parameters_that_are_refused_and_pauses_of_searches() -> None:
    claude = {**LOCAL, "dialect": "anthropic"}
    heated = planned(runs=variant(temperature=0.5), **ONCE, **NO_PLAYOFFS)
    paused = planned(
        providers={"alpha": claude},
        runs=variant(require=SEARCHING, max_searches=1),
        **ONCE,
        **NO_PLAYOFFS,
    )

    assert line(heated, "generate", "m1").most.calls == 2 * 2
    assert line(paused, "generate", "m1").most.calls == 2 * 6


def test_the_most_counts_the_strategy_of_fewer_candidates_if_it_asks_more() -> None:
    found = planned(runs=variant(iterations=11), pairwise={"strategy": "auto"}, **NO_PLAYOFFS)

    # Swiss rounds of eleven have 20 pairs; if one is not written, each of ten meets each other.
    assert found.units["compare"] == 45
    assert line(found, "compare").likely.calls == 20


def test_without_a_longest_answer_tokens_have_no_most_and_the_reason_is_told() -> None:
    free = {key: value for key, value in LOCAL.items() if key != "capabilities"}

    found = planned(providers={"alpha": free}, **NO_PLAYOFFS)
    limited = planned(providers={"alpha": free}, runs=variant(max_tokens=900), **NO_PLAYOFFS)
    budgeted = planned(providers={"alpha": free}, budget_usd=5.0, **NO_PLAYOFFS)

    assert (found.most.output_tokens, found.most.usd) == (None, None)
    assert found.most.calls is not None
    assert "alpha:m1" in found.unbounded[0]
    assert "max_tokens" in found.unbounded[0]
    assert (limited.unbounded, budgeted.unbounded) == ((), ())
    assert limited.most.usd is not None


def test_searches_without_a_limit_have_no_most() -> None:
    found = planned(runs=variant(require=SEARCHING), **NO_PLAYOFFS)

    assert (found.most.searches, found.most.usd) == (None, None)
    assert found.unbounded == ("the searches of alpha:m1 have no limit; set max_searches",)


def test_whichever_model_combines_the_most_is_enough() -> None:
    dear = {"input": 50.0, "output": 100.0}
    changes: dict[str, Any] = {
        "providers": {"alpha": PLACE | {"prices": {"m1": PRICE, "m2": dear, "j1": PRICE}}},
        "runs": [*variant(model="m1"), *variant(model="m2")],
    }

    found = planned(5, **changes)
    named = [
        planned(5, **changes, playoffs={"models": [{"provider": "alpha", "model": model}]})
        for model in ("m1", "m2")
    ]

    assert found.units == named[0].units == named[1].units
    assert found.most == named[1].most
    assert found.likely.calls == named[0].likely.calls
    assert usd(named[0]) < usd(found) < usd(named[1])


def test_a_judge_whose_provider_cannot_search_makes_no_call() -> None:
    unable = LOCAL | {"capabilities": {"*": {"search": False, "max_output": 3000}}}

    found = planned(providers={"alpha": unable}, judges=judge(require=SEARCHING), **NO_PLAYOFFS)

    assert calls(found) == {("generate", "m1"): 2}


def test_a_budget_gives_a_most_to_searches_without_a_limit() -> None:
    found = planned(runs=variant(require=SEARCHING), budget_usd=0.001, **NO_PLAYOFFS)

    assert found.unbounded == ()
    assert found.most.searches is not None
    assert found.most.usd == 0.001


def test_adaptive_comparisons_that_repeat_are_likely_fewer_than_their_limit() -> None:
    found = planned(
        runs=variant(iterations=4),
        pairwise={"strategy": "adaptive", "iterations": 2, "max_comparisons": 10},
        **NO_PLAYOFFS,
    )

    assert found.units["compare"] == 10
    assert line(found, "compare").likely.calls == 8


def test_a_run_keeps_the_sums_of_its_plan() -> None:
    found = planned(**NO_PLAYOFFS)

    kept = plan.expected(found)

    # Two candidates, and one score of each.
    assert (kept.calls, kept.usd) == (4, found.likely.usd)
    assert (kept.most_calls, kept.most_usd) == (found.most.calls, found.most.usd)


FILES: dict[str, Any] = {"runs": [{"type": "files", "provider": "files", "model": "drafts"}]}


def test_each_parent_of_a_combined_candidate_is_read() -> None:
    two, five = (planned(playoffs={"parents": number}) for number in (2, 5))
    top = planned(playoffs={"parents": "top_n"}, ranking={"top_n": {"count": 4}})

    text, criticism = consumption.of(KNOWN["openai"], "unknown", AT).text, 200
    tokens = [line(one, "combine", "m1").likely.input_tokens for one in (two, top, five)]
    assert tokens[0] is not None
    assert tokens[1] == pytest.approx(tokens[0] + 2 * (text + criticism), rel=0.02)
    assert tokens[2] == pytest.approx(tokens[0] + 3 * (text + criticism), rel=0.02)


def test_a_text_that_another_model_puts_into_json_takes_a_second_call() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    changes: dict[str, Any] = {
        "runs": variant(json=True, schema=schema | {"additionalProperties": False}),
        "jsonify": {"provider": "alpha", "model": "c1"},
        **NO_PLAYOFFS,
    }
    apart = LOCAL | {"capabilities": {"m1": {"json_schema": False, "max_output": 3000}}}

    once, twice = planned(**changes), planned(**changes | {"providers": {"alpha": apart}})

    assert [one.model for one in once.lines if one.stage == "generate"] == ["m1"]
    assert line(twice, "generate", "c1").likely.calls == 2
    assert line(twice, "generate", "c1").likely.output_tokens == 2 * 1500
    assert (line(twice, "generate", "c1").most.calls or 0) > 2


def test_texts_that_are_there_are_judged_and_not_written() -> None:
    config = stored.config(providers={"alpha": LOCAL}, judges=judge(), **FILES, **ONCE)
    texts = {0: ["z" * 400] * 3, 1: ["z" * 4000]}

    found = plan.plan(config, "Write.", None, ["", ""], AT, texts)
    shorter = plan.plan(config, "Write.", None, ["", ""], AT, {**texts, 1: ["z" * 400]})

    assert calls(found) == {("score", "j1"): 4, ("compare", "j1"): 3}
    assert found.units["generate"] == found.units["combine"] == 0
    assert found.most.usd is not None
    assert read(shorter) < read(found)


def test_the_most_is_not_known_where_no_text_is() -> None:
    config = stored.config(providers={"alpha": LOCAL}, judges=judge(), **FILES)

    found = plan.plan_judging(config, "Write.", None, [("", 2, 0)], AT)

    assert found.likely.calls == 3
    assert found.most.input_tokens is None


def test_of_texts_by_an_external_program_only_their_number_is_known() -> None:
    external = {"engine": "external", "provider": "openai", "model": "gpt-x"}
    found = planned(2, runs=[*variant(), *variant(**external)], judges=judge(), **NO_PLAYOFFS)

    own = line(found, "generate", "gpt-x")
    assert (own.likely.calls, own.most.calls) == (4, 20)
    assert (own.likely.usd, own.most.usd, own.likely.output_tokens) == (None, None, None)
    assert (found.likely.usd, found.most.usd) == (None, None)
    assert found.unknown_prices == ()
    assert any("openai:gpt-x read, write and search" in why for why in found.unbounded)
    assert found.likely.minutes == pytest.approx(3.0, abs=0.5)
    assert line(found, "score").likely.usd is not None


def test_models_of_an_external_program_combine_nothing() -> None:
    external = {"engine": "external", "provider": "openai", "model": "gpt-x", "iterations": 2}
    found = planned(runs=variant(**external), judges=judge())

    assert {one.stage for one in found.lines} == {"generate", "score"}
