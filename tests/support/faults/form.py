"""The form of the table of faults and reactions.

The rows stand beside this file, one file for each family; ``table`` holds them together.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from schemas.calls import CallStage, CallState
from schemas.config.provider import Dialect, TokenPrice
from schemas.units import UnitKind

ALL: tuple[Dialect, ...] = ("openai_chat", "openai", "anthropic", "google")
BOTH: tuple[Dialect, ...] = ("openai", "openai_chat")
"""Both dialects of OpenAI."""

Reaction = Literal[
    "accept", "wait", "retry", "switch", "repair", "ask again", "more tokens", "continue",
    "poll again", "fail", "pause",
]  # fmt: skip

IN_WORDS: dict[Reaction, str] = {
    "accept": "the answer is used as received",
    "wait": "all calls to the provider wait, then the same request is sent",
    "retry": "the same request is sent after a pause; at most `retries.attempts` requests",
    "switch": "the request is sent in another form, which is remembered for the model",
    "repair": "the problem is described in another turn of the same conversation",
    "ask again": "the question is asked in a new conversation, with a hint about the problem",
    "more tokens": "the same question is asked once with twice the token limit",
    "continue": "the next request contains the answer so far",
    "poll again": "ACM polls for the background answer again",
    "fail": "the unit fails with the reason; the run continues",
    "pause": "no further requests are sent to this provider; the unit is kept for `acm resume`",
}

Cost = Literal["booked", "nothing", "unknown"]
"""What a call costs: ``booked`` what its tokens and searches cost; ``nothing``, for it was refused;
``unknown``, for nobody says: it is stored as absent, never as 0."""


PRICE = TokenPrice(input=1, output=4, search=10)
"""Of every model, unless its row says otherwise."""


class Ask(NamedTuple):
    """What a unit asks.

    Attributes:
        kind: A text, scores of a text, or a verdict on two.
        settings: Beside provider and model in the entry of the config.
        provider: Likewise of its provider.
        at: Who listens at the provider's address: the simulator, nobody, or somebody who takes no
            connection.
        copies: There is a second model that puts prose into JSON.
        price: What its answers cost by the million, or each of them in USD.
    """

    kind: UnitKind = "artifact"
    model: str = "sim-a"
    settings: Mapping[str, Any] = {}
    provider: Mapping[str, Any] = {}
    at: Literal["simulator", "nobody", "deaf"] = "simulator"
    copies: bool = False
    price: TokenPrice | float = PRICE


class Stored(NamedTuple):
    """A call as it is to stand in the store.

    Attributes:
        kind: Of its error.
    """

    state: CallState
    kind: str | None = None
    cost: Cost = "booked"
    stage: CallStage = "main"


class Row(NamedTuple):
    """One fault, and all that is to come of it.

    Attributes:
        wish: How the simulator is asked for it, such as ``T17.date`` or ``R11*``.
        calls: All calls of the unit, in their order.
        end: What becomes of the unit: ``done``, ``paused`` or the name of the error.
        waits_s: The time between the first call and the second is at least this long.
        why: Where this is not what the provider reference says: the reason.
        label: Tells it from other rows of the same fault.
        test: Name of its test, where that is one of its own.
    """

    wish: str
    reaction: Reaction
    calls: tuple[Stored, ...]
    end: str = "done"
    ask: Ask = Ask()
    dialects: tuple[Dialect, ...] = ("openai_chat",)
    waits_s: float = 0.0
    why: str = ""
    label: str = ""
    test: str = ""

    @property
    def number(self) -> str:
        """Return the number of the fault in the catalogue."""
        return self.wish.partition(".")[0].partition("*")[0].partition("x")[0]


class Case(NamedTuple):
    """A row in one dialect; ``place`` counts the cases of a family."""

    row: Row
    dialect: Dialect
    place: int

    @property
    def name(self) -> str:
        """Return the name of its test."""
        parts = (self.row.wish, self.dialect, _KINDS[self.row.ask.kind], self.row.label)
        return "-".join(part for part in parts if part)

    @property
    def provider(self) -> str:
        """Return the name of its provider in the config: each has its own, so that all can rest."""
        return f"p{self.place}"

    @property
    def model(self) -> str:
        """Return the name of its model, which asks the simulator for the fault."""
        wish = f"@{self.row.wish}" if self.row.ask.at == "simulator" else ""
        return f"{self.row.ask.model}{wish}@n{self.place}"


_KINDS: dict[UnitKind, str] = {"artifact": "", "evaluation": "scores", "comparison": "verdict"}

WARM = Ask(settings={"temperature": 0.5})
ROOMY = Ask(settings={"max_tokens": 4000})
SEARCHING = Ask(settings={"require": {"grounding": "searched"}})
THINKING = Ask(settings={"require": {"reasoning": "tokens"}})
SCORES = Ask("evaluation")
VERDICT = Ask("comparison")
RESEARCH = Ask(
    model="sim-research",
    settings={"max_tokens": 4000},
    provider={"poll_seconds": 0.1, "timeout_seconds": 120},
)

HELD_BACK = "the limit of calls in flight is unchanged; all calls wait for the stated time, or 1 s"
THREE_TIMES = "missing evidence is requested up to three more times, within the number of attempts"

GOOD = Stored("done")
PAID = Stored("done")
"""An answer that is paid for and not used."""

UNCOUNTED = Stored("done", None, "unknown")
LOST = Stored("uncertain", "provider_unavailable", "unknown")
BUSY = Stored("failed", "provider_unavailable", "nothing")
BUSY_PAID = Stored("failed", "provider_unavailable")
FILTERED = Stored("failed", "answer_refused")
"""An answer that a filter of the provider stopped: it is paid for."""

LIMITED = Stored("failed", "rate_limited", "nothing")
REFUSED = Stored("failed", "provider_rejected", "nothing")
NOT_SO = Stored("failed", "parameter_refused", "nothing")
NO_MONEY = Stored("failed", "provider_paused", "nothing")
REPAIRED = Stored("done", stage="repair")
COPIED = Stored("done", stage="jsonify")


def cases(rows: tuple[Row, ...]) -> tuple[Case, ...]:
    """Return every row in each of its dialects, but for those with a test of their own."""
    pairs = [(row, dialect) for row in rows if not row.test for dialect in row.dialects]
    return tuple(Case(row, dialect, place) for place, (row, dialect) in enumerate(pairs, 1))


def accepted(wish: str, **more: Any) -> Row:
    """Return the row of a fault that does no harm."""
    return Row(wish, "accept", (GOOD,), **more)


def paused(wish: str, **more: Any) -> Row:
    """Return the row of a fault that stops the provider."""
    return Row(wish, "pause", (NO_MONEY,), "paused", **more)


def failed(wish: str, **more: Any) -> Row:
    """Return the row of a request that is refused."""
    return Row(wish, "fail", (REFUSED,), "provider_rejected", **more)


def filtered(wish: str, **more: Any) -> Row:
    """Return the row of an answer that a filter of the provider stopped."""
    return Row(wish, "fail", (FILTERED,), "answer_refused", **more)


def asked_again(wish: str, **more: Any) -> Row:
    """Return the row of an answer that is paid for, and worth asking for once more."""
    return Row(wish, "ask again", (PAID, GOOD), **more)


def repaired(wish: str, **more: Any) -> Row:
    """Return the row of an answer that the judge mends itself."""
    return Row(wish, "repair", (PAID, REPAIRED), **more)


def waited(wish: str, seconds: float, **more: Any) -> Row:
    """Return the row of a refusal that passes with time."""
    return Row(wish, "wait", (LIMITED, GOOD), waits_s=seconds, **more)
