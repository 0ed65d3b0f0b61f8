"""The fault catalogue: what is done about each answer that is no success."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from acm_workers.errors import (
    AcmError,
    ParameterRefused,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.http import failures
from acm_workers.providers.http.responses import ProviderResponse
from tests.support.provider_responses.failures import anthropic, google, openai

WAIT, RETRY, FAIL, PAUSE = RateLimited, ProviderUnavailable, ProviderRejected, ProviderPaused
GOOGLE = "type.googleapis.com/google.rpc."


class Fault(NamedTuple):
    """An answer by its number in the catalogue, and the reaction to it."""

    number: str
    status: int
    error: Any
    reaction: type[AcmError]
    parameter: str | None = None
    headers: Mapping[str, str] = MappingProxyType({})


def quota(limit: str) -> Any:
    return {
        "@type": GOOGLE + "QuotaFailure",
        "violations": [{"quotaMetric": "m", "quotaId": limit}],
    }


FAULTS = [
    # 7.1 HTTP
    Fault("T10", 502, None, RETRY),
    Fault("T10", 503, None, RETRY),
    Fault("T10", 504, None, RETRY),
    Fault("T11", 500, None, RETRY),
    Fault("T11", 520, None, RETRY),
    Fault("T11", 530, None, RETRY),
    Fault("T14", 301, None, FAIL),
    Fault("T14", 307, None, FAIL),
    Fault("T17", 429, None, WAIT, headers={"retry-after": "7"}),
    Fault("T18", 429, None, WAIT),
    Fault("T19", 500, None, FAIL, headers={"x-should-retry": "false"}),
    Fault("T19", 404, None, RETRY, headers={"x-should-retry": "true"}),
    Fault("T19", 429, None, PAUSE, headers={"x-should-retry": "false"}),
    # 7.2 OpenAI
    Fault("O1", 429, openai("rate_limit_exceeded", "requests"), WAIT),
    Fault("O2", 429, openai("insufficient_quota", "insufficient_quota"), PAUSE),
    Fault("O2", 429, openai(None, "insufficient_quota"), PAUSE),
    Fault("O2", 429, openai("credit_balance_exhausted", "insufficient_quota"), PAUSE),
    Fault("O2", 429, openai("billing_hard_limit_reached"), PAUSE),
    Fault("O2", 429, openai("organization_spend_limit_exceeded"), PAUSE),
    Fault("O2", 429, openai("project_spend_limit_exceeded"), PAUSE),
    Fault("O2", 429, openai("team_spend_limit_exceeded"), PAUSE),
    Fault("O2", 429, openai("organization_usage_limit_exceeded"), PAUSE),
    Fault("O3", 429, openai("slow_down", "rate_limit_error"), WAIT),
    Fault("O3", 503, openai("slow_down"), WAIT),
    Fault("O3", 503, openai("server_is_overloaded", "service_unavailable_error"), WAIT),
    Fault("O4", 400, openai("unsupported_value", param="temperature"), FAIL, "temperature"),
    Fault("O4", 400, openai("unsupported_parameter", param="temperature"), FAIL, "temperature"),
    Fault("O4", 400, openai("unsupported_parameter", param="top_p"), FAIL, "temperature"),
    Fault("O5", 400, openai("unsupported_parameter", param="reasoning.effort"), FAIL, "reasoning"),
    Fault("O5", 400, openai("unsupported_value", param="reasoning.summary"), FAIL, "reasoning"),
    Fault("O5", 400, openai("unsupported_value", param="reasoning_effort"), FAIL, "reasoning"),
    Fault("O5", 400, openai("unsupported_parameter", param="text.format"), FAIL, "json_schema"),
    Fault("O5", 400, openai("unsupported_value", param="response_format"), FAIL, "json_schema"),
    Fault("O6", 400, openai("missing_required_parameter", param="text.format.schema"), FAIL),
    Fault("O6", 400, openai("invalid_json_schema", param="text.format.schema"), FAIL),
    Fault("O6", 400, openai("invalid_value", param="temperature"), FAIL),
    Fault("O7", 400, openai("context_length_exceeded", param="input"), FAIL),
    Fault("O8", 401, openai("invalid_api_key"), PAUSE),
    Fault("O8", 401, None, PAUSE),
    Fault("O8", 403, openai(None, "permission"), FAIL),
    Fault("O8", 403, openai("unsupported_country_region_territory"), PAUSE),
    Fault("O8", 404, openai("model_not_found"), FAIL),
    Fault("O9", 200, {"code": "server_error", "message": ""}, RETRY),
    Fault("O9", 200, {"code": "rate_limit_exceeded", "message": ""}, WAIT),
    Fault("O10", 200, {"code": "invalid_prompt", "message": ""}, FAIL),
    Fault("O10", 200, {"code": "bio_policy", "message": ""}, FAIL),
    Fault("O25", 429, openai("resource_unavailable"), WAIT),
    # 7.3 Anthropic
    Fault("A1", 429, anthropic("rate_limit_error"), WAIT, headers={"retry-after": "12"}),
    Fault("A2", 429, anthropic("rate_limit_error", code="ramp_limit_exceeded"), WAIT),
    Fault("A3", 429, anthropic("rate_limit_error", code="contract_spend_limit_reached"), PAUSE),
    Fault("A3", 429, anthropic("rate_limit_error", code="enforced_spend_limit_reached"), PAUSE),
    Fault("A3", 402, anthropic("billing_error"), PAUSE),
    Fault(
        "A3", 400,
        anthropic("invalid_request_error", "Your credit balance is too low to use the API."),
        PAUSE,
    ),
    Fault("A4", 529, anthropic("overloaded_error"), WAIT),
    Fault("A4", 200, anthropic("overloaded_error"), WAIT),
    Fault("A5", 500, anthropic("api_error"), RETRY),
    Fault("A5", 504, anthropic("timeout_error"), RETRY),
    Fault(
        "A6", 400,
        anthropic("invalid_request_error", "temperature: Extra inputs are not permitted"),
        FAIL, "temperature",
    ),
    Fault(
        "A7", 400,
        anthropic(
            "invalid_request_error",
            '"thinking.type.enabled" is not supported for this model. Use adaptive thinking.',
        ),
        FAIL, "reasoning",
    ),
    Fault(
        "A7", 400,
        anthropic("invalid_request_error", "thinking.type.disabled is not supported here"),
        FAIL, "reasoning",
    ),
    Fault(
        "A8", 400,
        anthropic("invalid_request_error", "Forced tool_choice is not allowed for this model"),
        FAIL,
    ),
    Fault(
        "A9", 400,
        anthropic("invalid_request_error", "The compiled grammar is too large"),
        FAIL, "json_schema",
    ),
    Fault(
        "A9", 400,
        anthropic("invalid_request_error", "Schema is too complex."),
        FAIL, "json_schema",
    ),
    Fault(
        "A10", 400,
        anthropic("invalid_request_error", "citations are incompatible with output_config.format"),
        FAIL,
    ),
    Fault("A11", 413, anthropic("request_too_large"), FAIL),
    # 7.4 Gemini
    Fault(
        "G1", 429,
        google(
            429, "RESOURCE_EXHAUSTED", "Slow.",
            quota("GenerateRequestsPerMinutePerProjectPerModel"),
            {"@type": GOOGLE + "RetryInfo", "retryDelay": "37s"},
        ),
        WAIT,
    ),
    Fault(
        "G2", 429,
        google(
            429, "RESOURCE_EXHAUSTED", "Slow.",
            quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
            {"@type": GOOGLE + "RetryInfo", "retryDelay": "37s"},
        ),
        PAUSE,
    ),
    Fault("G3", 429, google(429, "RESOURCE_EXHAUSTED"), WAIT),
    Fault("G4", 503, google(503, "UNAVAILABLE"), RETRY),
    Fault("G4", 500, google(500, "INTERNAL"), RETRY),
    Fault(
        "G5", 400,
        google(
            400, "INVALID_ARGUMENT",
            "Tool use with a response mime type: 'application/json' is unsupported",
        ),
        FAIL, "search_with_schema",
    ),
    Fault(
        "G6", 400,
        google(400, "INVALID_ARGUMENT", "Thinking level is not supported for this model."),
        FAIL, "reasoning",
    ),
    Fault(
        "G6", 400,
        google(
            400, "INVALID_ARGUMENT", "Invalid value.",
            {
                "@type": GOOGLE + "BadRequest",
                "fieldViolations": [
                    {"field": "generation_config.thinking_config.thinking_budget"}
                ],
            },
        ),
        FAIL, "reasoning",
    ),
    Fault("G6", 400, google(400, "INVALID_ARGUMENT", "Budget 0 is too small."), FAIL),
    Fault(
        "G7", 400,
        google(
            400, "INVALID_ARGUMENT", "API key not valid.",
            {"@type": GOOGLE + "ErrorInfo", "reason": "API_KEY_INVALID"},
        ),
        PAUSE,
    ),
    # 7.5 OpenRouter and compatible servers
    Fault("R1", 402, {"code": 402, "message": "Insufficient credits"}, PAUSE),
    Fault("R1", 200, {"code": 402, "message": "Insufficient credits"}, PAUSE),
    Fault(
        "R2", 402,
        {"code": 402, "message": "", "metadata": {"limit_source": "openrouter_in_flight_budget"}},
        WAIT, headers={"retry-after": "3"},
    ),
    Fault("R3", 403, {"code": 403, "message": "", "metadata": {"reasons": ["violence"]}}, FAIL),
    Fault("R3", 200, {"code": 403, "message": "", "metadata": {"reasons": ["violence"]}}, FAIL),
    Fault("R4", 200, {"code": 502, "message": "upstream"}, RETRY),
    Fault("R4", 200, {"code": 429, "message": "slow"}, WAIT),
    Fault(
        "R4", 200,
        {"code": 400, **openai("unsupported_parameter", param="temperature")},
        FAIL, "temperature",
    ),
    Fault("R4", 200, {"code": "never_heard_of", "message": ""}, RETRY),
    Fault("R4", 200, "text", RETRY),
    Fault("R9", 503, {"code": 503, "message": "Loading model", "type": "unavailable_error"}, RETRY),
    Fault("R9", 404, {"message": "model not found, try pulling it first"}, FAIL),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number}-{fault.status}")
def test_each_fault_has_its_reaction(fault: Fault) -> None:
    answer = ProviderResponse("alpha", fault.status, fault.headers, {"error": fault.error})

    error = failures.failure(answer, fault.error)

    if fault.parameter is None:
        assert type(error) is fault.reaction
    else:
        assert isinstance(error, ParameterRefused)
        assert error.parameter == fault.parameter
    assert getattr(error, "status", None) == fault.status
