"""What errors may quote of the request that they are about: neither its key nor its texts."""

import json
import os
from collections.abc import Iterable

from acm_workers.errors import AcmError
from acm_workers.providers.http import keys
from schemas.calls import Request
from schemas.config.provider import Provider

_QUOTE = 32
"""Characters from which on the same words are no accident."""

_MARK = "[…]"


def strip(error: AcmError, provider: Provider, request: Request | None = None) -> None:
    """Take the key of ``provider``, and what stands in ``request`` too, out of an error's message.

    Servers that quote what they were sent do so with any status, in JSON and on pages.
    """
    said = str(error)
    key = os.environ.get(provider.key_env or "", "").strip()
    if keys.is_secret(key):
        said = said.replace(key, "[key]")
    if request is not None:
        said = without(said, (message.content for message in request.messages))
    error.args = (said, *error.args[1:])


def without(said: str, texts: Iterable[str]) -> str:
    """Return ``said`` with a mark in the place of all that stands in ``texts`` too.

    As it is, on one line, or as JSON writes it.
    """
    whole = "\n".join(form for text in texts for form in _forms(text))
    kept: list[str] = []
    place = 0
    while place < len(said):
        end = _quoted_to(said, place, whole)
        kept.append(said[place] if end is None else _MARK)
        place = end or place + 1
    return "".join(kept)


def _forms(text: str) -> tuple[str, ...]:
    one_line = " ".join(text.split())
    return text, one_line, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def _quoted_to(said: str, place: int, whole: str) -> int | None:
    """Return where the quotation ends that begins at ``place``, if one does."""
    end = place + _QUOTE
    if end > len(said) or said[place:end] not in whole:
        return None
    while end < len(said) and said[place : end + 1] in whole:
        end += 1
    return end
