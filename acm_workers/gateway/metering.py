"""Reads the usage from the bytes of answers that are passed on unchanged."""

import json
import re
from typing import Any

import pydantic_core

from acm_workers.errors import (
    AcmError,
    AnswerCutOff,
    AnswerRefused,
    ProviderRejected,
    ProviderUnavailable,
)
from acm_workers.gateway.requests import Endpoint
from acm_workers.providers.dialects import openai, openai_chat
from acm_workers.providers.http import failures
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Usage

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""Maximum size of an event in a stream, in bytes."""

_USAGE = b'"usage"'
_CHAT_MARKS = re.compile(
    rb'"usage"\s*:\s*\{|"finish_reason"\s*:\s*"|"error"\s*:\s*[{"]|^data: *\[DONE\]', re.MULTILINE
)
_RESPONSES_MARKS = re.compile(
    rb'"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|error)"'
)
_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
_END = re.compile(rb"\n\n|\r\n\r\n|\r\r")
_END_BYTES = 3
"""Maximum number of bytes of an event's end in an earlier chunk."""


def read(endpoint: Endpoint, response: ProviderResponse, content: bytes) -> Completion:
    """Return the metadata of a complete answer, without its text.

    Raises:
        AcmError: The content is an error in spite of its status, or is not an answer.
    """
    body = response.body
    if not isinstance(body, dict):
        # Embeddings and answers with the odds of each token have more values than are parsed.
        body = _end_of(content)
        if body is None:
            excerpt = failures.ErrorBody("not an answer of the API: " + response.excerpt)
            error = ProviderUnavailable(
                failures.describe(response, excerpt), status=response.status
            )
            error.maybe_billed = True
            raise error
        return _of_usage(endpoint, body, response)
    if endpoint == "embeddings":
        if body.get("error"):
            raise failures.failure(response, body["error"])
        return _of_usage(endpoint, body, response)
    return _completion(endpoint, response)


def _completion(endpoint: Endpoint, response: ProviderResponse) -> Completion:
    try:
        if endpoint == "responses":
            return openai.read(response)
        return openai_chat.read(response)
    except (AnswerRefused, AnswerCutOff) as error:
        # What the model or a filter says is for the child to read.
        finish = "refusal" if isinstance(error, AnswerRefused) else "length"
        return Completion(
            text="", finish_reason=finish, usage=error.usage or Usage(), status=response.status
        )


def _end_of(content: bytes) -> dict[str, Any] | None:
    """Return the usage at the end of a JSON object that is too large to be parsed."""
    text = content.strip()
    if not (text.startswith(b"{") and text.endswith(b"}")):
        return None
    place = text.rfind(_USAGE)
    if place < 0:
        return {}
    rest = text[place + len(_USAGE) :].decode("utf-8", "replace").lstrip().removeprefix(":")
    try:
        usage, _ = json.JSONDecoder().raw_decode(rest.lstrip())
    except ValueError:
        return {}
    return {"usage": usage}


def _of_usage(endpoint: Endpoint, body: dict[str, Any], response: ProviderResponse) -> Completion:
    """Return the completion of an answer of which only the usage is read."""
    found = body.get("usage")
    if endpoint == "responses":
        usage = openai.usage(response._replace(body={"usage": found}))
    else:
        if endpoint == "embeddings" and isinstance(found, dict) and "prompt_tokens" not in found:
            found = {**found, "prompt_tokens": found.get("total_tokens")}
        usage = openai_chat.usage(response._replace(body={"usage": found}))
        if endpoint == "embeddings" and usage.input_tokens is not None:
            usage = usage.model_copy(update={"output_tokens": 0})
    return Completion(
        text="",
        finish_reason="stop",
        usage=usage,
        request_id=response.request_id,
        status=response.status,
    )


class StreamMeter:
    """Reads the usage of a stream of events while its bytes are passed on.

    Args:
        hides_usage: Whether the last chunk of a chat, which contains only the usage, is not passed
            on, because the child did not ask for it and may not expect a chunk without choices.

    Attributes:
        ended: Whether the stream has reported its end.
    """

    def __init__(self, endpoint: Endpoint, *, hides_usage: bool) -> None:
        self.ended = False
        self._endpoint = endpoint
        self._hides_usage = hides_usage
        self._marks = _RESPONSES_MARKS if endpoint == "responses" else _CHAT_MARKS
        self._rest: list[bytes] = []
        self._rest_bytes, self._tail = 0, b""
        self._began = False
        self._found: dict[str, Any] = {}

    def feed(self, data: bytes) -> bytes:
        """Process the next bytes of the stream, and return the bytes to pass on.

        Raises:
            ProviderRejected: An event is longer than ``MAX_EVENT_BYTES``.
        """
        if not self._rest_bytes and data.endswith(b"\n\n") and data.count(b"\n\n") == 1:
            is_usage = self._read(data)
            return b"" if is_usage and self._hides_usage else data
        self._rest.append(data)
        self._rest_bytes += len(data)
        # A long event is searched for its end once, and not again with each of its pieces.
        if _END.search(self._tail + data) is None:
            self._tail = (self._tail + data)[-_END_BYTES:]
            if self._rest_bytes > MAX_EVENT_BYTES:
                error = ProviderRejected("an event of the stream is too long")
                error.maybe_billed = True
                raise error
            return b"" if self._hides_usage else data
        buffer = b"".join(self._rest)
        passed: list[bytes] = []
        start = 0
        for end in _END.finditer(buffer):
            event = buffer[start : end.end()]
            start = end.end()
            if not self._read(event) and self._hides_usage:
                passed.append(event)
        rest = buffer[start:]
        self._rest, self._rest_bytes, self._tail = [rest], len(rest), rest[-_END_BYTES:]
        return b"".join(passed) if self._hides_usage else data

    def close(self) -> bytes:
        """Process the end of the stream, and return the remaining bytes to pass on."""
        rest, self._rest = b"".join(self._rest), []
        if rest:
            self._read(rest)
        return rest if self._hides_usage else b""

    def completion(self, response: ProviderResponse) -> Completion:
        """Return the metadata of the stream.

        Raises:
            AcmError: The stream contains an error, or is not complete.
        """
        found = response._replace(body=self._found)
        error = self._found.get("error")
        if not self.ended and not error:
            cut = ProviderUnavailable(
                f"{response.provider}: the stream broke off", status=response.status
            )
            cut.usage, cut.maybe_billed = self.usage(response), True
            raise cut
        try:
            return _completion(self._endpoint, found)
        except AcmError as failure:
            failure.maybe_billed = failure.usage is None and self._began
            raise

    def usage(self, response: ProviderResponse) -> Usage | None:
        """Return the usage that the stream has reported so far, if any."""
        dialect = openai if self._endpoint == "responses" else openai_chat
        usage = dialect.usage(response._replace(body=self._found))
        return usage if usage.input_tokens is not None else None

    def _read(self, event: bytes) -> bool:
        """Read one event, and return whether it contains only the usage."""
        if self._began and self._marks.search(event) is None:
            return False
        data = _data(event)
        if data is None:
            return False
        if data == b"[DONE]":
            self.ended = True
            return False
        try:
            fields = pydantic_core.from_json(data)
        except ValueError:
            return False
        if not isinstance(fields, dict):
            return False
        self._began = True
        return self._keep_response(fields) if self._endpoint == "responses" else self._keep(fields)

    def _keep(self, fields: dict[str, Any]) -> bool:
        """Keep the metadata of a chunk of a chat."""
        found, choices = self._found, fields.get("choices")
        for name in ("id", "model", "service_tier", "usage", "error"):
            if fields.get(name):
                found[name] = fields[name]
        first = choices[0] if isinstance(choices, list) and choices else None
        finish = first.get("finish_reason") if isinstance(first, dict) else None
        found.setdefault("choices", [{}])
        if finish:
            found["choices"] = [{"finish_reason": finish}]
            self.ended = True
        return choices == [] and bool(fields.get("usage")) and not fields.get("error")

    def _keep_response(self, fields: dict[str, Any]) -> bool:
        """Keep the metadata of an event of a response."""
        kind, response = fields.get("type"), fields.get("response")
        if kind == "error":
            self._found = {"status": "failed", "error": fields.get("error") or fields}
        elif isinstance(response, dict) and kind in _TERMINAL:
            self._found, self.ended = response, True
        return False


def _data(event: bytes) -> bytes | None:
    """Return the data of an event; None if it has none."""
    lines = [line[5:].lstrip(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines) if lines else None
