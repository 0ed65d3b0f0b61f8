"""Each dialect over real HTTP."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.providers import completion
from acm_workers.providers.catalog import prices
from schemas.calls import Completion, Evidence, Usage
from schemas.config.provider import Dialect, Provider
from tests.support import simulator
from tests.support.provider_calls import ASK, CHAT, CONTENT, MESSAGE, RESPONSE, complete, provider
from tests.support.scripted_server import Reply, running

pytestmark = pytest.mark.usefixtures("closed")

GOOGLE_PATH = "/v1/models/m1:generateContent"


@pytest.mark.parametrize(
    ("dialect", "path", "body", "searches"),
    [
        ("openai_chat", "/v1/chat/completions", CHAT, None),
        ("openai", "/v1/responses", RESPONSE, 0),
        ("anthropic", "/v1/messages", MESSAGE, 0),
        ("google", GOOGLE_PATH, CONTENT, 0),
    ],
)
def test_each_dialect_asks_and_answers(
    dialect: Dialect, path: str, body: dict[str, Any], searches: int | None
) -> None:
    with running(Reply(body=body, headers={"x-request-id": "req-1"})) as server:
        answer = complete(server, dialect)

    assert answer == Completion(
        text="Hello",
        finish_reason="stop",
        usage=Usage(input_tokens=3, output_tokens=1, searches=searches),
        model="m1-2026",
        response_id=body.get("id") or body["responseId"],
        request_id="req-1",
    )
    (seen,) = server.seen
    assert seen.path == path
    assert "H\u00e4?" in json.dumps(seen.body, ensure_ascii=False)
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["x-client-request-id"] == "call-1"


def test_anthropic_is_told_which_version_of_its_api_is_meant() -> None:
    warm = ASK.model_copy(update={"model": "claude-haiku-4-5", "temperature": 0.5})

    with running(Reply(body=MESSAGE, headers={"request-id": "req-2"})) as server:
        answer = complete(server, "anthropic")
        completion.complete(provider(server, "anthropic"), "alpha", warm, "call-2")

    versions = [seen.headers["anthropic-version"] for seen in server.seen]
    assert versions == ["2026-10-21", "2023-06-01"]
    assert answer.request_id == "req-2"


@pytest.mark.parametrize(
    ("dialect", "body", "header", "value"),
    [
        ("openai_chat", CHAT, "authorization", "Bearer hush-hush-1"),
        ("openai", RESPONSE, "authorization", "Bearer hush-hush-1"),
        ("anthropic", MESSAGE, "x-api-key", "hush-hush-1"),
        ("google", CONTENT, "x-goog-api-key", "hush-hush-1"),
    ],
)
def test_key_goes_in_one_header_and_never_in_the_address(
    dialect: Dialect, body: Any, header: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")

    with running(Reply(body=body)) as server:
        complete(server, dialect, key_env="ALPHA_KEY")

    (seen,) = server.seen
    assert seen.headers[header] == value
    assert "hush" not in seen.path + json.dumps(seen.body)
    assert [name for name, said in seen.headers.items() if "hush" in said] == [header]


@pytest.fixture(scope="module")
def simulated() -> Iterator[simulator.Simulator]:
    with simulator.running(latency_s=0) as running_simulator:
        yield running_simulator


DIALECTS: tuple[Dialect, ...] = ("openai_chat", "openai", "anthropic", "google")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_simulated_provider_answers_in_each_dialect(
    dialect: Dialect, simulated: simulator.Simulator
) -> None:
    there = Provider(dialect=dialect, base_url=simulated.url)

    asked = ASK.model_copy(update={"model": "sim-a"})
    answer = completion.complete(there, "alpha", asked, "call-1")

    cost_usd, _ = prices.cost(there, "sim-a", answer.usage, datetime.now(UTC))
    assert answer.text
    assert answer.finish_reason == "stop"
    assert answer.evidence == Evidence()
    assert cost_usd is not None
    assert cost_usd > 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_simulated_provider_proves_its_searches_and_thoughts(
    dialect: Dialect, simulated: simulator.Simulator
) -> None:
    there = Provider(dialect=dialect, base_url=simulated.url)

    wanted = {"model": "sim-a", "search": True, "reasoning": "tokens", "max_searches": 3}
    answer = completion.complete(there, "alpha", ASK.model_copy(update=wanted), "call-1")

    assert answer.evidence.grounding == "cited"
    assert answer.evidence.reasoning != "none"
    assert answer.evidence.sources
    assert answer.usage.searches
