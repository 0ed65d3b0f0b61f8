import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import abandoned_request
from tests.support.project import PATIENCE_S
from tests.support.simulator import Simulator, running

PROMPT = "Write about this: the colony forms a ball around its queen when winter comes."
CHAT = {"model": "m1@L0", "messages": [{"role": "user", "content": PROMPT}]}
RESPONSES = {"model": "m1@L0", "input": PROMPT}
LOCAL: dict[str, Any] = {"trust_env": False, "timeout": PATIENCE_S}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with running(latency_s=0) as started:
        yield started


def post(simulator: Simulator, path: str, body: Any, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    url = f"{simulator.url}/{path}"
    return httpx.post(url, json=body, headers=named, **LOCAL)


def test_chat_completions_answer_as_the_real_ones_do(simulator: Simulator) -> None:
    answer = post(simulator, "chat/completions", CHAT)

    found = answer.raise_for_status().json()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"].startswith("req_")
    assert found["object"] == "chat.completion"
    assert found["model"] == "m1@L0"
    assert found["choices"][0]["finish_reason"] == "stop"
    text = found["choices"][0]["message"]["content"]
    assert "forms a ball around its queen" in text
    assert found["usage"]["prompt_tokens"] == -(-len(PROMPT) // 4)
    assert found["usage"]["completion_tokens"] == -(-len(text) // 4)


def test_responses_answer_as_the_real_ones_do(simulator: Simulator) -> None:
    answer = post(simulator, "responses", RESPONSES)

    found = answer.raise_for_status().json()
    assert (found["object"], found["status"]) == ("response", "completed")
    assert [item["type"] for item in found["output"]] == ["message"]
    part = found["output"][0]["content"][0]
    assert part["type"] == "output_text"
    assert "forms a ball around its queen" in part["text"]
    assert found["usage"]["total_tokens"] == (
        found["usage"]["input_tokens"] + found["usage"]["output_tokens"]
    )


def test_a_model_that_thinks_shows_reasoning_beside_its_message(simulator: Simulator) -> None:
    body = RESPONSES | {"model": "m1-think@L0", "reasoning": {"summary": "auto"}}

    found = post(simulator, "responses", body).json()

    assert [item["type"] for item in found["output"]] == ["reasoning", "message"]
    assert found["output"][0]["summary"][0]["type"] == "summary_text"
    assert found["usage"]["output_tokens_details"]["reasoning_tokens"] > 0


def test_answers_end_where_their_budget_does(simulator: Simulator) -> None:
    chat = post(simulator, "chat/completions", CHAT | {"max_completion_tokens": 10}).json()
    responses = post(simulator, "responses", RESPONSES | {"max_output_tokens": 10}).json()

    assert chat["choices"][0]["finish_reason"] == "length"
    assert len(chat["choices"][0]["message"]["content"]) == 40
    assert responses["status"] == "incomplete"
    assert responses["incomplete_details"] == {"reason": "max_output_tokens"}
    assert len(responses["output"][0]["content"][0]["text"]) == 40


def test_an_answer_follows_the_schema_in_both_dialects(simulator: Simulator) -> None:
    cell = {"type": "object", "properties": {"score": {"type": "integer", "enum": [1, 2, 3]}}}
    named = {"name": "scores", "schema": {"type": "object", "properties": {"depth": cell}}}
    form = {"type": "json_schema", "json_schema": named}

    chat = post(simulator, "chat/completions", CHAT | {"response_format": form}).json()
    body = RESPONSES | {"text": {"format": {"type": "json_schema", **named}}}
    responses = post(simulator, "responses", body).json()

    for text in (
        chat["choices"][0]["message"]["content"],
        responses["output"][0]["content"][0]["text"],
    ):
        assert json.loads(text)["depth"]["score"] in {1, 2, 3}


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "param"),
    [
        ("chat/completions", [], 400, None, None),
        ("chat/completions", {"messages": []}, 400, "missing_required_parameter", "model"),
        ("responses", {"model": "m1"}, 400, "missing_required_parameter", "input"),
        (
            "responses",
            RESPONSES | {"stream": True, "background": True},
            400,
            "unsupported_parameter",
            "stream",
        ),
        (
            "responses",
            RESPONSES | {"text": {"format": {"type": "json_schema", "name": "a"}}},
            400,
            "missing_required_parameter",
            "text.format.schema",
        ),
        ("chat/completions", CHAT | {"max_tokens": 0}, 400, "invalid_value", "max_tokens"),
        ("chat/completions", CHAT | {"model": "m1@500@L0"}, 500, None, None),
        ("embeddings", {"model": "m1", "input": [""]}, 400, None, "input"),
        ("audio/speech", {}, 404, None, None),
    ],
)
def test_what_cannot_be_answered_gets_an_error_body(
    simulator: Simulator, path: str, body: Any, status: int, code: str | None, param: str | None
) -> None:
    answer = post(simulator, path, body)

    error = answer.json()["error"]
    assert answer.status_code == status
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["param"]) == (code, param)


def test_only_the_invalid_key_is_refused(simulator: Simulator) -> None:
    refused = post(simulator, "responses", RESPONSES, authorization="Bearer invalid")
    accepted = post(simulator, "responses", RESPONSES, authorization="Bearer sk-whatever")

    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "invalid_api_key"
    assert accepted.status_code == 200


def test_models_are_listed_in_the_form_of_whoever_asks(simulator: Simulator) -> None:
    def listed(base: str, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = httpx.get(f"{base}/models", headers=named, **LOCAL)
        return answer.json()

    openai = listed(simulator.url)
    anthropic = listed(simulator.url, anthropic_version="2026-10-21")
    google = listed(simulator.google_url), listed(simulator.url, x_goog_api_key="k")

    assert openai["object"] == "list"
    assert {model["object"] for model in openai["data"]} == {"model"}
    assert {model["type"] for model in anthropic["data"]} == {"model"}
    assert google[0]["models"][0]["name"] == "models/sim-small"
    assert google[0] == google[1]


def test_a_request_beyond_the_limit_is_told_how_long_to_wait() -> None:
    with running(latency_s=0, rpm=2, tpm=1_000_000) as limited:
        answers = [post(limited, "chat/completions", CHAT) for _ in range(3)]
        stats = limited.stats()

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [a.headers["x-ratelimit-remaining-requests"] for a in answers] == ["1", "0", "0"]
    assert int(answers[0].headers["x-ratelimit-remaining-tokens"]) < 1_000_000
    assert answers[2].json()["error"]["code"] == "rate_limit_exceeded"
    assert 30_000 < int(answers[2].headers["retry-after-ms"]) <= 60_000
    assert 30 < int(answers[2].headers["retry-after"]) <= 60
    assert (stats["rate_limited"], stats["max_in_60s"]) == (1, 3)


def test_tokens_are_limited_too() -> None:
    with running(latency_s=0, tpm=1500) as limited:
        statuses = [post(limited, "chat/completions", CHAT).status_code for _ in range(4)]
        stats = limited.stats()

    assert statuses[0] == 200
    assert statuses[-1] == 429
    assert stats["max_tokens_in_60s"] <= 1500


def test_faults_reach_the_client_as_they_would_from_a_real_server() -> None:
    seen: set[int | str] = set()

    with running(latency_s=0, fault_rate=1) as faulty, httpx.Client(**LOCAL) as client:
        for number in range(40):
            headers = {"x-client-request-id": str(number)}
            try:
                answer = client.post(f"{faulty.url}/responses", json=RESPONSES, headers=headers)
            except httpx.ReadError:
                seen.add("reset")
                continue
            seen.add(answer.status_code)
            if answer.status_code == 429:
                assert answer.headers["retry-after-ms"] == "250"
        stats = faulty.stats()

    assert seen == {429, 500, 503, "reset"}
    assert set(stats["by_status"]) == {"429", "500", "503", "reset"}


def test_stats_count_what_was_answered_more_than_once() -> None:
    with running(latency_s=0) as fresh:
        for request_id in ("a", "b", "a", "a"):
            post(fresh, "chat/completions", CHAT, x_client_request_id=request_id)
        post(fresh, "chat/completions", CHAT | {"model": "m2@500"}, x_client_request_id="a")
        stats = fresh.stats()

    assert stats["answered_twice"] == 2
    assert stats["requests"] == 5
    assert stats["by_status"] == {"200": 4, "500": 1}
    assert stats["by_model"] == {"m1@L0": 4, "m2@500": 1}
    assert stats["tokens"]["input"] == 4 * -(-len(PROMPT) // 4)
    assert (stats["in_flight"], stats["in_flight_max"], stats["abandoned"]) == (0, 1, 0)


def test_requests_in_flight_are_answered_at_the_same_time() -> None:
    with running(latency_s=1.0) as slow:
        body = CHAT | {"model": "m1"}
        with ThreadPoolExecutor(8) as pool:
            times = [
                answer.result().elapsed.total_seconds()
                for answer in [pool.submit(post, slow, "chat/completions", body) for _ in range(8)]
            ]
        stats = slow.stats()

    assert min(times) >= 0.9
    assert stats["in_flight_max"] > 1


def test_a_client_that_leaves_is_counted_and_not_answered(tmp_path: Path) -> None:
    log, body = tmp_path / "log.jsonl", RESPONSES | {"model": "m1"}

    with running(latency_s=5, log_file=log) as slow:
        abandoned_request.send_and_disconnect(slow, "/v1/responses", json.dumps(body).encode())
        post(slow, "responses", RESPONSES)
        stats = slow.stats()

    assert (stats["abandoned"], stats["by_status"]) == (1, {"200": 1})
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["status"] for line in lines] == [None, 200]
    assert set(lines[1]) == {
        "time", "name", "model", "path", "status", "input_tokens", "output_tokens", "fault"
    }  # fmt: skip


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "acm_workers.simulator", "--port", "0"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        process.send_signal(ending)
        rest, errors = process.communicate(timeout=PATIENCE_S)

    assert ready.startswith(b"simulator listening on http://127.0.0.1:")
    assert (process.returncode, rest, errors) == (0, b"", b"")


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "acm_workers.simulator", "--port", port]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    assert ended.returncode == 1
    assert ended.stderr.startswith("simulator: ")
    assert ended.stderr.count("\n") == 1
