"""Reads fields of request bodies and headers, for all dialects."""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from acm_workers.simulator.messages import RequestRefused, header

DEFAULT_SEARCHES = 3


_CONTINUATION_PREFIX: Final = "simulated-rest."


class ConversationTurns(NamedTuple):
    """The turns of a request.

    Attributes:
        prompt: The texts of all turns but the assistant's.
        chars: Length of all texts.
        assistant_text: The last message of the assistant.
    """

    prompt: str
    chars: int
    assistant_text: str


def required(body: Mapping[str, Any], param: str, *kinds: type) -> Any:
    """Return ``body[param]``, which must be of one of ``kinds``.

    Raises:
        RequestRefused: The parameter is missing or has another type.
    """
    value = body.get(param)
    if value is None:
        code = "missing_required_parameter"
        raise RequestRefused(f"Missing required parameter: '{param}'.", code=code, param=param)
    if not isinstance(value, kinds):
        raise RequestRefused(f"Invalid type for '{param}'.", code="invalid_type", param=param)
    return value


def refuse_unsupported(body: Mapping[str, Any], *params: str) -> None:
    """Refuse a request that sets one of ``params``.

    Raises:
        RequestRefused: The request sets one of them.
    """
    for param in params:
        if body.get(param):
            message = f"Unsupported parameter: '{param}' is not supported with this model."
            raise RequestRefused(message, code="unsupported_parameter", param=param)


def budget(body: Mapping[str, Any], *params: str) -> int | None:
    """Return the first of the token budgets ``params`` that is given.

    Raises:
        RequestRefused: The budget is not a positive integer.
    """
    for param in params:
        value = body.get(param)
        if value is None:
            continue
        if not isinstance(value, int) or value < 1:
            raise RequestRefused(f"Invalid value for '{param}'.", code="invalid_value", param=param)
        return value
    return None


def named_schema(part: object, where: str) -> Mapping[str, Any] | None:
    """Return the schema of a ``json_schema`` format, which must have a name too.

    Raises:
        RequestRefused: Name or schema is missing.
    """
    holder = mapping(part)
    for key, kind in (("name", str), ("schema", Mapping)):
        if not isinstance(holder.get(key), kind):
            param = f"{where}.{key}"
            message = f"Missing required parameter: '{param}'."
            raise RequestRefused(message, code="missing_required_parameter", param=param)
    schema: Mapping[str, Any] = holder["schema"]
    return schema


def mapping(value: object) -> Mapping[str, Any]:
    """Return ``value`` if it is a mapping, otherwise an empty mapping."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings in the list ``value``."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def text_of(content: object) -> str:
    """Return a message's text, whether it came as a string or as parts."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in mappings(content))


def turns_of(
    messages: Iterable[Mapping[str, Any]], system: Sequence[str] = ()
) -> ConversationTurns:
    """Return the turns of ``messages`` after the texts of ``system``."""
    texts = [(message.get("role"), text_of(message.get("content"))) for message in messages]
    request = [*system, *(text for role, text in texts if role != "assistant")]
    said = [text for role, text in texts if role == "assistant"]
    chars = sum(map(len, request)) + sum(map(len, said))
    return ConversationTurns("\n\n".join(request), chars, said[-1] if said else "")


def search_limit(value: object) -> int:
    """Return the number of searches that a request with search allows, given its own limit."""
    if isinstance(value, bool) or not isinstance(value, int):
        return DEFAULT_SEARCHES
    return max(0, min(value, DEFAULT_SEARCHES))


def bearer(headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """Return the key of an ``Authorization: Bearer`` header, if it was sent."""
    return (header(headers, b"authorization") or b"").removeprefix(b"Bearer ") or None


def pack_continuation(rest: str) -> str:
    """Return ``rest`` as a field that means nothing to a client."""
    return _CONTINUATION_PREFIX + base64.urlsafe_b64encode(rest.encode()).decode()


def unpack_continuation(field: object) -> str | None:
    """Return the rest of a text in ``field``, if any."""
    if not isinstance(field, str) or not field.startswith(_CONTINUATION_PREFIX):
        return None
    try:
        return base64.urlsafe_b64decode(field.removeprefix(_CONTINUATION_PREFIX)).decode()
    except (ValueError, binascii.Error):
        return None
