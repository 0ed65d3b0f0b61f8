"""Requests of children: as received, as sent, and their highest cost."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

import pydantic_core

from acm_workers.errors import PriceUnknown, RequestError
from acm_workers.providers.catalog import capabilities, consumption, prices
from schemas.config.provider import Provider

Endpoint = Literal["chat/completions", "responses", "embeddings"]
ENDPOINTS: dict[str, Endpoint] = {name: name for name in get_args(Endpoint)}
"""Supported endpoints below ``/v1``."""

MOST_ANSWER_TOKENS = 131_072
"""Upper bound of an answer if neither request nor model limits it; no listed model exceeds it."""

_SEARCH_TOKENS = 15_000
_OTHER_TOKENS = 1_000
"""Upper bounds of the input tokens of one search, and of a provider's own texts."""

_LIMITS: dict[Endpoint, tuple[str, ...]] = {
    "chat/completions": ("max_completion_tokens", "max_tokens"),
    "responses": ("max_output_tokens",),
    "embeddings": (),
}
# Their tokens have no bound in the bytes of the request.
_ELSEWHERE = frozenset(
    {
        "image_url", "input_image", "input_file", "file", "file_id", "input_audio", "audio",
        "previous_response_id", "conversation", "prompt_cache", "item_reference",
    }
)  # fmt: skip
_SEARCH_TOOLS = ("web_search", "openrouter:web_search")
_BLANK = " \t\r\n"


class GatewayRequest(NamedTuple):
    """One request of a child.

    Attributes:
        body: The body as received.
        sent: The body as sent, which may additionally ask for the usage of a stream.
        fields: The JSON object in the body.
        streamed: Whether the answer is a stream of events.
        hides_usage: Whether the child did not ask for the usage that ``sent`` asks for.
    """

    endpoint: Endpoint
    model: str
    body: bytes
    sent: bytes
    fields: Mapping[str, Any]
    streamed: bool
    hides_usage: bool

    @property
    def searching(self) -> bool:
        """Return whether the model may search the web."""
        if "web_search_options" in self.fields or ":online" in self.model:
            return True
        return any(
            str(tool.get("type")).startswith(_SEARCH_TOOLS)
            for tool in _objects(self.fields, "tools")
        ) or any(plugin.get("id") == "web" for plugin in _objects(self.fields, "plugins"))

    @property
    def unchanged(self) -> "GatewayRequest":
        """Return the request as received, for servers that refuse to be asked for the usage."""
        return self._replace(sent=self.body, hides_usage=False)

    def digest(self, name: str, provider: Provider) -> str:
        """Return a digest that is equal for two requests only if they are the same request."""
        identity = ["gateway", name, provider.dialect, provider.base_url, self.endpoint]
        head = pydantic_core.to_json(identity)
        return hashlib.sha256(head + b"\n" + self.body).hexdigest()

    def output_limit(self) -> int | None:
        """Return the maximum number of tokens of all answers to the request together."""
        if self.endpoint == "embeddings":
            return 0
        for name in _LIMITS[self.endpoint]:
            limit = self.fields.get(name)
            if isinstance(limit, int) and limit > 0:
                answers = self.fields.get("n")
                return limit * (answers if isinstance(answers, int) and answers > 1 else 1)
        return None

    def most_usd(self, provider: Provider, at: datetime) -> float | None:
        """Return the highest cost of the request; None if unknown.

        No tokenizer yields more tokens than bytes.

        Raises:
            PriceUnknown: The request names material that it does not contain.
        """
        searches = consumption.searches(provider, self.model, at) if self.searching else 0
        most = prices.CallBound(
            input_tokens=len(self.body) + _OTHER_TOKENS + searches * _SEARCH_TOKENS,
            output_tokens=self._most_output(provider),
            searches=searches,
        )
        most_usd = prices.at_most(provider, self.model, most, at)
        if most_usd and _refers_elsewhere(self.fields):
            raise PriceUnknown(
                f"a request to {self.model} names images, files or conversations, whose tokens are"
                " not known before it is sent, and the run has a budget"
            )
        return most_usd

    def _most_output(self, provider: Provider) -> int:
        limit = self.output_limit()
        if limit is not None:
            return limit
        answers = self.fields.get("n")
        most = capabilities.of(provider, self.model).max_output or MOST_ANSWER_TOKENS
        return most * (answers if isinstance(answers, int) and answers > 1 else 1)


def parse(endpoint: Endpoint, body: bytes) -> GatewayRequest:
    """Return the request in ``body``.

    Raises:
        RequestError: The body is not a JSON object with a model, or asks for a background answer.
    """
    try:
        fields = pydantic_core.from_json(body)
    except ValueError as error:
        raise RequestError("the body of the request is not JSON") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("model"), str):
        raise RequestError("the body of the request has no model")
    if endpoint == "responses" and fields.get("background"):
        raise RequestError("answers in the background are not served; leave out background")
    streamed = fields.get("stream") is True and endpoint != "embeddings"
    sent, hides = body, False
    if streamed and endpoint == "chat/completions":
        options = fields.get("stream_options")
        given = options if isinstance(options, dict) else {}
        if given.get("include_usage") is not True:
            sent, hides = _with_usage(body, fields, given), True
    return GatewayRequest(endpoint, fields["model"], body, sent, fields, streamed, hides)


def _with_usage(body: bytes, fields: Mapping[str, Any], options: Mapping[str, Any]) -> bytes:
    """Return ``body`` with an additional option that asks for the usage of its stream."""
    wanted = json.dumps({**options, "include_usage": True}, separators=(",", ":"))
    if "stream_options" not in fields:
        start = body.index(b"{") + 1
        return body[:start] + f'"stream_options":{wanted},'.encode() + body[start:]
    text = body.decode("utf-8-sig")
    start, end = _value_span(text, "stream_options")
    return (text[:start] + wanted + text[end:]).encode()


def _value_span(text: str, name: str) -> tuple[int, int]:
    """Return the span of the value of an existing top-level field in a JSON object."""
    decoder, found = json.JSONDecoder(), (0, 0)
    place = _skip(text, text.index("{") + 1, _BLANK)
    while text[place] != "}":
        key, place = decoder.raw_decode(text, place)
        place = _skip(text, place, _BLANK + ":")
        _, end = decoder.raw_decode(text, place)
        if key == name:
            found = place, end  # the last one counts
        place = _skip(text, end, _BLANK + ",")
    return found


def _skip(text: str, place: int, characters: str) -> int:
    while text[place] in characters:
        place += 1
    return place


def _objects(fields: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = fields.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _refers_elsewhere(fields: Mapping[str, Any]) -> bool:
    """Return whether a request refers to external images, files or conversations."""
    values: list[Any] = [
        {name: value for name, value in fields.items() if name in _ELSEWHERE and value},
        fields.get("messages"),
        fields.get("input"),
    ]
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += [one for one in value if isinstance(one, dict | list)]
        elif isinstance(value, dict):
            if not _ELSEWHERE.isdisjoint(value) or value.get("type") in _ELSEWHERE:
                return True
            values += [one for one in value.values() if isinstance(one, dict | list)]
    return False
