"""O: OpenAI's own faults, in both of its dialects; see ``form``."""

from schemas.config.provider import Dialect, TokenPrice
from tests.support.faults.form import (
    BOTH,
    BUSY,
    BUSY_PAID,
    GOOD,
    HELD_BACK,
    NOT_SO,
    PAID,
    RESEARCH,
    ROOMY,
    SCORES,
    SEARCHING,
    UNCOUNTED,
    WARM,
    Ask,
    Row,
    Stored,
    accepted,
    asked_again,
    failed,
    filtered,
    paused,
    waited,
)

_OWN: tuple[Dialect, ...] = ("openai",)
_MONEY = ("quota", "balance", "billing", "organization", "project", "usage")
_GIVEN_UP = Stored("uncertain", "provider_rejected", "unknown")
_LUNA = TokenPrice(input=0.10, output=0.50)
_SNAPSHOT = Ask(model="gpt-6-luna", provider={"prices": {}}, price=_LUNA)
_SHORT_RESEARCH = RESEARCH._replace(provider={"poll_seconds": 0.1, "timeout_seconds": 6})
_EFFORT = Ask(settings={"max_tokens": 4000, "effort": "low"})

_DROPPED = "errors describe the nearest effort only in prose; without it the model uses its default"
_ESTIMATE = (
    "if the answer reports no usage, its cost is unknown, and the budget keeps the reservation"
)
_SEEN = "the name in the answer determines the price; it is not stored separately"
_FLEX = (
    "ACM never requests the flex tier; if a server still answers so, the request is repeated later"
)


def _more_room(wish: str, ask: Ask = ROOMY) -> Row:
    return Row(wish, "more tokens", (PAID, GOOD), ask=ask, dialects=BOTH)


ROWS: tuple[Row, ...] = (
    waited("O1", 0.25, dialects=BOTH),
    *(paused(f"O2.{kind}", dialects=BOTH) for kind in _MONEY),
    waited("O3.slow_down", 0.0, dialects=BOTH, why=HELD_BACK),
    waited("O3.overloaded", 0.0, dialects=BOTH, why=HELD_BACK),
    Row("O4", "switch", (NOT_SO, GOOD), ask=WARM, dialects=BOTH),
    Row("O5.parameter", "switch", (NOT_SO, GOOD), ask=_EFFORT, dialects=BOTH, why=_DROPPED),
    Row("O5.value", "switch", (NOT_SO, GOOD), ask=_EFFORT, dialects=BOTH, why=_DROPPED),
    failed("O6", ask=SCORES, dialects=BOTH),
    failed("O7", dialects=BOTH),
    paused("O8.401", dialects=BOTH),
    paused("O8.403", dialects=BOTH),
    failed("O8.404", dialects=BOTH),
    Row("O9.server", "retry", (BUSY, GOOD), dialects=_OWN),
    waited("O9.rate", 0.0, dialects=_OWN),
    Row("O9.billed", "retry", (BUSY_PAID, GOOD), dialects=_OWN),
    failed("O10.invalid_prompt", dialects=_OWN),
    failed("O10.bio_policy", dialects=_OWN),
    _more_room("O11"),
    Row("O11*", "more tokens", (PAID, PAID), "answer_cut_off", ask=ROOMY, dialects=BOTH),
    _more_room("O12"),
    _more_room("O12", SCORES),
    filtered("O13", dialects=BOTH),
    asked_again("O14", dialects=BOTH),
    Row("O14*", "ask again", (PAID, PAID), "answer_refused", dialects=BOTH),
    asked_again("O15.output", dialects=BOTH),
    asked_again("O15.text", dialects=BOTH),
    Row("O15*", "ask again", (PAID, PAID), "empty_answer", dialects=BOTH),
    asked_again("O16", ask=SEARCHING, dialects=_OWN),
    Row("O16*", "ask again", (PAID, PAID, PAID), "evidence_missing", ask=SEARCHING, dialects=_OWN),
    accepted("O17", dialects=_OWN),
    accepted("O18", dialects=BOTH),
    Row("O19", "fail", (_GIVEN_UP,), "answer_overdue", ask=_SHORT_RESEARCH, dialects=_OWN),
    Row("O20", "poll again", (GOOD,), ask=RESEARCH, dialects=_OWN),
    Row(
        "O20*",
        "fail",
        (Stored("uncertain", "answer_lost", "unknown"),),
        "answer_lost",
        ask=RESEARCH,
        dialects=_OWN,
    ),
    accepted("O21", ask=_SHORT_RESEARCH, dialects=_OWN),
    Row("O22", "more tokens", (PAID, GOOD), ask=RESEARCH, dialects=_OWN),
    Row("O23", "accept", (UNCOUNTED,), dialects=BOTH, why=_ESTIMATE),
    accepted("O24", ask=_SNAPSHOT, dialects=BOTH, why=_SEEN),
    waited("O25", 0.0, dialects=BOTH, why=_FLEX),
)
