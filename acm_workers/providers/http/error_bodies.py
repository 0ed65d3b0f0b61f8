"""What error objects say, in the shapes of all providers."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acm_workers.providers.http.answers import Answer, storable

MAX_MESSAGE = 500

DAILY_QUOTA = "quota_per_day"
"""Our own code for Google's quotas that end at midnight: theirs have hundreds of names."""

_KEY_LIKE = re.compile(
    r"(?i)\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|key)-[\w*.-]{4,}|\bAIza[\w-]{10,}"
)


class ErrorBody(NamedTuple):
    """What an error object says.

    Attributes:
        codes: Names that providers give to kinds of errors, the most telling first.
        fields: Parameters of the request that it is about.
        status: HTTP status that it speaks of.
    """

    message: str = ""
    codes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    status: int | None = None


def error_object(body: Any) -> Any:
    """Return what stands in a body in the place of an error, whatever its shape."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return body
    for field in ("error", "detail", "message"):
        if body.get(field):
            return body[field]
    return None


def read(error: Any, answer: Answer) -> ErrorBody:
    """Return what ``error`` says, an error object inside ``answer`` or anything else."""
    if not isinstance(error, dict):
        return ErrorBody(str(error) if error else answer.excerpt)
    code = error.get("code")
    named = [*_inner_codes(error), code, error.get("type"), error.get("status")]
    return ErrorBody(
        message=str(error.get("message") or ""),
        codes=tuple(name for name in named if isinstance(name, str)),
        fields=tuple(name for name in _fields(error) if isinstance(name, str)),
        status=code if isinstance(code, int) and 400 <= code < 600 else None,
    )


def told(answer: Answer, complaint: ErrorBody, hint: str = "") -> str:
    """Return a complaint in one short line without keys; ``hint`` says what it means for us."""
    named = [*complaint.codes[:1], *(f"param {name}" for name in complaint.fields[:1])]
    said = " ".join(complaint.message.split())
    text = f"{answer.provider}: HTTP {answer.status}"
    if named:
        text += f" ({', '.join(named)})"
    for part in (hint, said):
        if part:
            text += f": {part}"
    return redacted(storable(text))[:MAX_MESSAGE]


def redacted(text: str) -> str:
    """Return ``text`` without what looks like a key."""
    return _KEY_LIKE.sub("[key]", text)


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
