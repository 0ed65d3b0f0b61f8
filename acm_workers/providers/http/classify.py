"""What to do about an answer that is no success: one table for all dialects.

Decided by the provider's codes, then by status; by the words of a message only where nothing else
tells. Numbers such as A3 are those of the fault catalogue, which the simulator goes by as well.
"""

import re
from typing import Any, Literal, get_args

from acm_workers.errors import (
    AcmError,
    ParameterRefused,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.http import error_bodies, waits
from acm_workers.providers.http.answers import Answer
from acm_workers.providers.http.error_bodies import ErrorBody
from schemas.calls import Parameter

Action = Parameter | Literal["limited", "unavailable", "rejected", "too_long", "paused"]
"""Wait, retry, fail or pause; or send again without the parameter of that name."""

_PARAMETERS: tuple[Parameter, ...] = get_args(Parameter)
_TOO_LONG = "the texts are too long for this model"

# Codes that decide whatever the status is.
_BY_CODE: dict[str, Action] = {
    "openrouter_in_flight_budget": "limited",  # R2: the one 402 that passes by itself
    "insufficient_quota": "paused",  # O2
    "credit_balance_exhausted": "paused",
    "billing_hard_limit_reached": "paused",
    "billing_not_active": "paused",
    "organization_spend_limit_exceeded": "paused",
    "project_spend_limit_exceeded": "paused",
    "organization_usage_limit_exceeded": "paused",
    "billing_error": "paused",  # A3
    "contract_spend_limit_reached": "paused",
    "enforced_spend_limit_reached": "paused",
    error_bodies.DAILY_QUOTA: "paused",  # G2
    # With a refused key nothing else can be asked either: what waits is kept for a better one.
    "invalid_api_key": "paused",  # O8
    "unsupported_country_region_territory": "paused",
    "authentication_error": "paused",
    "API_KEY_INVALID": "paused",  # G7: comes as a 400
    "rate_limit_exceeded": "limited",  # O1
    "rate_limit_error": "limited",  # A1, A2
    "too_many_requests": "limited",
    "slow_down": "limited",  # O3
    "server_is_overloaded": "limited",
    "overloaded_error": "limited",  # A4
    "context_length_exceeded": "too_long",  # O7
}
# Codes that decide only inside an answer with status 200, where no status does.
_INSIDE_200: dict[str, Action] = {
    "invalid_request_error": "rejected",
    "invalid_prompt": "rejected",  # O10
    "bio_policy": "rejected",
    "misalignment_policy_violation": "rejected",
    "data_residency_mismatch": "rejected",
    "content_filter": "rejected",
    "permission_error": "rejected",
    "not_found_error": "rejected",
    "request_too_large": "rejected",
}
_BY_STATUS: dict[int, Action] = {
    401: "paused",
    402: "paused",
    408: "unavailable",
    409: "unavailable",
    425: "unavailable",
    429: "limited",
    529: "limited",
}
_SPEND_LIMIT = "_spend_limit_exceeded"

# What a refused field of the request stands for, where the code says that it is refused (O4, O5,
# G6). A schema that is wrong (O6) is our own mistake, and none of these.
_REFUSALS = frozenset({"unsupported_value", "unsupported_parameter", "INVALID_ARGUMENT"})
_BY_FIELD: tuple[tuple[str, Action], ...] = (
    (r"(.*\.)?(temperature|top_p|topP)", "temperature"),
    (r"reasoning(\..*|_effort)?|(.*\.)?thinking(_config|Config)?(\..*)?", "reasoning"),
    (r"output_config\.effort", "reasoning"),
    (r"(text\.format|response_format|output_config\.format)(\.type)?", "json_schema"),
)
# Faults that show in the words of a 400 only.
_BY_MESSAGE: tuple[tuple[str, Action], ...] = (
    (r"credit balance is too low", "paused"),  # A3
    (r"^(temperature|top_p|top_k)\b.*(extra inputs|not supported|deprecated)", "temperature"),  # A6
    (r"^(thinking|output_config\.effort)\b.*extra inputs", "reasoning"),
    (r"thinking\.type\.(enabled|disabled|adaptive)\b.{0,9}not supported", "reasoning"),  # A7
    (r"schema is too complex|grammar is too large", "json_schema"),  # A9
    (r"^output_config\.format\b.*extra inputs", "json_schema"),
    (r"tool use with (a )?response mime type.* unsupported", "search_with_schema"),  # G5
    (r"\bthinking([ _](level|budget|mode))?\b.*((not |un)supported|invalid)", "reasoning"),  # G6
    (r"prompt is too long|input token count.*exceeds", "too_long"),
)


def check(answer: Answer) -> None:
    """Return if ``answer`` has a JSON object and status 2xx.

    Raises:
        RateLimited: With the wait it asks for.
        ProviderPaused: Money or quota is used up, or the key is refused.
        ProviderUnavailable: The same request may succeed later.
        ParameterRefused: It may without one parameter.
        ProviderRejected: It will not.
    """
    if not 200 <= answer.status < 300:
        raise failure(answer, error_bodies.error_object(answer.body))
    if not isinstance(answer.body, dict):
        excerpt = ErrorBody("not an answer of the API: " + answer.excerpt)
        error = ProviderUnavailable(error_bodies.told(answer, excerpt), status=answer.status)
        error.maybe_billed = True
        raise error


def failure(answer: Answer, error: Any) -> AcmError:
    """Return what to raise for ``answer``, given the error object inside its body.

    Args:
        answer: With any status, also 200.
        error: Whatever stands under ``error``.
    """
    complaint = error_bodies.read(error, answer)
    action = _action(answer, complaint)
    text = error_bodies.told(answer, complaint, _TOO_LONG if action == "too_long" else "")
    if action == "paused":
        return ProviderPaused(text, answer.provider, answer.status)
    if action in ("limited", "unavailable"):
        kind = RateLimited if action == "limited" else ProviderUnavailable
        return kind(text, waits.told_s(answer.headers, error), answer.status)
    if action in _PARAMETERS:
        return ParameterRefused(text, action, answer.status)
    return ProviderRejected(text, answer.status)


def _action(answer: Answer, complaint: ErrorBody) -> Action:
    inside = 200 <= answer.status < 300
    status = complaint.status if inside else answer.status
    action = _by_code(complaint.codes, _BY_CODE)
    if action is None and status in (400, 422, None):
        action = _by_field(complaint) or _by_message(complaint)
    if action is None and inside:
        action = _by_code(complaint.codes, _INSIDE_200)
    if action is None:
        action = _by_status(status)
    return _as_told(action, answer.headers.get("x-should-retry"), status)


def _by_code(codes: tuple[str, ...], table: dict[str, Action]) -> Action | None:
    for code in codes:
        if code.endswith(_SPEND_LIMIT):
            return "paused"
        if code in table:
            return table[code]
    return None


def _by_field(complaint: ErrorBody) -> Action | None:
    if _REFUSALS.isdisjoint(complaint.codes):
        return None
    for field in complaint.fields:
        for pattern, action in _BY_FIELD:
            if re.fullmatch(pattern, field):
                return action
    return None


def _by_message(complaint: ErrorBody) -> Action | None:
    said = " ".join(complaint.message[:2000].lower().split())
    for pattern, action in _BY_MESSAGE:
        if re.search(pattern, said):
            return action
    return None


def _by_status(status: int | None) -> Action:
    if status is None:
        return "unavailable"
    return _BY_STATUS.get(status, "unavailable" if status >= 500 else "rejected")


def _as_told(action: Action, should_retry: str | None, status: int | None) -> Action:
    if should_retry == "true" and action == "rejected":
        return "unavailable"
    if should_retry == "false" and action == "unavailable":
        return "rejected"
    # A limit that waiting does not lift is a quota.
    if should_retry == "false" and action == "limited" and status == 429:
        return "paused"
    return action
