"""Translates failed responses to errors of ACM, with one table for all dialects.

The provider's error code is decisive, then the status; the words of a message decide only if
neither does. Numbers such as A3 refer to the fault catalogue, as in the simulator.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple, get_args

from acm_workers.errors import (
    AcmError,
    ParameterRefused,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.http import redaction
from acm_workers.providers.http.responses import ProviderResponse, storable
from schemas.calls import Parameter

MAX_MESSAGE_CHARACTERS = 500
_MAX_MATCHED_CHARACTERS = 2000
_MAX_NAME_CHARACTERS = 200
_MAX_NAMES = 20
"""Maximum number of codes and fields of an error that are matched, and their maximum length."""

MAX_RETRY_AFTER_S = 30 * 86_400.0
"""Maximum accepted wait; the caller decides whether a shorter wait is too long."""

DAILY_QUOTA = "quota_per_day"
"""ACM's code for Google's daily quotas, which have hundreds of names."""

_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)s")

Action = Parameter | Literal["limited", "unavailable", "rejected", "too_long", "paused"]
"""Reaction to a failure: wait, retry, fail or pause; or send again without the named parameter."""

_REFUSABLE_PARAMETERS: tuple[Parameter, ...] = get_args(Parameter)
_TOO_LONG = "the texts are too long for this model"

# Codes that decide regardless of the status.
_BY_CODE: dict[str, Action] = {
    "openrouter_in_flight_budget": "limited",  # R2: the only 402 that is transient
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
    DAILY_QUOTA: "paused",  # G2
    # A refused key fails every other request too: they wait for a valid one.
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
# Codes that decide only inside a response with status 200, where the status says nothing.
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

# The parameter that a refused field stands for, where the code says that a field is refused (O4,
# O5, G6). An invalid schema (O6) is a mistake of ACM and is not in this table.
_REFUSAL_CODES = frozenset({"unsupported_value", "unsupported_parameter", "INVALID_ARGUMENT"})
_BY_FIELD: tuple[tuple[str, Action], ...] = (
    (r"(.*\.)?(temperature|top_p|topP)", "temperature"),
    (r"reasoning(\..*|_effort)?|(.*\.)?thinking(_config|Config)?(\..*)?", "reasoning"),
    (r"output_config\.effort", "reasoning"),
    (r"(text\.format|response_format|output_config\.format)(\.type)?", "json_schema"),
)
# Failures that only the words of a 400 show.
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


class ErrorBody(NamedTuple):
    """The contents of an error object.

    Attributes:
        codes: The provider's names for the kind of error, most specific first.
        fields: Parameters of the request that the error is about.
        status: HTTP status inside the object.
    """

    message: str = ""
    codes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    status: int | None = None


def check(response: ProviderResponse) -> None:
    """Raise unless ``response`` has status 2xx and a JSON object.

    Raises:
        RateLimited: The provider requires a wait; the error contains its duration, if known.
        ProviderPaused: The provider's credit or quota is used up, or the key is refused.
        ProviderUnavailable: The same request may succeed later.
        ParameterRefused: The request may succeed without one parameter.
        ProviderRejected: The request will not succeed.
    """
    if not 200 <= response.status < 300:
        raise failure(response, error_object(response.body))
    if not isinstance(response.body, dict):
        excerpt = ErrorBody("not an answer of the API: " + response.excerpt)
        error = ProviderUnavailable(describe(response, excerpt), status=response.status)
        error.maybe_billed = True
        raise error


def failure(response: ProviderResponse, error: Any) -> AcmError:
    """Return the error to raise for ``response``, given the error object inside its body.

    Args:
        response: A response with any status, including 200.
        error: The value of ``error`` in the body, of any type.
    """
    error_body = read_error(error, response)
    action = _action(response, error_body)
    text = describe(response, error_body, _TOO_LONG if action == "too_long" else "")
    if action == "paused":
        return ProviderPaused(text, response.provider, response.status)
    if action in ("limited", "unavailable"):
        kind = RateLimited if action == "limited" else ProviderUnavailable
        return kind(text, retry_after_s(response.headers, error), response.status)
    if action in _REFUSABLE_PARAMETERS:
        return ParameterRefused(text, action, response.status)
    return ProviderRejected(text, response.status)


def _action(response: ProviderResponse, error_body: ErrorBody) -> Action:
    inside = 200 <= response.status < 300
    status = error_body.status if inside else response.status
    action = _by_code(error_body.codes, _BY_CODE)
    if action is None and status in (400, 422, None):
        action = _by_field(error_body) or _by_message(error_body)
    if action is None and inside:
        action = _by_code(error_body.codes, _INSIDE_200)
    if action is None:
        action = _by_status(status)
    return _after_should_retry(action, response.headers.get("x-should-retry"), status)


def _by_code(codes: tuple[str, ...], table: dict[str, Action]) -> Action | None:
    for code in codes:
        if code.endswith(_SPEND_LIMIT):
            return "paused"
        if code in table:
            return table[code]
    return None


def _by_field(error_body: ErrorBody) -> Action | None:
    if _REFUSAL_CODES.isdisjoint(error_body.codes):
        return None
    for field in error_body.fields:
        for pattern, action in _BY_FIELD:
            if re.fullmatch(pattern, field):
                return action
    return None


def _by_message(error_body: ErrorBody) -> Action | None:
    message = " ".join(error_body.message.lower().split())
    for pattern, action in _BY_MESSAGE:
        if re.search(pattern, message):
            return action
    return None


def _by_status(status: int | None) -> Action:
    if status is None:
        return "unavailable"
    return _BY_STATUS.get(status, "unavailable" if status >= 500 else "rejected")


def _after_should_retry(action: Action, should_retry: str | None, status: int | None) -> Action:
    if should_retry == "true" and action == "rejected":
        return "unavailable"
    if should_retry == "false" and action == "unavailable":
        return "rejected"
    # A limit that does not pass with time is a quota.
    if should_retry == "false" and action == "limited" and status == 429:
        return "paused"
    return action


def error_object(body: Any) -> Any:
    """Return the error object of a body; None if it has none."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return body
    for field in ("error", "detail", "message"):
        if body.get(field):
            return body[field]
    return None


def read_error(error: Any, response: ProviderResponse) -> ErrorBody:
    """Return the contents of ``error``, an error object inside ``response`` or any other value."""
    if not isinstance(error, dict):
        return ErrorBody(_cut(error, _MAX_MATCHED_CHARACTERS) or response.excerpt)
    code = error.get("code")
    named = [*_inner_codes(error), code, error.get("type"), error.get("status")]
    return ErrorBody(
        message=_cut(error.get("message"), _MAX_MATCHED_CHARACTERS),
        codes=_names(named),
        fields=_names(_fields(error)),
        status=code if isinstance(code, int) and 400 <= code < 600 else None,
    )


def _cut(value: Any, most: int) -> str:
    """Return the beginning of a value of an error; only this part is matched and shown."""
    if not value:
        return ""
    return (value if isinstance(value, str) else str(value))[:most]


def _names(values: Iterable[Any]) -> tuple[str, ...]:
    found = (_cut(value, _MAX_NAME_CHARACTERS) for value in values if isinstance(value, str))
    return tuple(itertools.islice(found, _MAX_NAMES))


def describe(response: ProviderResponse, error_body: ErrorBody, hint: str = "") -> str:
    """Return one line about a failed response, without keys; ``hint`` explains its meaning."""
    named = [*error_body.codes[:1], *(f"param {name}" for name in error_body.fields[:1])]
    message = " ".join(error_body.message.split())
    text = f"{response.provider}: HTTP {response.status}"
    if named:
        text += f" ({', '.join(named)})"
    for part in (hint, message):
        if part:
            text += f": {part}"
    return redaction.without_key_like(storable(text))[:MAX_MESSAGE_CHARACTERS]


def _inner_codes(error: dict[str, Any]) -> Iterator[Any]:
    metadata = error.get("metadata")
    if isinstance(metadata, dict):  # OpenRouter
        yield metadata.get("limit_source")
    details = error.get("details")
    if isinstance(details, dict):  # Anthropic
        yield details.get("error_code")
    for detail in _details(error):  # Google
        if any("PerDay" in str(one.get("quotaId")) for one in _objects(detail, "violations")):
            yield DAILY_QUOTA
        yield detail.get("reason")


def _fields(error: dict[str, Any]) -> Iterator[Any]:
    yield error.get("param")
    for detail in _details(error):
        for violation in _objects(detail, "fieldViolations"):
            yield violation.get("field")


def _details(error: dict[str, Any]) -> list[dict[str, Any]]:
    return _objects(error, "details")


def _objects(holder: dict[str, Any], field: str) -> list[dict[str, Any]]:
    found = holder.get(field)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def retry_after_s(headers: Mapping[str, str], error: Any = None) -> float | None:
    """Return the seconds that a response asks to wait; None if it states none.

    Args:
        headers: Names in lower case.
        error: The error object of the body, in which Google states the wait.

    Returns:
        At most ``MAX_RETRY_AFTER_S``.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return min(milliseconds / 1000, MAX_RETRY_AFTER_S)
    seconds = _header_wait_s(headers)
    if seconds is None:
        seconds = _body_wait_s(error)
    return None if seconds is None else min(seconds, MAX_RETRY_AFTER_S)


def _header_wait_s(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    until = _date(value)
    # Relative to the sender's clock if it shows it: ours may differ.
    now = _date(headers.get("date")) or datetime.now(UTC)
    return None if until is None else max((until - now).total_seconds(), 0.0)


def _body_wait_s(error: Any) -> float | None:
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        match = _DURATION.fullmatch(delay) if isinstance(delay, str) else None
        if match:
            return float(match[1])
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) and number >= 0 else None


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
