"""OpenAI's embeddings (``POST /v1/embeddings``), of texts and of token arrays.

Vectors of texts with common words are similar, and no two vectors are orthogonal, so that a search
by vectors always finds something.
"""

import base64
import math
from array import array
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Final
from zlib import crc32

from acm_workers.simulator.dialects import openai
from acm_workers.simulator.messages import (
    CHARS_PER_TOKEN,
    DialectName,
    ModelReply,
    ModelRequest,
    ParsedRequest,
    RequestRefused,
    count_tokens,
)
from acm_workers.simulator.request_fields import budget, required

NAME: Final[DialectName] = "openai_chat"
BAD_KEY_STATUS: Final = 401
error, key = openai.error, openai.key
limit_headers, retry_headers = openai.limit_headers, openai.retry_headers
id_headers = openai.id_headers

_DIMENSIONS: Final = {"text-embedding-3-large": 3072}
_USUAL_DIMENSIONS: Final = 1536
_MOST_INPUTS: Final = 2048
_COMMON: Final = 1.5
"""Weight of the component that all vectors share, relative to that of their words."""


def read(sent: ParsedRequest) -> ModelRequest:
    """Parse the body of a request; see ``Dialect``."""
    body = sent.body
    model = required(body, "model", str)
    given = required(body, "input", str, list)
    inputs = _inputs(given)
    tokens = sum(count_tokens(len(one)) if isinstance(one, str) else len(one) for one in inputs)
    budget(body, "dimensions")
    return ModelRequest(
        model=model,
        prompt="",
        input_chars=tokens * CHARS_PER_TOKEN,
        schema=None,
        max_tokens=None,
        body=body,
        embedded=inputs,
    )


def write(request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
    """Return the JSON of an answer; see ``Dialect``."""
    name = request.model.split("@")[0]
    size = request.body.get("dimensions") or _DIMENSIONS.get(name, _USUAL_DIMENSIONS)
    encoded = request.body.get("encoding_format") == "base64"
    vectors = (_vector(one, size) for one in request.embedded)
    return {
        "object": "list",
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": base64.b64encode(vector.tobytes()).decode()
                if encoded
                else vector.tolist(),
            }
            for index, vector in enumerate(vectors)
        ],
        "model": request.model,
        "usage": {"prompt_tokens": reply.input_tokens, "total_tokens": reply.input_tokens},
    }


def _inputs(given: str | list[Any]) -> tuple[str | Sequence[int], ...]:
    """Return the texts or token arrays to embed.

    Raises:
        RequestRefused: The inputs are neither, or too many, or one input is empty.
    """
    inputs = [given] if isinstance(given, str) or _is_tokens(given) else list(given)
    if not 0 < len(inputs) <= _MOST_INPUTS:
        raise RequestRefused("'input' has too many or too few items.", param="input")
    for one in inputs:
        if not one or not (isinstance(one, str) or _is_tokens(one)):
            raise RequestRefused("'$.input' is invalid.", param="input")
    return tuple(inputs)


def _is_tokens(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) is int for one in value)


def _vector(text: str | Sequence[int], size: int) -> "array[float]":
    words: Sequence[Hashable] = text.lower().split() if isinstance(text, str) else text
    vector = array("f", bytes(4 * size))
    counts = Counter(words)
    length = math.sqrt(sum(number * number for number in counts.values())) or 1.0
    for word, number in counts.items():
        vector[crc32(str(word).encode("utf-8", "replace")) % size] += number / length
    vector[0] += _COMMON
    norm = math.sqrt(sum(part * part for part in vector if part))
    return array("f", (part / norm for part in vector))
