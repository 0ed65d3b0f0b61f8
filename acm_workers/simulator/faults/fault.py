"""Definitions of faults: number, title, the requests they apply to, and the answer they send."""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import pydantic_core

from acm_workers.simulator import streams
from acm_workers.simulator.messages import (
    Dialect,
    DialectName,
    Headers,
    HttpAnswer,
    ModelReply,
    ModelRequest,
    count_tokens,
)

ALL: tuple[DialectName, ...] = ("openai", "openai_chat", "anthropic", "google")
Lifecycle = Literal["queued", "hidden", "stubborn"]


_BUDGET: Final = 2048


class FaultyRequest(NamedTuple):
    """A request into whose answer a fault is injected.

    Attributes:
        variant: Variant of the fault; the first variant if the request names none.
        whole: Writes the answer without the fault.
        request_id: Id of the request in the headers of the answer.
        host: The Host header of the request.
        path: Path of the request.
        wall: Time of the request, in seconds since 1970.
        stall_s: Time that a client waits for a server that does not answer.
        headers: Headers that report the remaining limits.
    """

    request: ModelRequest
    reply: ModelReply
    dialect: Dialect
    variant: str
    whole: Callable[[], dict[str, Any]]
    request_id: str
    host: str
    path: str
    wall: float
    stall_s: float
    headers: Headers

    def good(self) -> HttpAnswer:
        """Return the answer as it would be without the fault."""
        return self.billed(self.whole())

    def billed(self, body: Any) -> HttpAnswer:
        """Return an answer with status 200 that a model worked on."""
        if self.request.streamed:
            return streams.answer(self.dialect.NAME, self.request, body, self.headers)
        return HttpAnswer(200, pydantic_core.to_json(body), self.headers, billed=True)

    def refused(self, status: int, body: bytes, headers: Headers | None = None) -> HttpAnswer:
        """Return an answer that refuses the request."""
        return HttpAnswer(status, body, [*self.headers, *(headers or [])])


AppliesTo = Callable[[ModelRequest, ModelReply], bool]
Act = Callable[[FaultyRequest], HttpAnswer]


class FaultDefinition(NamedTuple):
    """One fault.

    Attributes:
        number: Number in the catalogue, without leading zeros.
        title: Short description of the fault.
        act: Returns the answer with the fault.
        dialects: Dialects in which the fault can occur; none if no HTTP server can cause it.
        meets: Returns whether a request, or its regular answer, can have this fault.
        needs: Description of the requests in which the fault can occur.
        variants: Names of the variants; the first is the default.
        late: Whether the fault occurs in the finished background response, not at its submission.
        life: Course of a background response with the fault.
    """

    number: str
    title: str
    act: Act
    dialects: tuple[DialectName, ...] = ALL
    meets: AppliesTo = lambda request, reply: True
    needs: str = ""
    variants: tuple[str, ...] = ()
    late: bool = False
    life: Lifecycle | None = None


def changed_reply(change: Callable[[FaultyRequest], ModelReply]) -> Act:
    """Return the function that sends the answer with a changed reply of the model."""

    def act(case: FaultyRequest) -> HttpAnswer:
        reply = change(case)
        return case.billed(case.dialect.write(case.request, reply))

    return act


def changed_body(change: Callable[[FaultyRequest, dict[str, Any]], Any]) -> Act:
    """Return the function that sends a changed serialized answer.

    ``change`` receives a good answer to change. If it returns a value, this value is sent instead.
    """

    def act(case: FaultyRequest) -> HttpAnswer:
        body = case.whole()
        changed = change(case, body)
        return case.billed(body if changed is None else changed)

    return act


def with_text(case: FaultyRequest, text: str) -> ModelReply:
    """Return the reply with another text."""
    return case.reply._replace(text=text, text_tokens=count_tokens(len(text)))


def impossible(_: FaultyRequest) -> HttpAnswer:
    """Raise an error, for faults that no HTTP server can cause.

    Raises:
        ValueError: Always; such a fault is never met.
    """
    raise ValueError("no HTTP server can do this")


def cut_in_half(case: FaultyRequest) -> ModelReply:
    """Return the first half of the answer; the rest of the budget was used for thinking."""
    text = case.reply.text[: len(case.reply.text) // 2]
    written = count_tokens(len(text))
    budget = case.request.max_tokens or _BUDGET
    thought = max(case.reply.reasoning_tokens, budget - written)
    return case.reply._replace(text=text, cut=True, text_tokens=written, reasoning_tokens=thought)


def only_reasoning(case: FaultyRequest) -> ModelReply:
    """Return an answer whose whole budget was used for thinking."""
    budget = case.request.max_tokens or _BUDGET
    return case.reply._replace(text="", cut=True, text_tokens=0, reasoning_tokens=budget)
