import json
from collections.abc import Callable
from typing import Any

import pytest

from acm_workers.simulator.faults import registry
from acm_workers.simulator.messages import PlannedAnswer
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings
from tests.support import simulated
from tests.support.simulated import DialectName, Wanted

Check = Callable[[Any], bool]
ENTRIES = {entry.number: entry for entry in registry.catalogue()}


def met(fault: str, dialect: DialectName, **changes: Any) -> PlannedAnswer:
    wanted = simulated.meeting(ENTRIES[fault.split(".")[0]].needs)._replace(**changes)
    service = SimulatedProvider(SimulatorSettings(faults=(fault,)))
    outcome = service.decide(simulated.arrived(dialect, wanted))
    assert outcome.status == 200
    assert outcome.answer.billed
    return outcome


def body(fault: str, dialect: DialectName, **changes: Any) -> Any:
    return json.loads(met(fault, dialect, **changes).answer.body)


def kinds(found: Any) -> list[str]:
    return [item["type"] for item in found["output"]]


def choice(found: Any) -> Any:
    return found["choices"][0]


def candidate(found: Any) -> Any:
    return found["candidates"][0]


OPENAI: dict[str, Check] = {
    "O9.server": lambda a: (
        (a["status"], a["error"]["code"], a["usage"]) == ("failed", "server_error", None)
    ),
    "O9.rate": lambda a: a["error"]["code"] == "rate_limit_exceeded" and a["usage"] is None,
    "O9.billed": lambda a: a["status"] == "failed" and a["usage"]["output_tokens"] > 0,
    "O10.invalid_prompt": lambda a: a["error"]["code"] == "invalid_prompt",
    "O10.bio_policy": lambda a: a["error"]["code"] == "bio_policy" and a["output"] == [],
    "O11": lambda a: (
        a["incomplete_details"] == {"reason": "max_output_tokens"}
        and kinds(a) == ["reasoning"]
        and a["usage"]["output_tokens_details"]["reasoning_tokens"] == a["usage"]["output_tokens"]
    ),
    "O12": lambda a: a["status"] == "incomplete" and len(simulated.text("openai", a)) > 100,
    "O13": lambda a: a["incomplete_details"]["reason"] == "content_filter" and kinds(a) == [],
    "O14": lambda a: a["output"][-1]["content"][0]["type"] == "refusal",
    "O15.output": lambda a: (a["status"], a["output"]) == ("completed", []),
    "O15.text": lambda a: simulated.text("openai", a) == "" and kinds(a) == ["message"],
    "O16": lambda a: (
        {i["status"] for i in a["output"] if i["type"] == "web_search_call"} == {"failed"}
        and a["tool_usage"]["web_search"]["num_requests"] == 0
        and b"url_citation" not in json.dumps(a).encode()
    ),
    "O17": lambda a: [item["phase"] for item in a["output"]] == ["commentary", "final_answer"],
    "O18": lambda a: (
        kinds(a) == ["hologram_call", "message"]
        and a["output"][1]["content"][0]["annotations"][0]["type"] == "hologram_citation"
    ),
    "O23": lambda a: a["usage"] is None,
    "O24": lambda a: a["model"] == "m1-2026-08-07",
}
CHAT: dict[str, Check] = {
    "O11": lambda a: (
        choice(a)["finish_reason"] == "length" and not simulated.text("openai_chat", a)
    ),
    "O12": lambda a: (
        choice(a)["finish_reason"] == "length" and bool(simulated.text("openai_chat", a))
    ),
    "O13": lambda a: choice(a)["finish_reason"] == "content_filter",
    "O14": lambda a: choice(a)["message"]["refusal"] and not choice(a)["message"]["content"],
    "O15.text": lambda a: choice(a)["message"]["content"] == "",
    "O23": lambda a: a["usage"] is None,
    "R4.error": lambda a: a["error"]["code"] == 502 and "choices" not in a,
    "R4.finish": lambda a: choice(a)["finish_reason"] == "error" and a["usage"],
    "R5": lambda a: a["choices"] is None,
    "R6": lambda a: "choices" not in a and choice(a["provider"])["finish_reason"] == "stop",
    "R7": lambda a: "Accuracy: " in simulated.text("openai_chat", a),
    "R8.missing": lambda a: "usage" not in a,
    "R8.byok": lambda a: (
        a["usage"]["cost"] == 0
        and a["usage"]["is_byok"]
        and a["usage"]["cost_details"]["upstream_inference_cost"] > 0
    ),
    "R9.context": lambda a: choice(a)["finish_reason"] == "length",
    "R10.think": lambda a: simulated.text("openai_chat", a).startswith("<think>"),
    "R10.reasoning": lambda a: (
        choice(a)["message"]["content"] is None and choice(a)["message"]["reasoning"]
    ),
    "R10.reasoning_content": lambda a: choice(a)["message"]["reasoning_content"],
    "R11": lambda a: not simulated.text("openai_chat", a).strip(),
}
ANTHROPIC: dict[str, Check] = {
    "A12": lambda a: a["stop_reason"] == "max_tokens" and bool(simulated.text("anthropic", a)),
    "A13": lambda a: (
        a["stop_reason"] == "max_tokens"
        and [block["type"] for block in a["content"]] == ["thinking"]
    ),
    "A14": lambda a: (
        (a["content"], a["stop_reason"]) == ([], "refusal")
        and a["stop_details"]["category"] == "general_harms"
        and a["usage"]["input_tokens"] > 0
    ),
    "A15": lambda a: a["stop_reason"] == "pause_turn",
    "A16": lambda a: a["stop_reason"] == "model_context_window_exceeded",
    "A17": lambda a: (a["stop_reason"], a["content"]) == ("end_turn", []),
    "A19": lambda a: (a["stop_reason"], a["content"][0]["type"]) == ("tool_use", "tool_use"),
} | {
    f"A18.{code}": lambda a, code=code: (
        {b["content"]["error_code"] for b in a["content"] if b["type"] == "web_search_tool_result"}
        == {code}
        and a["usage"]["server_tool_use"]["web_search_requests"] == 0
        and not any("citations" in block for block in a["content"])
    )
    for code in ENTRIES["A18"].variants
}
GOOGLE: dict[str, Check] = {
    "G8": lambda a: (
        "candidates" not in a
        and a["promptFeedback"]["blockReason"] == "PROHIBITED_CONTENT"
        and set(a["usageMetadata"]) == {"promptTokenCount", "totalTokenCount"}
    ),
    "G10": lambda a: candidate(a)["finishReason"] == "RECITATION",
    "G11": lambda a: (
        candidate(a)["finishReason"] == "MAX_TOKENS"
        and simulated.text("google", a) == ""
        and a["usageMetadata"]["thoughtsTokenCount"] > 0
    ),
    "G12.parts": lambda a: candidate(a)["content"]["parts"] == [],
    "G12.keyless": lambda a: candidate(a)["content"] == {"role": "model"},
    "G12.contentless": lambda a: "content" not in candidate(a),
    "G14": lambda a: (
        candidate(a)["finishReason"] == "CONTINUATION" and candidate(a)["continuationToken"]
    ),
    "G15.empty": lambda a: candidate(a)["groundingMetadata"] == {},
    "G15.missing": lambda a: "groundingMetadata" not in candidate(a),
    "G16": lambda a: (
        candidate(a)["groundingMetadata"]["webSearchQueries"]
        and "groundingChunks" not in candidate(a)["groundingMetadata"]
    ),
    "G17": lambda a: (
        [bool(part.get("thought")) for part in candidate(a)["content"]["parts"]]
        == [False] * 3 + [True] + [False] * 3
        and simulated.text("google", a).endswith(".\n")
    ),
    "G19": lambda a: "candidatesTokenCount" not in a["usageMetadata"],
} | {
    f"{number}.{reason}": lambda a, reason=reason: (
        candidate(a)["finishReason"] == reason.upper() and "content" not in candidate(a)
    )
    for number in ("G9", "G13")
    for reason in ENTRIES[number].variants
}
TABLES: dict[DialectName, dict[str, Check]] = {
    "openai": OPENAI,
    "openai_chat": CHAT,
    "anthropic": ANTHROPIC,
    "google": GOOGLE,
}
CASES = [(dialect, fault) for dialect, table in TABLES.items() for fault in table]


@pytest.mark.parametrize(("dialect", "fault"), CASES)
def test_an_answer_is_wrong_in_the_way_the_catalogue_says(dialect: DialectName, fault: str) -> None:
    assert TABLES[dialect][fault](body(fault, dialect))


def test_all_faults_of_answers_are_in_one_of_these_tables() -> None:
    elsewhere = {"A20", "A21", "O19", "O20", "O21", "O22"}  # below, and where backgrounds are
    listed = {fault.split(".")[0] for _, fault in CASES} | elsewhere

    unlisted = {
        number
        for number, entry in ENTRIES.items()
        if number[0] in "OAGR"
        and number not in listed
        and SimulatedProvider(SimulatorSettings(faults=(number,)))
        .decide(simulated.arrived(entry.dialects[0], simulated.meeting(entry.needs)))
        .status
        == 200
    }

    assert unlisted == set()


@pytest.mark.parametrize(("variant", "ends"), [("error", "overloaded_error"), ("cut", "delta")])
def test_a_stream_of_anthropic_ends_before_its_end(variant: str, ends: str) -> None:
    answer = met(f"A20.{variant}", "anthropic").answer

    events = answer.body.decode().split("\n\n")
    assert answer.content_type == b"text/event-stream"
    assert ends in events[-2]
    assert b"message_stop" not in answer.body


def test_a_budget_that_was_too_small_is_spent_in_full() -> None:
    cut = body("O12", "openai", max_tokens=900)
    empty = body("G11", "google", max_tokens=900)

    assert cut["usage"]["output_tokens"] == 900
    assert empty["usageMetadata"]["thoughtsTokenCount"] == 900


def test_a_paused_turn_goes_on_when_it_is_sent_back() -> None:
    service = SimulatedProvider(SimulatorSettings(faults=("A15",)))
    request = simulated.arrived("anthropic", Wanted(search=True))
    paused = json.loads(service.decide(request).answer.body)
    asked = json.loads(request.body)
    asked["messages"].append({"role": "assistant", "content": paused["content"]})

    outcome = service.decide(request._replace(body=json.dumps(asked).encode()))

    ended = json.loads(outcome.answer.body)
    whole = simulated.text("anthropic", paused) + simulated.text("anthropic", ended)
    assert (outcome.fault, ended["stop_reason"]) == (None, "end_turn")
    assert whole.startswith("# ")
    assert whole.endswith(".\n")


def test_a_continuation_of_gemini_goes_on_with_its_token() -> None:
    service = SimulatedProvider(SimulatorSettings(faults=("G14",)))
    request = simulated.arrived("google")
    begun = json.loads(service.decide(request).answer.body)
    token = {"continuationToken": candidate(begun)["continuationToken"]}

    outcome = service.decide(
        request._replace(body=json.dumps(json.loads(request.body) | token).encode())
    )

    ended = json.loads(outcome.answer.body)
    whole = simulated.text("google", begun) + simulated.text("google", ended)
    assert (outcome.fault, candidate(ended)["finishReason"]) == (None, "STOP")
    assert whole.startswith("# ")
    assert whole.endswith(".\n")
