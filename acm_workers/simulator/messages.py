"""Requests and answers of the simulator, as HTTP messages and independent of the dialect."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, Protocol

from acm_workers.simulator.web_search import WebSearch
from schemas.config import provider

DialectName = provider.Dialect
Thinking = Literal["default", "off", "on"]
ReplyKind = Literal["document", "scores", "verdict", "object", "assessment"]


JSON = b"application/json"
DeliveryMode = Literal["whole", "reset", "silent", "drip", "broken", "short", "raw", "stream"]
CHARS_PER_TOKEN: Final = 4
Headers = list[tuple[bytes, bytes]]
LimitKind = Literal["requests", "tokens"]


class RequestRefused(Exception):
    """The request is answered with an error.

    Attributes:
        type: The ``type`` of OpenAI's error body; other dialects derive it from the status.
        code: The ``code`` of OpenAI's error body.
        param: The parameter that the error is about.
        wait_s: Seconds until the request would be accepted, if known.
    """

    def __init__(
        self,
        message: str,
        status: int = 400,
        type: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message, status, type, code, param)
        self.message, self.status, self.type = message, status, type
        self.code, self.param = code, param
        self.wait_s: float | None = None


class LimitState(NamedTuple):
    """The remaining amount of a limit.

    Attributes:
        reset_s: Seconds until the whole limit is available again.
    """

    kind: LimitKind
    most: int
    remaining: int
    reset_s: float


class ParsedRequest(NamedTuple):
    """A request with a parsed body.

    Attributes:
        path: Path of the request, without the query.
        headers: Names in lower case.
        body: The JSON object.
    """

    path: str
    headers: Sequence[tuple[bytes, bytes]]
    body: Mapping[str, Any]


class ModelRequest(NamedTuple):
    """A request to a model, independent of the dialect.

    Attributes:
        prompt: The texts of system, developer and user messages.
        input_chars: Length of all texts, including those of the assistant.
        schema: JSON Schema that the answer must follow.
        max_tokens: Token budget of the answer, including reasoning.
        body: The request as sent, for the fields that an answer echoes.
        assistant_text: The last message of the assistant.
        searches: Maximum number of searches of the answer; 0 if search is not offered.
        thinking: Whether the request asks the model to think, or lets the model decide.
        shows_thoughts: Whether a summary of the thinking is requested.
        background: Whether the answer is fetched later, by its id.
        stored: Whether the answer is kept, to be fetched by its id.
        continuation: Text with which a paused answer continues.
        streamed: Whether the answer is a stream of events.
        stream_usage: Whether the chunks of a streamed chat end with the usage.
        embedded: Texts or token arrays to embed, if the request is for vectors instead of a text.
    """

    model: str
    prompt: str
    input_chars: int
    schema: Mapping[str, Any] | None
    max_tokens: int | None
    body: Mapping[str, Any]
    assistant_text: str = ""
    searches: int = 0
    thinking: Thinking = "default"
    shows_thoughts: bool = False
    background: bool = False
    stored: bool = False
    continuation: str | None = None
    streamed: bool = False
    stream_usage: bool = False
    embedded: tuple[str | Sequence[int], ...] = ()


class ModelReply(NamedTuple):
    """A model's reply, independent of the dialect.

    Attributes:
        id: 24 hex digits, unique to this reply.
        kind: ``scores`` and ``verdict`` are JSON, ``assessment`` is either of them in prose.
        value: The JSON object that the text contains, as JSON or as prose.
        cut: Whether the text was cut off by the token budget.
        input_tokens: Input tokens of the request, without the results of searches.
        reasoning_tokens: Tokens spent on thinking, without the tokens of the text.
        thoughts: A summary of the thinking, if requested.
    """

    id: str
    created: int
    text: str
    kind: ReplyKind
    value: Mapping[str, Any] | None
    cut: bool
    input_tokens: int
    text_tokens: int
    reasoning_tokens: int
    search: WebSearch | None = None
    thoughts: str = ""

    @property
    def is_json(self) -> bool:
        """Return whether the text is JSON, which no provider puts citations into."""
        return self.kind in ("scores", "verdict", "object")

    @property
    def output_tokens(self) -> int:
        """Return the tokens of the text and of the thinking."""
        return self.text_tokens + self.reasoning_tokens

    @property
    def all_input_tokens(self) -> int:
        """Return the tokens of the request and of the results of searches."""
        return self.input_tokens + (self.search.tokens if self.search else 0)


class Dialect(Protocol):
    """One wire format: pure functions between JSON and the two records."""

    @property
    def NAME(self) -> DialectName:  # a constant of each module that is a dialect
        """The name of the dialect in configurations."""
        ...

    @property
    def BAD_KEY_STATUS(self) -> int:
        """The HTTP status of the answer to a wrong API key."""
        ...

    def read(self, sent: ParsedRequest) -> ModelRequest:
        """Parse the body of a request.

        Raises:
            RequestRefused: The body is not a valid request.
        """
        ...

    def write(self, request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
        """Return the JSON of the answer to ``request``."""
        ...

    def error(self, refused: RequestRefused, request_id: str) -> bytes:
        """Return the body of an error."""
        ...

    def key(self, sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
        """Return the API key, if one was sent."""
        ...

    def limit_headers(self, states: Sequence[LimitState], wall: float) -> Headers:
        """Return headers with the remaining amount of each limit."""
        ...

    def retry_headers(self, wait_s: float) -> Headers:
        """Return headers with the time to wait."""
        ...

    def id_headers(self, request_id: str, took_s: float) -> Headers:
        """Return the headers that every answer has."""
        ...


class Delivery(NamedTuple):
    """The timing and form of an answer's transmission.

    Attributes:
        mode: ``whole``: as HTTP requires; ``reset``: the connection breaks before a byte is sent;
            ``silent``: the connection stays without a byte and is then closed; ``drip``: byte by
            byte without an end; ``broken``: the connection breaks in mid-body; ``short``: it is
            closed in mid-body; ``raw``: whole, with no header but those given, then closed;
            ``stream``: event by event.
        seconds: Delay before a ``whole`` answer, duration of silence, or time between two bytes or
            events.
    """

    mode: DeliveryMode = "whole"
    seconds: float = 0.0


WHOLE = Delivery()


class HttpAnswer(NamedTuple):
    """One HTTP answer.

    Attributes:
        status: HTTP status, even if no byte of the answer is ever sent.
        body: The whole body, even if only a part of it is sent.
        repeats: Number of times that the body is sent in one answer.
        billed: Whether a model worked on the answer, even if the client does not use it.
    """

    status: int
    body: bytes
    headers: Headers
    content_type: bytes = JSON
    manner: Delivery = WHOLE
    repeats: int = 1
    billed: bool = False


def html_page(status: int, title: str, headers: Headers | None = None) -> HttpAnswer:
    """Return an HTML page as gateways and proxies send it."""
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return HttpAnswer(status, html.encode(), headers or [], b"text/html; charset=utf-8")


class IncomingRequest(NamedTuple):
    """A request as received.

    Attributes:
        headers: Names in lower case.
        now: Monotonic time of its arrival, in seconds.
        wall: Time of its arrival, in seconds since 1970.
        request_id: The id that the answer gives it.
        query: Query string of the address.
        batched: Whether the request is part of a batch: half price, and no rate limits.
    """

    dialect: Dialect
    path: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    now: float
    wall: float
    request_id: str = "req_0"
    query: str = ""
    batched: bool = False

    def header(self, name: bytes) -> bytes | None:
        """Return the value of a header, if it was sent."""
        return header(self.headers, name)

    def digest(self) -> bytes:
        """Return a digest of path, body and ``X-Client-Request-Id``, equal if they are repeated."""
        named = self.header(b"x-client-request-id") or b""
        head = b"%s\n%s\n" % (self.path.encode(), named)
        return blake2b(head + self.body, digest_size=16).digest()


class PlannedAnswer(NamedTuple):
    """The answer to a request, and when it is sent.

    Attributes:
        digest: See ``IncomingRequest.digest``.
        delay_s: Seconds after the request's arrival.
        model: Absent if the request named none.
        fault: The number of the injected fault.
        usd: Cost of the tokens and searches at the simulator's prices, if the answer is billed.
    """

    answer: HttpAnswer
    digest: bytes = b""
    delay_s: float = 0.0
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    fault: str | None = None
    usd: float = 0.0

    @property
    def status(self) -> int | None:
        """Return the HTTP status; absent if no byte of an answer is sent."""
        unseen = self.answer.manner.mode in ("reset", "silent")
        return None if unseen else self.answer.status


def count_tokens(chars: int) -> int:
    """Estimate the number of tokens of ``chars`` characters."""
    return -(-chars // CHARS_PER_TOKEN)


def header(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """Return the value of the header ``name`` (lower case), if it was sent."""
    for key, value in headers:
        if key == name:
            return value
    return None
