"""A1 to A11: what Anthropic refuses."""

from datetime import UTC, datetime
from typing import Final

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Asked, DialectName, Reply
from acm_workers.simulator.dialects.anthropic import error_body
from acm_workers.simulator.faults.fault import Case, Fault
from acm_workers.simulator.limits import Headers
from acm_workers.simulator.reading import mapping

_HERE: Final[tuple[DialectName, ...]] = ("anthropic",)
_RETRY: Final[Headers] = [(b"retry-after", b"1")]
_BAD: Final = "invalid_request_error"
_SAMPLING: Final = ("temperature", "top_p", "top_k")
_MONEY: Final = {
    "contract": (429, "rate_limit_error", "contract_spend_limit_reached"),
    "enforced": (429, "rate_limit_error", "enforced_spend_limit_reached"),
    "billing": (402, "billing_error", "linked_organization_payment_failed"),
    "credit": (400, _BAD, None),
}
_SCHEMA: Final = {
    "complex": "The schema is too complex. Please simplify it.",
    "grammar": "The compiled grammar is too large.",
}


def _says(case: Case, status: int, type: str, message: str, code: str | None = None) -> Answer:
    return case.refused(status, error_body(type, message, case.request_id, code))


def _limited(case: Case) -> Answer:
    reset = datetime.fromtimestamp(int(case.wall) + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = [
        *_RETRY,
        (b"anthropic-ratelimit-requests-limit", b"50"),
        (b"anthropic-ratelimit-requests-remaining", b"0"),
        (b"anthropic-ratelimit-requests-reset", reset.encode()),
    ]
    message = "This request would exceed your organization's rate limit of 50 requests per minute."
    return Answer(429, error_body("rate_limit_error", message, case.request_id), headers)


def _ramp(case: Case) -> Answer:
    body = error_body(
        "rate_limit_error", "Please ramp up gradually.", case.request_id, "ramp_limit_exceeded"
    )
    return case.refused(429, body, _RETRY)


def _money(case: Case) -> Answer:
    status, type, code = _MONEY[case.variant]
    message = "Your credit balance is too low to access the Anthropic API."
    return _says(case, status, type, message, code)


def _overloaded(case: Case) -> Answer:
    body = error_body("overloaded_error", "Overloaded", case.request_id)
    return case.refused(529, body, _RETRY if case.variant == "told" else [])


def _broken(case: Case) -> Answer:
    if case.variant == "504":
        return _says(case, 504, "timeout_error", "The request timed out.")
    return _says(case, 500, "api_error", "Internal server error")


def _sampling(case: Case) -> Answer:
    param = next(param for param in _SAMPLING if param in case.asked.body)
    return _says(case, 400, _BAD, f"{param}: Extra inputs are not permitted")


def _thinking(case: Case) -> Answer:
    kind = mapping(case.asked.body.get("thinking"))["type"]
    message = (
        f'"thinking.type.{kind}" is not supported for this model. '
        'Use "thinking.type.adaptive" and "output_config.effort" to control thinking.'
    )
    return _says(case, 400, _BAD, message)


def _forced(case: Case) -> Answer:
    kind = mapping(case.asked.body.get("tool_choice"))["type"]
    return _says(case, 400, _BAD, f"tool_choice.type.{kind} is not supported for this model.")


def _schema(case: Case) -> Answer:
    return _says(case, 400, _BAD, f"output_config.format.schema: {_SCHEMA[case.variant]}")


def _citations(case: Case) -> Answer:
    return _says(case, 400, _BAD, "Citations cannot be enabled together with output_config.format.")


def _too_large(case: Case) -> Answer:
    return _says(case, 413, "request_too_large", "Request exceeds the maximum size")


def _samples(asked: Asked, _: Reply) -> bool:
    return any(param in asked.body for param in _SAMPLING)


def _sets_thinking(asked: Asked, _: Reply) -> bool:
    return mapping(asked.body.get("thinking")).get("type") in ("enabled", "disabled")


def _forces(asked: Asked, _: Reply) -> bool:
    return mapping(asked.body.get("tool_choice")).get("type") in ("any", "tool")


def _has_schema(asked: Asked, _: Reply) -> bool:
    return asked.schema is not None


FAULTS: Final = (
    Fault("A1", "429 rate_limit_error with the limits' headers", _limited, _HERE),
    Fault("A2", "429 ramp_limit_exceeded", _ramp, _HERE),
    Fault("A3", "out of money: 429, 402 or 400", _money, _HERE, variants=tuple(_MONEY)),
    Fault("A4", "529 overloaded_error", _overloaded, _HERE, variants=("untold", "told")),
    Fault("A5", "500 api_error or 504 timeout_error", _broken, _HERE, variants=("500", "504")),
    Fault("A6", "400, sampling is not accepted", _sampling, _HERE, _samples, "a temperature"),
    Fault(
        "A7",
        "400, this kind of thinking is not accepted",
        _thinking,
        _HERE,
        _sets_thinking,
        "thinking enabled or disabled",
    ),
    Fault("A8", "400, no tool can be forced", _forced, _HERE, _forces, "a forced tool"),
    Fault(
        "A9",
        "400, the schema is too complex",
        _schema,
        _HERE,
        _has_schema,
        "a schema",
        variants=tuple(_SCHEMA),
    ),
    Fault("A10", "400, citations with a schema", _citations, _HERE, _has_schema, "a schema"),
    Fault("A11", "413 request_too_large", _too_large, _HERE),
)
