"""A fault of the catalogue: what it is called, whom it meets, and what it does."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import pydantic_core

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Asked, Dialect, DialectName, Reply
from acm_workers.simulator.counting import tokens
from acm_workers.simulator.limits import Headers

ALL: tuple[DialectName, ...] = ("openai", "openai_chat", "anthropic", "google")
Life = Literal["queued", "hidden", "stubborn"]


class Case(NamedTuple):
    """A request that meets a fault.

    Attributes:
        variant: Which variant of the fault; the first one where none was named.
        whole: Writes the answer as it would be without the fault.
        request_id: What the answer's headers call this request.
        host: The Host header of the request.
        path: That of the request.
        wall: Seconds since 1970.
        stall_s: How long a server that does not answer keeps a client waiting.
        headers: Those that tell how much of the limits is left.
    """

    asked: Asked
    reply: Reply
    dialect: Dialect
    variant: str
    whole: Callable[[], dict[str, Any]]
    request_id: str
    host: str
    path: str
    wall: float
    stall_s: float
    headers: Headers

    def good(self) -> Answer:
        """Return the answer as it would be without the fault."""
        return self.billed(self.whole())

    def billed(self, body: Any) -> Answer:
        """Return an answer with status 200 that a model worked on."""
        return Answer(200, pydantic_core.to_json(body), self.headers, billed=True)

    def refused(self, status: int, body: bytes, headers: Headers | None = None) -> Answer:
        """Return an answer that says no."""
        return Answer(status, body, [*self.headers, *(headers or [])])


Meets = Callable[[Asked, Reply], bool]
Act = Callable[[Case], Answer]


class Fault(NamedTuple):
    """One fault.

    Attributes:
        number: As in the catalogue, without leading zeros.
        title: What goes wrong, in a few words.
        act: Returns what is answered.
        dialects: Those in which it can happen; none where no HTTP server can do it.
        meets: Tells whether a request, or what would be its answer, can have this fault.
        needs: What a request must have so that it can happen, in words.
        variants: Names of its kinds; the first is the usual one.
        late: It shows in the answer of a background response, not when that is submitted.
        life: What becomes of a background response that meets it.
    """

    number: str
    title: str
    act: Act
    dialects: tuple[DialectName, ...] = ALL
    meets: Meets = lambda asked, reply: True
    needs: str = ""
    variants: tuple[str, ...] = ()
    late: bool = False
    life: Life | None = None


def retold(change: Callable[[Case], Reply]) -> Act:
    """Return the act of a fault in what the model says."""

    def act(case: Case) -> Answer:
        reply = change(case)
        return case.billed(case.dialect.write(case.asked, reply))

    return act


def rewritten(change: Callable[[Case, dict[str, Any]], Any]) -> Act:
    """Return the act of a fault in how an answer is written down.

    ``change`` gets a good answer to change; what it returns goes out instead, if it does return
    anything.
    """

    def act(case: Case) -> Answer:
        body = case.whole()
        changed = change(case, body)
        return case.billed(body if changed is None else changed)

    return act


def said(case: Case, text: str) -> Reply:
    """Return the reply with another text."""
    return case.reply._replace(text=text, text_tokens=tokens(len(text)))


def impossible(_: Case) -> Answer:
    """Stand where no HTTP server can act.

    Raises:
        ValueError: Always; such a fault is never met.
    """
    raise ValueError("no HTTP server can do this")
