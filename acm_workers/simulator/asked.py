"""A request and its reply, in no dialect."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from acm_workers.simulator.limits import Headers, LimitState
from acm_workers.simulator.refused import Refused
from acm_workers.simulator.searching import Search
from schemas.config import provider

DialectName = provider.Dialect
Thinking = Literal["default", "off", "on"]
Kind = Literal["document", "scores", "verdict", "object", "assessment"]


class Sent(NamedTuple):
    """A request as it came over the wire.

    Attributes:
        path: Without the query.
        headers: Names in lower case.
        body: The JSON object.
    """

    path: str
    headers: Sequence[tuple[bytes, bytes]]
    body: Mapping[str, Any]


class Asked(NamedTuple):
    """What a request asks, whichever dialect it came in.

    Attributes:
        prompt: The texts of system, developer and user messages.
        input_chars: Length of all texts, those of the assistant included.
        schema: JSON Schema that the answer must follow.
        max_tokens: Answer budget, reasoning included.
        body: The request as it was sent, for what an answer echoes.
        said: What the assistant said last in the talk so far.
        searches: The most searches that may be made; 0 where search is not offered.
        thinking: Whether the request wants the model to think, or leaves it to the model.
        shows_thoughts: Whether a summary of the thinking is wanted.
        background: The answer is wanted later, by its id.
        stored: The answer is to be kept for whoever asks for it by its id.
        rest: Text with which a paused answer goes on.
    """

    model: str
    prompt: str
    input_chars: int
    schema: Mapping[str, Any] | None
    max_tokens: int | None
    body: Mapping[str, Any]
    said: str = ""
    searches: int = 0
    thinking: Thinking = "default"
    shows_thoughts: bool = False
    background: bool = False
    stored: bool = False
    rest: str | None = None


class Reply(NamedTuple):
    """What the model says, whichever dialect it goes out in.

    Attributes:
        id: 24 hex digits, unique to this reply.
        kind: ``scores`` and ``verdict`` are JSON, ``assessment`` is either of them in prose.
        value: The JSON object that the text spells, or says in prose.
        cut: The text ends where the budget did.
        input_tokens: Those of the request; what searches brought comes on top.
        reasoning_tokens: Spent on thinking; the text's come on top.
        thoughts: A summary of the thinking, if one is wanted.
    """

    id: str
    created: int
    text: str
    kind: Kind
    value: Mapping[str, Any] | None
    cut: bool
    input_tokens: int
    text_tokens: int
    reasoning_tokens: int
    search: Search | None = None
    thoughts: str = ""

    @property
    def is_json(self) -> bool:
        """Tell whether the text is JSON, which no provider puts citations into."""
        return self.kind in ("scores", "verdict", "object")

    @property
    def output_tokens(self) -> int:
        """Return the tokens of the text and of the thinking."""
        return self.text_tokens + self.reasoning_tokens

    @property
    def all_input_tokens(self) -> int:
        """Return the tokens of the request and of what searches brought."""
        return self.input_tokens + (self.search.tokens if self.search else 0)


class Dialect(Protocol):
    """One wire format: pure functions between JSON and the two records."""

    @property
    def NAME(self) -> DialectName:  # a constant of each module that is a dialect
        """The name by which configs call it."""
        ...

    @property
    def BAD_KEY_STATUS(self) -> int:
        """The HTTP status that goes with a key that is none."""
        ...

    def read(self, sent: Sent) -> Asked:
        """Read a request.

        Raises:
            Refused: It is not one.
        """
        ...

    def write(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """Write the answer to it."""
        ...

    def error(self, refused: Refused, request_id: str) -> bytes:
        """Write an error."""
        ...

    def key(self, sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
        """Return the API key, if one was sent."""
        ...

    def limit_headers(self, states: Sequence[LimitState], wall: float) -> Headers:
        """Write how much of each limit is left."""
        ...

    def retry_headers(self, wait_s: float) -> Headers:
        """Write how long to wait."""
        ...

    def id_headers(self, request_id: str, took_s: float) -> Headers:
        """Write the headers that every answer has."""
        ...
