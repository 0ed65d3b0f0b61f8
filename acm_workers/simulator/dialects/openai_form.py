"""What Responses and Chat Completions share: errors and headers."""

import json
import math
from collections.abc import Sequence
from typing import Any

from acm_workers.simulator.limits import Headers, LimitState, duration
from acm_workers.simulator.reading import bearer, header
from acm_workers.simulator.refused import Refused


def error(refused: Refused, request_id: str) -> bytes:
    """Write an error; see ``Dialect``."""
    return error_body(refused.message, refused.type, refused.code, refused.param)


def error_body(
    message: str, type: str | None, code: str | None = None, param: str | None = None
) -> bytes:
    """Return an error body as every OpenAI endpoint writes it."""
    found: dict[str, Any] = {"message": message, "type": type, "param": param, "code": code}
    return json.dumps({"error": found}, indent=2).encode()


def key(sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """Return the API key; Azure has a header of its own."""
    return bearer(sent_headers) or header(sent_headers, b"api-key")


def limit_headers(states: Sequence[LimitState], wall: float) -> Headers:
    """Write ``x-ratelimit-*``; see ``Dialect``."""
    headers: Headers = []
    for state in states:
        kind = state.kind.encode()
        headers.append((b"x-ratelimit-limit-" + kind, b"%d" % state.most))
        headers.append((b"x-ratelimit-remaining-" + kind, b"%d" % state.remaining))
        headers.append((b"x-ratelimit-reset-" + kind, duration(state.reset_s).encode()))
    return headers


def retry_headers(wait_s: float) -> Headers:
    """Write the wait in milliseconds and in whole seconds."""
    return [
        (b"retry-after-ms", b"%d" % math.ceil(wait_s * 1000)),
        (b"retry-after", b"%d" % math.ceil(wait_s)),
    ]


def id_headers(request_id: str, took_s: float) -> Headers:
    """Write the headers that every answer has."""
    return [
        (b"x-request-id", request_id.encode()),
        (b"openai-processing-ms", b"%d" % (took_s * 1000)),
    ]
