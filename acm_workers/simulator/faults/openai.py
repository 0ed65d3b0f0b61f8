"""O1 to O8 and O25: what OpenAI and servers like it refuse."""

from typing import Final

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Asked, Reply
from acm_workers.simulator.dialects.openai_form import error_body, retry_headers
from acm_workers.simulator.faults.fault import Case, Fault
from acm_workers.simulator.limits import Headers

_BOTH: Final = ("openai", "openai_chat")
_WAIT_S: Final = 0.25
_MONEY: Final = {
    "quota": "insufficient_quota",
    "balance": "credit_balance_exhausted",
    "billing": "billing_hard_limit_reached",
    "organization": "organization_spend_limit_exceeded",
    "project": "project_spend_limit_exceeded",
    "usage": "organization_usage_limit_exceeded",
}
_EFFORT: Final = {
    "parameter": "Unsupported parameter: '{}' is not supported with this model.",
    "value": "Unsupported value: '{}' must be 'medium' or 'high' with this model.",
}
_EXHAUSTED: Final[Headers] = [
    (b"x-ratelimit-limit-requests", b"500"),
    (b"x-ratelimit-remaining-requests", b"0"),
    (b"x-ratelimit-reset-requests", b"250ms"),
]


def _refusal(case: Case, status: int, message: str, type: str, code: str | None) -> Answer:
    return case.refused(status, error_body(message, type, code))


def _limited(case: Case) -> Answer:
    body = error_body(
        f"Rate limit reached for {case.asked.model} on requests per min (RPM): Limit 500, "
        "Used 500, Requested 1. Please try again in 250ms.",
        "requests",
        "rate_limit_exceeded",
    )
    return Answer(429, body, [*_EXHAUSTED, *retry_headers(_WAIT_S)])


def _money(case: Case) -> Answer:
    return _refusal(
        case,
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        _MONEY[case.variant],
    )


def _slow_down(case: Case) -> Answer:
    if case.variant == "overloaded":
        return _refusal(
            case,
            503,
            "The server is overloaded. Please try again later.",
            "service_unavailable_error",
            "server_is_overloaded",
        )
    return _refusal(case, 429, "Please ramp up more slowly.", "rate_limit_error", "slow_down")


def _temperature(case: Case) -> Answer:
    message = (
        "Unsupported value: 'temperature' is not supported with this model. "
        "Only the default (1) value is supported."
    )
    body = error_body(message, "invalid_request_error", "unsupported_value", "temperature")
    return case.refused(400, body)


def _effort(case: Case) -> Answer:
    param = "reasoning.effort" if case.dialect.NAME == "openai" else "reasoning_effort"
    words = _EFFORT[case.variant]
    code = f"unsupported_{case.variant}"
    body = error_body(words.format(param), "invalid_request_error", code, param)
    return case.refused(400, body)


def _schema(case: Case) -> Answer:
    chat = case.dialect.NAME == "openai_chat"
    param = "response_format" if chat else "text.format.schema"
    message = f"Invalid schema for {param}: 'additionalProperties' is required to be false."
    body = error_body(message, "invalid_request_error", "invalid_json_schema", param)
    return case.refused(400, body)


def _too_long(case: Case) -> Answer:
    message = "Your input exceeds the context window of this model. Please adjust your input."
    param = "messages" if case.dialect.NAME == "openai_chat" else "input"
    body = error_body(message, "invalid_request_error", "context_length_exceeded", param)
    return case.refused(400, body)


def _denied(case: Case) -> Answer:
    model = case.asked.model
    message, type, code = {
        "401": ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
        "403": (
            "Country, region, or territory not supported",
            "request_forbidden",
            "unsupported_country_region_territory",
        ),
        "404": (
            f"The model '{model}' does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
    }[case.variant]
    return _refusal(case, int(case.variant), message, type, code)


def _flex(case: Case) -> Answer:
    return _refusal(
        case,
        429,
        "Resource unavailable: no flex capacity at the moment. You were not charged.",
        "resource_unavailable",
        "resource_unavailable",
    )


def _has_temperature(asked: Asked, _: Reply) -> bool:
    return "temperature" in asked.body


def _has_effort(asked: Asked, _: Reply) -> bool:
    return "reasoning" in asked.body or "reasoning_effort" in asked.body


def _has_schema(asked: Asked, _: Reply) -> bool:
    return asked.schema is not None


FAULTS: Final = (
    Fault("O1", "429 rate_limit_exceeded", _limited, _BOTH),
    Fault("O2", "429, out of money", _money, _BOTH, variants=tuple(_MONEY)),
    Fault(
        "O3",
        "429 slow_down or 503 server_is_overloaded",
        _slow_down,
        _BOTH,
        variants=("slow_down", "overloaded"),
    ),
    Fault(
        "O4",
        "400, temperature is not accepted",
        _temperature,
        _BOTH,
        _has_temperature,
        needs="a temperature",
    ),
    Fault(
        "O5",
        "400, the reasoning effort is not accepted",
        _effort,
        _BOTH,
        _has_effort,
        needs="a reasoning parameter",
        variants=tuple(_EFFORT),
    ),
    Fault("O6", "400, the schema is not accepted", _schema, _BOTH, _has_schema, "a schema"),
    Fault("O7", "400 context_length_exceeded", _too_long, _BOTH),
    Fault("O8", "401, 403 or 404 for key or model", _denied, _BOTH, variants=("401", "403", "404")),
    Fault("O25", "429, no flex capacity", _flex, _BOTH),
)
