"""Judges in two stages: prose with evidence first, then JSON by another model."""

import json
from typing import Any

import pytest

import prompts
from acm_workers.errors import (
    EvidenceMissing,
    JsonNotPossible,
    ParameterRefused,
    UnreadableAnswer,
)
from acm_workers.judging.compare import compare
from acm_workers.judging.conversation import JudgingContext
from acm_workers.judging.score import score
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Completion, Evidence, EvidenceSummary, Parameter, Source
from schemas.config.judging import Criterion, Jsonify, Judge
from schemas.config.variant import RequiredEvidence
from tests.support.scripted import Scripted, text_completion

JUDGE = Judge(
    name="strict",
    provider="alpha",
    model="j1",
    require=RequiredEvidence(grounding="searched"),
    max_searches=4,
    effort="high",
    temperature=0.5,
)
JSONIFY = Jsonify(provider="beta", model="j2", max_tokens=900)
APART = Capabilities(tools_with_json=False, reasoning_evidence="summary")
SEARCHED = Evidence(
    grounding="sourced", queries=("moon", "rock"), sources=(Source(url="https://a"),)
)
PROSE = "x: Right. Score: 8.\n\ny: Long. Score: 4."
GOOD = json.dumps({"x": {"reason": "Right.", "score": 8}, "y": {"reason": "Long.", "score": 4}})
HALF = json.dumps({"x": {"reason": "Right.", "score": 8}, "y": {"reason": "", "score": 0}})


def context(**changes: Any) -> JudgingContext:
    given: dict[str, Any] = {
        "instructions": "Summarise.",
        "source": "The moon is a rock.",
        "criteria": (Criterion(name="x", weight=3), Criterion(name="y", weight=1)),
        "able": APART,
        "jsonify": JSONIFY,
        "attempts": 3,
    }
    return JudgingContext(**(given | changes))


def prose(text: str = PROSE, evidence: Evidence = SEARCHED) -> Completion:
    return Completion(text=text, finish_reason="stop", evidence=evidence)


def test_prose_with_search_and_then_json_without_it() -> None:
    caller = Scripted(prose(), text_completion(GOOD))

    found = score(caller, JUDGE, context(), "A moon text.")

    first, second = caller.requests
    assert caller.stages == ["main", "jsonify"]
    assert (first.search, first.max_searches, first.json_schema) == (True, 4, None)
    assert (first.effort, first.temperature) == ("high", 0.5)
    assert "JSON" not in first.messages[1].content
    assert "Search the web before you answer" in first.messages[1].content
    assert (second.provider, second.model, second.max_tokens) == ("beta", "j2", 900)
    assert (second.search, second.temperature, second.effort) == (False, None, None)
    assert second.json_schema is not None
    assert prompts.block("ASSESSMENT", PROSE) in second.messages[0].content
    assert "A moon text." not in second.messages[0].content
    assert (found.scores, found.raw) == ({"x": 8.0, "y": 4.0}, GOOD)
    assert found.proof == EvidenceSummary(grounding="sourced", searches=2, sources=1)


def test_verdict_in_two_stages() -> None:
    verdict = json.dumps({"reasoning": "Clearer.", "winner": "B", "confidence": 0.7})
    caller = Scripted(prose("Candidate B is the better. Confidence 0.7."), text_completion(verdict))

    found = compare(caller, JUDGE, context(), "first text", "second text")

    assert (found.winner, found.confidence, found.proof.grounding) == ("b", 0.7, "sourced")
    assert "candidate A is the better of the two" in caller.requests[0].messages[1].content


def test_search_and_schema_go_in_one_call_where_they_work_together() -> None:
    caller = Scripted(prose(GOOD))

    score(caller, JUDGE, context(able=Capabilities()), "A moon text.")

    assert caller.stages == ["main"]
    assert caller.requests[0].search
    assert caller.requests[0].json_schema is not None


def test_no_schema_is_ever_sent_with_json_false() -> None:
    caller = Scripted(prose("Well."), text_completion("So."), prose(GOOD))

    score(caller, JUDGE, context(json_mode=False), "A moon text.")

    assert caller.stages == ["main", "repair", "main"]
    assert [request.json_schema for request in caller.requests] == [None] * 3
    assert [request.search for request in caller.requests] == [True, False, True]


def test_score_that_the_prose_does_not_give_is_never_taken_from_the_copy() -> None:
    """Neither one marked as not given, nor a number that does not stand in the prose."""
    invented = GOOD.replace("4", "5")
    caller = Scripted(
        prose(),
        text_completion(HALF),
        prose(),
        text_completion(invented),
        prose(),
        text_completion(GOOD),
    )

    found = score(caller, JUDGE, context(), "A moon text.")

    assert caller.stages == ["main", "jsonify"] * 3
    assert "it has no score for y" in caller.requests[2].messages[1].content
    assert found.scores == {"x": 8.0, "y": 4.0}


@pytest.mark.parametrize(
    "text", ["Score: 8. Then 4.", "8/10 and 4/10", "(8) [4]", "8, 4", "\uff18 \uff14"]
)
def test_numbers_of_the_prose_are_found_however_they_stand(text: str) -> None:
    assert (
        score(Scripted(prose(text), text_completion(GOOD)), JUDGE, context(), "T.").overall == 7.0
    )


@pytest.mark.parametrize("text", ["8.5 and 4", "80 and 4", "eight and four", "0.8 and 4"])
def test_other_numbers_of_the_prose_are_no_scores(text: str) -> None:
    with pytest.raises(UnreadableAnswer, match="no score for x"):
        score(Scripted(prose(text), text_completion(GOOD)), JUDGE, context(attempts=1), "T.")


@pytest.mark.parametrize(
    "change", [{"winner": "none"}, {"confidence": -1}, {"winner": "none", "confidence": -1}]
)
def test_decision_that_the_prose_does_not_give_is_asked_for_anew(change: dict[str, Any]) -> None:
    verdict = {"reasoning": "Clearer.", "winner": "B", "confidence": 0.7}
    undecided = text_completion(json.dumps(verdict | change))
    caller = Scripted(
        prose("Hm."), undecided, prose("B, 0.7."), text_completion(json.dumps(verdict))
    )

    found = compare(caller, JUDGE, context(), "first text", "second text")

    assert caller.stages == ["main", "jsonify"] * 2
    assert found.winner == "b"


def test_copy_that_cannot_be_read_is_repaired_by_the_model_that_made_it() -> None:
    caller = Scripted(prose(), text_completion("Sure!"), text_completion(GOOD))

    found = score(caller, JUDGE, context(), "A moon text.")

    assert caller.stages == ["main", "jsonify", "repair"]
    assert [request.model for request in caller.requests] == ["j1", "j2", "j2"]
    assert caller.requests[2].messages[:1] == caller.requests[1].messages
    assert caller.requests[2].json_schema is not None
    assert found.proof == EvidenceSummary(grounding="sourced", searches=2, sources=1)


def test_nothing_is_copied_from_prose_that_declines_or_proves_nothing() -> None:
    caller = Scripted(
        prose("I cannot evaluate this text."),
        prose(evidence=Evidence()),
        prose(),
        text_completion(GOOD),
    )

    score(caller, JUDGE, context(), "A moon text.")

    assert caller.stages == ["main", "main", "main", "jsonify"]
    assert "Use the search tool this time" in caller.requests[2].messages[1].content


def refused(parameter: Parameter) -> ParameterRefused:
    return ParameterRefused(f"{parameter} is not supported", parameter, 400)


def test_model_that_refuses_search_with_a_schema_is_asked_in_two_stages() -> None:
    caller = Scripted(refused("search_with_schema"), prose(), text_completion(GOOD))

    found = score(caller, JUDGE, context(able=Capabilities(), attempts=1), "A moon text.")

    assert caller.stages == ["main", "main", "jsonify"]
    assert [request.json_schema is None for request in caller.requests] == [False, True, False]
    assert found.overall == 7.0


def test_model_that_refuses_a_schema_is_asked_in_words() -> None:
    plain = JUDGE.model_copy(update={"require": RequiredEvidence()})
    caller = Scripted(refused("json_schema"), text_completion(GOOD))

    score(caller, plain, context(able=Capabilities()), "A moon text.")

    assert [request.json_schema is None for request in caller.requests] == [False, True]
    assert "One JSON object" in caller.requests[1].messages[1].content


def test_refused_search_with_a_schema_and_no_second_model_leaves_json_to_the_prompt() -> None:
    caller = Scripted(refused("search_with_schema"), prose("Eight."), text_completion(GOOD))

    score(caller, JUDGE, context(able=Capabilities(), jsonify=None), "A moon text.")

    sent = [(request.search, request.json_schema is not None) for request in caller.requests]
    assert caller.stages == ["main", "main", "repair"]
    # Without search the repair turn may be held to the schema.
    assert sent == [(True, True), (True, False), (False, True)]


def test_json_that_is_insisted_on_never_becomes_a_wish() -> None:
    strict = context(json_mode=True, able=Capabilities(), jsonify=None)

    with pytest.raises(JsonNotPossible, match="cannot search and follow a schema"):
        score(Scripted(refused("search_with_schema")), JUDGE, strict, "A moon text.")
    with pytest.raises(JsonNotPossible, match="accepts none"):
        score(Scripted(refused("json_schema")), JUDGE, strict, "A moon text.")
    with pytest.raises(JsonNotPossible):
        score(Scripted(), JUDGE, context(json_mode=True, jsonify=None), "A moon text.")
    no_schema = Capabilities(json_schema=False)
    with pytest.raises(JsonNotPossible, match="model of jsonify takes none"):
        score(Scripted(), JUDGE, context(json_mode=True, jsonify_able=no_schema), "A moon text.")


def test_second_model_that_refuses_a_schema_is_asked_in_words_unless_json_is_insisted_on() -> None:
    answers = (prose(), refused("json_schema"), text_completion(GOOD))
    caller = Scripted(*answers)

    assert score(caller, JUDGE, context(), "A moon text.").overall == 7.0
    assert caller.requests[2].json_schema is None
    with pytest.raises(JsonNotPossible):
        score(Scripted(*answers), JUDGE, context(json_mode=True), "A moon text.")


def test_parameters_that_nobody_here_can_do_without_stay_refused() -> None:
    with pytest.raises(ParameterRefused):
        score(Scripted(refused("temperature")), JUDGE, context(), "A moon text.")
    with pytest.raises(ParameterRefused):
        score(Scripted(prose(), refused("temperature")), JUDGE, context(), "A moon text.")


def test_known_need_for_two_stages_without_a_second_model_is_an_error() -> None:
    with pytest.raises(JsonNotPossible, match="name a model in jsonify"):
        score(Scripted(), JUDGE, context(jsonify=None), "A moon text.")


def test_judge_is_asked_three_times_more_for_evidence_and_never_read_without_it() -> None:
    bare = prose(GOOD, Evidence())
    caller = Scripted(*[bare] * 4)
    together = context(able=Capabilities(), attempts=9)

    with pytest.raises(
        EvidenceMissing, match=r"grounding is none, searched is required \(code 1\)"
    ):
        score(caller, JUDGE, together, "A moon text.")

    assert caller.stages == ["main"] * 4
    assert len({request.messages[1].content for request in caller.requests}) == 4


def test_evidence_that_a_judge_can_never_give_costs_nothing() -> None:
    with pytest.raises(EvidenceMissing, match="no web search"):
        score(Scripted(), JUDGE, context(able=Capabilities(search=False)), "A moon text.")


def test_repair_needs_no_evidence_and_little_thinking() -> None:
    caller = Scripted(prose("Well."), text_completion(GOOD))

    found = score(caller, JUDGE, context(able=Capabilities()), "A moon text.")

    repair = caller.requests[1]
    assert (repair.search, repair.reasoning, repair.effort) == (False, "none", "low")
    assert found.proof == EvidenceSummary(grounding="sourced", searches=2, sources=1)


def test_no_turn_of_any_stage_names_who_wrote_or_who_judges() -> None:
    caller = Scripted(
        prose(evidence=Evidence()),
        prose(),
        text_completion("Sure!"),
        text_completion("{"),
        prose(),
        text_completion(GOOD),
    )

    score(caller, JUDGE, context(attempts=4), "A moon text.")

    assert caller.stages == ["main", "main", "jsonify", "repair", "main", "jsonify"]
    seen = "".join(turn.content for request in caller.requests for turn in request.messages)
    for name in ("alpha", "beta", "j1", "j2", "strict", "fpf", "gptr", ".md", "combine"):
        assert name not in seen
