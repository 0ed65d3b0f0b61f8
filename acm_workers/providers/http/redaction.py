"""Removes keys and texts of the request from error messages."""

import json
import os
import re
from collections.abc import Iterable

from acm_workers.errors import AcmError
from acm_workers.providers.http import endpoints
from schemas.calls import Request
from schemas.config.provider import Provider

_MIN_QUOTATION = 32
"""Minimum length of a common part that counts as a quotation, in characters."""

_MAX_MESSAGE = 2000
"""Maximum length of a message, in characters; the search for quotations is slow."""

_MARK = "[…]"
_KEY_LIKE = re.compile(
    r"(?i)\bbearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|key)-[\w*.-]{4,}|\bAIza[\w-]{10,}"
)


def redact_error(error: AcmError, provider: Provider, request: Request | None = None) -> None:
    """Remove the key of ``provider``, and the texts of ``request``, from the message of ``error``.

    Servers quote requests in responses of any status, in JSON and in HTML.
    """
    message = str(error)[:_MAX_MESSAGE]
    key = os.environ.get(provider.key_env or "", "").strip()
    if endpoints.is_secret(key):
        message = _without_key(message, key)
    if request is not None:
        texts = (each.content for each in request.messages)
        message = without_quotations(message, texts)
    error.args = (message, *error.args[1:])


def _without_key(message: str, key: str) -> str:
    """Return ``message`` without ``key``, even if the message is cut within the key."""
    message = message.replace(key, "[key]")
    for length in range(len(key) - 1, endpoints.MIN_SECRET_LENGTH - 1, -1):
        if message.endswith(key[:length]):
            return message[:-length] + "[key]"
    return message


def without_key_like(text: str) -> str:
    """Return ``text`` with everything that looks like a key replaced."""
    return _KEY_LIKE.sub("[key]", text)


def without_quotations(message: str, texts: Iterable[str]) -> str:
    """Return ``message`` with a mark in place of every quotation from ``texts``.

    Quotations are found as written, on one line, and escaped as in JSON.
    """
    quotable = "\n".join(form for text in texts for form in _quoted_forms(text))
    pieces: list[str] = []
    position = 0
    while position < len(message):
        end = _quotation_end(message, position, quotable)
        pieces.append(message[position] if end is None else _MARK)
        position = end or position + 1
    return "".join(pieces)


def _quoted_forms(text: str) -> tuple[str, ...]:
    one_line = " ".join(text.split())
    return text, one_line, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def _quotation_end(message: str, start: int, quotable: str) -> int | None:
    """Return the end of the quotation that begins at ``start``; None if there is none."""
    end = start + _MIN_QUOTATION
    if end > len(message) or message[start:end] not in quotable:
        return None
    while end < len(message) and message[start : end + 1] in quotable:
        end += 1
    return end
