import json
from typing import Any

import pytest

from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import DIALECTS, DialectName, Wanted

EACH = pytest.mark.parametrize("dialect", DIALECTS)


def body(dialect: DialectName, wanted: Wanted, status: int = 200) -> Any:
    outcome = SimulatedProvider(SimulatorSettings()).decide(simulated.arrived(dialect, wanted))
    assert outcome.status == status
    return json.loads(outcome.answer.body)


@EACH
def test_a_text_comes_whole_in_whatever_parts(dialect: DialectName) -> None:
    texts = [
        simulated.text(dialect, body(dialect, Wanted(search=search))) for search in (False, True)
    ]

    assert all(text.startswith("# ") and text.endswith(".\n") for text in texts)


@EACH
@pytest.mark.parametrize("search", [False, True])
def test_a_schema_makes_scores_in_json(dialect: DialectName, search: bool) -> None:
    wanted = Wanted(simulated.JUDGE, schema=simulated.SCORES, search=search)

    found = json.loads(simulated.text(dialect, body(dialect, wanted)))

    assert list(found) == ["accuracy", "clear_language"]
    assert {cell["score"] for cell in found.values()} <= {1, 2, 3, 4, 5}


@EACH
def test_a_judge_answers_json_without_a_schema_where_the_prompt_asks_for_it(
    dialect: DialectName,
) -> None:
    found = json.loads(simulated.text(dialect, body(dialect, Wanted(simulated.COMPARE))))

    assert set(found) == {"reasoning", "winner", "confidence"}


@EACH
def test_a_turn_that_asks_for_repair_gets_a_good_answer(dialect: DialectName) -> None:
    said = ('{"accuracy": 1', "That is not JSON. Answer again.")
    wanted = Wanted(simulated.JUDGE, schema=simulated.SCORES, said=said)

    found = json.loads(simulated.text(dialect, body(dialect, wanted)))

    assert list(found) == ["accuracy", "clear_language"]


@EACH
def test_a_budget_cuts_the_text_off(dialect: DialectName) -> None:
    found = body(dialect, Wanted(max_tokens=10))

    ends = {
        "openai": lambda: found["incomplete_details"]["reason"],
        "openai_chat": lambda: found["choices"][0]["finish_reason"],
        "anthropic": lambda: found["stop_reason"],
        "google": lambda: found["candidates"][0]["finishReason"],
    }
    assert len(simulated.text(dialect, found)) == 40
    assert ends[dialect]() in {"max_output_tokens", "length", "max_tokens", "MAX_TOKENS"}


@EACH
def test_the_key_called_invalid_is_refused_in_the_dialects_own_words(dialect: DialectName) -> None:
    key = {
        "openai": (b"authorization", b"Bearer invalid"),
        "openai_chat": (b"api-key", b"invalid"),
        "anthropic": (b"x-api-key", b"invalid"),
        "google": (b"x-goog-api-key", b"invalid"),
    }[dialect]
    request = simulated.arrived(dialect)

    outcome = SimulatedProvider(SimulatorSettings()).decide(
        request._replace(headers=[*request.headers, key])
    )

    error = json.loads(outcome.answer.body)["error"]
    told = error.get("code"), error.get("type"), error.get("status")
    assert (outcome.status, told) in [
        (401, ("invalid_api_key", "invalid_request_error", None)),
        (401, (None, "authentication_error", None)),
        (400, (400, None, "INVALID_ARGUMENT")),
    ]


def test_responses_show_searches_sources_citations_and_thinking() -> None:
    found = body("openai", Wanted(search=True, thinking=True))

    calls = [item for item in found["output"] if item["type"] == "web_search_call"]
    searches = [call for call in calls if call["action"]["type"] == "search"]
    part = found["output"][-1]["content"][0]
    assert found["output"][0]["summary"][0]["type"] == "summary_text"
    assert found["usage"]["output_tokens_details"]["reasoning_tokens"] > 0
    assert {call["status"] for call in calls} == {"completed"}
    assert searches[0]["action"]["sources"][0]["url"].startswith("https://")
    assert found["tool_usage"]["web_search"]["num_requests"] == len(searches) < len(calls)
    for cited in part["annotations"]:
        assert part["text"][cited["start_index"] : cited["end_index"]].endswith((".", "!", "?"))
        assert cited["type"] == "url_citation"
    assert part["annotations"]


def test_responses_cite_nothing_in_json_and_echo_what_was_asked() -> None:
    wanted = Wanted(simulated.JUDGE, schema=simulated.SCORES, search=True)

    found = body("openai", wanted)

    assert found["output"][-1]["content"][0]["annotations"] == []
    assert found["tools"] == [{"type": "web_search"}]
    assert body("openai", Wanted())["output"][0]["type"] == "message"


def test_responses_show_sources_only_where_they_are_wanted() -> None:
    found = body("openai", Wanted(search=True, more={"include": []}))

    assert all("sources" not in item.get("action", {}) for item in found["output"])


def test_searches_stay_within_what_a_request_allows() -> None:
    for number in range(5):
        wanted = Wanted(search=True, request_id=str(number), more={"max_tool_calls": 1})
        assert body("openai", wanted)["tool_usage"]["web_search"]["num_requests"] == 1
    assert "tool_usage" not in body("openai", Wanted(search=True, more={"tool_choice": "none"}))


def test_openrouter_adds_cost_citations_and_reasoning() -> None:
    found = body("openai_chat", Wanted(search=True, thinking=True))

    message, usage = found["choices"][0]["message"], found["usage"]
    assert usage["cost"] > 0.005
    assert usage["server_tool_use_details"]["web_search_requests"] >= 1
    assert message["annotations"][0]["url_citation"]["url"].startswith("https://")
    assert message["reasoning"] == message["reasoning_details"][0]["summary"]
    assert "cost" not in body("openai_chat", Wanted())["usage"]


def test_anthropic_shows_searches_sources_citations_and_thinking() -> None:
    found = body("anthropic", Wanted(search=True, thinking=True))

    kinds = [block["type"] for block in found["content"]]
    cited = [block["citations"][0] for block in found["content"] if "citations" in block]
    assert kinds[:3] == ["thinking", "server_tool_use", "web_search_tool_result"]
    assert found["content"][0]["thinking"]
    assert found["content"][2]["content"][0]["type"] == "web_search_result"
    assert found["usage"]["server_tool_use"]["web_search_requests"] == kinds.count(
        "server_tool_use"
    )
    assert found["usage"]["output_tokens_details"]["thinking_tokens"] > 0
    assert {each["type"] for each in cited} == {"web_search_result_location"}


def test_anthropic_thinks_without_a_word_where_none_is_wanted() -> None:
    found = body("anthropic", Wanted(more={"thinking": {"type": "adaptive"}}))

    assert found["content"][0]["thinking"] == ""
    assert found["content"][0]["signature"]


@pytest.mark.parametrize("param", ["temperature", "top_p", "top_k"])
def test_the_newest_anthropic_version_refuses_sampling(param: str) -> None:
    request = simulated.arrived("anthropic", Wanted(more={param: 1}))
    newest = request._replace(headers=[(b"anthropic-version", b"2026-10-21")])
    service = SimulatedProvider(SimulatorSettings())

    old, new = service.decide(request), service.decide(newest)

    assert (old.status, new.status) == (200, 400)
    assert json.loads(new.answer.body)["error"]["message"].startswith(f"{param}: Extra inputs")


@pytest.mark.parametrize(
    "changes",
    [
        {"max_tokens": None},
        {"output_config": {"format": {"type": "json_schema"}}},
        {"stream": True},
    ],
)
def test_anthropic_refuses_what_is_no_request(changes: dict[str, Any]) -> None:
    found = body("anthropic", Wanted(more=changes), status=400)

    assert found["type"] == "error"
    assert found["error"]["type"] == "invalid_request_error"


def test_anthropic_wants_to_know_its_version_and_takes_no_prefill() -> None:
    request, service = simulated.arrived("anthropic"), SimulatedProvider(SimulatorSettings())
    prefilled = {"messages": [{"role": "assistant", "content": "{"}]}

    unversioned = service.decide(request._replace(headers=[]))

    assert unversioned.status == 400
    assert "prefill" in body("anthropic", Wanted(more=prefilled), 400)["error"]["message"]


def test_gemini_shows_searches_sources_citations_and_thinking() -> None:
    found = body("google", Wanted(search=True, thinking=True))

    candidate, usage = found["candidates"][0], found["usageMetadata"]
    grounding, parts = candidate["groundingMetadata"], candidate["content"]["parts"]
    assert parts[0]["thought"] is True
    assert usage["thoughtsTokenCount"] > 0
    assert usage["toolUsePromptTokenCount"] > 0
    counted = {name: n for name, n in usage.items() if name != "totalTokenCount"}
    assert usage["totalTokenCount"] == sum(counted.values())
    assert grounding["webSearchQueries"]
    assert "grounding-api-redirect" in grounding["groundingChunks"][0]["web"]["uri"]
    for support in grounding["groundingSupports"]:
        part = parts[support["segment"]["partIndex"]]["text"].encode()
        start, end = support["segment"]["startIndex"], support["segment"]["endIndex"]
        assert part[start:end].decode() == support["segment"]["text"]


def test_gemini_shows_queries_alone_where_it_answers_json() -> None:
    wanted = Wanted(simulated.JUDGE, schema=simulated.SCORES, search=True)

    grounding = body("google", wanted)["candidates"][0]["groundingMetadata"]

    assert grounding["webSearchQueries"]
    assert "groundingChunks" not in grounding


def test_old_gemini_models_refuse_search_with_json() -> None:
    both = Wanted(simulated.JUDGE, "gemini-2.5-flash", simulated.SCORES, search=True)

    assert "unsupported" in body("google", both, 400)["error"]["message"]
    assert body("google", both._replace(schema=None))
    assert body("google", both._replace(search=False))
    assert body("google", both._replace(model="gemini-3.8-flash"))


def test_gemini_tells_the_wait_in_the_body_alone() -> None:
    service = SimulatedProvider(SimulatorSettings(rpm=1))
    service.decide(simulated.arrived("google"))

    refused = service.decide(simulated.arrived("google", now=20.0))

    details = json.loads(refused.answer.body)["error"]["details"]
    assert details[0]["retryDelay"] == "40.000s"
    assert refused.answer.headers == []


def test_thinking_can_be_turned_off() -> None:
    off: dict[DialectName, dict[str, Any]] = {
        "openai": {"reasoning": {"effort": "none"}},
        "openai_chat": {"reasoning_effort": "none"},
        "anthropic": {"thinking": {"type": "disabled"}},
        "google": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
    }
    tokens = [
        SimulatedProvider(SimulatorSettings())
        .decide(simulated.arrived(dialect, Wanted(model="m1-think", more=off[dialect])))
        .answer.body
        for dialect in DIALECTS
    ]

    assert [json.loads(raw).get("usage", {}) for raw in tokens]
    assert not any(b"thought" in raw or b'"type":"thinking"' in raw for raw in tokens)
    assert b'"reasoning_tokens":0' in tokens[0]
    assert b'"reasoning_tokens":0' in tokens[1]
