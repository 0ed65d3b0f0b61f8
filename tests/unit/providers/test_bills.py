"""Bills of answers in the shapes that providers send, beside sums made by hand."""

from datetime import UTC, datetime
from typing import Any

import pytest

from acm_workers.providers.catalog import prices
from acm_workers.providers.dialects import anthropic, google, openai, openai_chat
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion
from schemas.config.provider import KNOWN, Provider, TokenPrice

AT = datetime(2026, 11, 20, tzinfo=UTC)
HOME = Provider(dialect="openai_chat", base_url="http://127.0.0.1:1/v1")


def exactly(usd: float) -> Any:
    return pytest.approx(usd, abs=1e-9, rel=0)


def bill(name: str, model: str, answer: Completion, at: datetime = AT) -> float | None:
    provider = KNOWN.get(name, HOME)
    return prices.cost(provider, model, answer.usage, at, searching=True)[0]


def gemini(usage: dict[str, Any], *queries: str, **beside: Any) -> Completion:
    ground = {"groundingMetadata": {"webSearchQueries": list(queries)}} if queries else {}
    candidate = {"content": {"parts": [{"text": "{}"}]}, "finishReason": "STOP", **ground}
    body = {"candidates": [candidate], "usageMetadata": usage, **beside}
    return google.read(ProviderResponse("google", 200, body=body))


def gpt(usage: dict[str, Any], searches: int = 0, **beside: Any) -> Completion:
    item = {"type": "message", "content": [{"type": "output_text", "text": "{}"}]}
    tools = {"tool_usage": {"web_search": {"num_requests": searches}}}
    body = {"status": "completed", "output": [item], "usage": usage, **tools, **beside}
    return openai.read(ProviderResponse("openai", 200, body=body))


def claude(usage: dict[str, Any]) -> Completion:
    body = {"type": "message", "content": [], "stop_reason": "end_turn", "usage": usage}
    return anthropic.read(ProviderResponse("anthropic", 200, body=body))


def chat(**beside: Any) -> Completion:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100}
    body = {"choices": [{"message": {"content": "{}"}}], "usage": usage, **beside}
    return openai_chat.read(ProviderResponse("home", 200, body=body))


GROUNDED = {
    "promptTokenCount": 6_318,
    "toolUsePromptTokenCount": 7_615,
    "candidatesTokenCount": 420,
    "thoughtsTokenCount": 2_950,
}


def test_pages_that_google_searches_bring_are_no_input_to_pay_for() -> None:
    answer = gemini(GROUNDED, "old bridges", "new bridges")

    expected = (6_318 * 0.75 + 3_370 * 3.75) / 1e6 + 2 * 0.014
    assert bill("google", "gemini-3.8-flash", answer) == exactly(expected)
    assert answer.usage.input_tokens == 13_933


def test_pages_that_google_searches_bring_push_no_request_over_a_price_step() -> None:
    usage = {**GROUNDED, "promptTokenCount": 150_000, "toolUsePromptTokenCount": 90_000}
    long = {**usage, "promptTokenCount": 200_001, "cachedContentTokenCount": 1_001}

    short = (150_000 * 2 + 3_370 * 12) / 1e6 + 0.014
    above = (199_000 * 4 + 1_001 * 0.4 + 3_370 * 18) / 1e6 + 0.014
    pro = "gemini-3.1-pro-preview"
    assert bill("google", pro, gemini(usage, "q")) == exactly(short)
    assert bill("google", pro, gemini(long, "q")) == exactly(above)


def test_gemini_3_bills_each_query_once_and_gemini_2_each_answer_that_searched() -> None:
    queries = ("old bridges", " old bridges ", "", "  ", "new bridges", "old bridges")
    answer = gemini(GROUNDED, *queries)

    three = (6_318 * 0.75 + 3_370 * 3.75) / 1e6 + 2 * 0.014
    two = (6_318 * 0.3 + 3_370 * 2.5) / 1e6 + 0.035
    assert bill("google", "gemini-3.8-flash", answer) == exactly(three)
    assert bill("google", "gemini-2.5-flash", answer) == exactly(two)


def test_searches_that_google_says_it_bills_are_the_searches_of_the_bill() -> None:
    billed = [
        {"tool": "GOOGLE_SEARCH_RETRIEVAL", "successfulToolCallCount": 3},
        {"tool": "google_search", "successfulToolCallCount": 2},
        {"tool": "code_execution", "successfulToolCallCount": 8},
        {"successfulToolCallCount": "many"},
    ]
    answer = gemini({**GROUNDED, "billedToolCalls": billed}, "q")
    nothing = gemini({**GROUNDED, "billedToolCalls": [{"successfulToolCallCount": 0}]}, "q")

    tokens = (6_318 * 0.75 + 3_370 * 3.75) / 1e6
    model = "gemini-3.8-flash"
    assert bill("google", model, answer) == exactly(tokens + 5 * 0.014)
    assert bill("google", model, nothing) == exactly(tokens)


def test_billed_searches_prove_a_search_without_any_metadata() -> None:
    billed = {"billedToolCalls": [{"tool": "google_search", "successfulToolCallCount": 2}]}

    assert gemini({**GROUNDED, **billed}).evidence.grounding == "searched"
    assert gemini(GROUNDED).evidence.grounding == "none"


USED = {
    "input_tokens": 69_500,
    "input_tokens_details": {"cached_tokens": 20_000, "cache_write_tokens": 1_500},
    "output_tokens": 9_600,
    "output_tokens_details": {"reasoning_tokens": 9_500},
}
LUNA = (48_000 * 0.1 + 20_000 * 0.01 + 1_500 * 0.125 + 9_600 * 0.5) / 1e6


@pytest.mark.parametrize(
    ("tier", "factor"),
    [
        (None, 1),
        ("default", 1),
        ("auto", 1),
        ("flex", 0.5),
        ("Flex", 0.5),
        ("batch", 0.5),
        ("priority", 2),
        ("fast", 2),
    ],
)
def test_tokens_of_openai_cost_what_their_service_tier_costs(
    tier: str | None, factor: float
) -> None:
    answer = gpt(USED, 13, service_tier=tier)

    expected = LUNA * factor + 13 * 0.01
    assert bill("openai", "gpt-6-luna", answer) == exactly(expected)


def test_tiers_have_price_steps_of_their_own() -> None:
    usage = {"input_tokens": 272_001, "output_tokens": 1_000}
    flex, priority = (gpt(usage, service_tier=tier) for tier in ("flex", "priority"))

    half, double = (272_001 * 0.1 + 375) / 1e6, (272_001 * 0.4 + 1_500) / 1e6
    assert bill("openai", "gpt-6-luna", flex) == exactly(half)
    assert bill("openai", "gpt-6-luna", priority) == exactly(double)


@pytest.mark.parametrize("tier", ["scale", "ultrafast", "new", "x" * 500])
def test_price_of_an_unknown_tier_is_not_known(tier: str) -> None:
    answer = gpt(USED, service_tier=tier)

    assert bill("openai", "gpt-6-luna", answer) is None
    assert answer.usage.service_tier is not None
    assert len(answer.usage.service_tier) <= 64


def test_tier_that_a_model_is_not_sold_in_has_no_price() -> None:
    assert bill("openai", "gpt-5-nano", gpt(USED, service_tier="priority")) is None
    assert bill("openai", "gpt-6-luna", gpt(USED, service_tier="flex"), AT.replace(month=6)) is None


@pytest.mark.parametrize(
    ("tier", "read", "written"),
    [("standard", 0.75, 3.75), ("SERVICE_TIER_FLEX", 0.375, 1.875), ("priority", 1.35, 6.75)],
)
def test_tokens_of_gemini_cost_what_their_service_tier_costs(
    tier: str, read: float, written: float
) -> None:
    inside = gemini({**GROUNDED, "serviceTier": tier}, "q")
    beside = gemini(GROUNDED, "q", serviceTier=tier)

    expected = (6_318 * read + 3_370 * written) / 1e6 + 0.014
    assert bill("google", "gemini-3.8-flash", inside) == exactly(expected)
    assert bill("google", "gemini-3.8-flash", beside) == exactly(expected)


def test_tokens_of_claude_cost_what_their_service_tier_costs() -> None:
    usage = {
        "input_tokens": 1_000,
        "cache_read_input_tokens": 4_000,
        "cache_creation_input_tokens": 2_000,
        "output_tokens": 800,
        "server_tool_use": {"web_search_requests": 3},
    }
    standard, batch, priority, fast = (
        claude({**usage, **tier})
        for tier in (
            {"service_tier": "standard", "speed": "standard"},
            {"service_tier": "batch"},
            {"service_tier": "priority"},
            {"service_tier": "standard", "speed": "fast"},
        )
    )

    tokens = (1_000 * 2 + 4_000 * 0.1 + 2_000 * 2.5 + 800 * 10) / 1e6
    model = "claude-sonnet-5-5"
    assert bill("anthropic", model, standard) == exactly(tokens + 0.03)
    assert bill("anthropic", model, batch) == exactly(tokens / 2 + 0.03)
    assert bill("anthropic", model, priority) is None
    assert bill("anthropic", model, fast) is None


def test_own_price_is_that_of_the_standard_tier_unless_nothing_costs_anything() -> None:
    own = {"paid": TokenPrice(input=1, output=2), "free": TokenPrice(input=0, output=0)}
    home = HOME.model_copy(update={"prices": own})
    standard, flex = (chat(service_tier=tier).usage for tier in ("default", "flex"))

    assert prices.cost(home, "paid", standard, AT)[0] == exactly(0.0012)
    assert prices.cost(home, "paid", flex, AT)[0] is None
    assert prices.cost(home, "free", flex, AT)[0] == 0.0


def test_label_of_a_price_names_its_tier() -> None:
    _, label = prices.cost(
        KNOWN["openai"], "gpt-6-luna", gpt(USED, service_tier="priority").usage, AT
    )

    assert label == "gpt-6-luna priority from 2026-11-01"
