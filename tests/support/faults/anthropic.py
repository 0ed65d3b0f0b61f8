"""A: Anthropic's own faults; see ``form``."""

from typing import Any

from schemas.config.provider import Dialect
from tests.support.faults import form
from tests.support.faults.form import (
    BUSY,
    GOOD,
    LOST,
    NOT_SO,
    PAID,
    ROOMY,
    SCORES,
    SEARCHING,
    THINKING,
    WARM,
    Row,
)

_HERE: tuple[Dialect, ...] = ("anthropic",)
_BUDGETED = THINKING._replace(provider={"capabilities": {"*": {"thinking_budget": True}}})
_FULL = SCORES._replace(settings={"max_tokens": 3000})
_TOO_LONG = form.Stored("failed", "answer_cut_off")


def _row(wish: str, reaction: form.Reaction, *calls: form.Stored, **more: Any) -> Row:
    return Row(wish, reaction, calls, dialects=_HERE, **more)


ROWS: tuple[Row, ...] = (
    form.waited("A1", 1.0, dialects=_HERE),
    form.waited("A2", 1.0, dialects=_HERE, why=form.HELD_BACK),
    form.paused("A3.contract", dialects=_HERE),
    form.paused("A3.enforced", dialects=_HERE),
    form.paused("A3.billing", dialects=_HERE),
    form.paused("A3.credit", dialects=_HERE),
    form.waited("A4.untold", 0.0, dialects=_HERE, why=form.HELD_BACK),
    form.waited("A4.told", 1.0, dialects=_HERE, why=form.HELD_BACK),
    _row("A5.500", "retry", BUSY, GOOD),
    _row("A5.504", "retry", BUSY, GOOD),
    _row("A6", "switch", NOT_SO, GOOD, ask=WARM),
    _row("A7", "switch", NOT_SO, GOOD, ask=_BUDGETED),
    _row("A9.complex", "switch", NOT_SO, GOOD, ask=SCORES),
    _row("A9.grammar", "switch", NOT_SO, GOOD, ask=SCORES),
    form.failed("A10", ask=SCORES, dialects=_HERE),
    form.failed("A11", dialects=_HERE),
    _row("A12", "more tokens", PAID, GOOD, ask=ROOMY),
    _row("A12", "more tokens", PAID, GOOD, ask=_FULL),
    _row("A13", "more tokens", PAID, GOOD, ask=ROOMY),
    _row("A13*", "more tokens", PAID, PAID, ask=ROOMY, end="answer_cut_off"),
    form.filtered("A14", dialects=_HERE),
    _row("A15", "continue", PAID, GOOD, ask=SEARCHING),
    _row("A16", "fail", _TOO_LONG, end="answer_cut_off", ask=ROOMY),
    _row("A16", "fail", _TOO_LONG, end="answer_cut_off", ask=SCORES),
    form.asked_again("A17", dialects=_HERE),
    _row("A17*", "ask again", PAID, PAID, end="empty_answer"),
    *(
        form.asked_again(f"A18.{code}", ask=SEARCHING, dialects=_HERE)
        for code in ("too_many_requests", "unavailable", "max_uses_exceeded")
    ),
    form.asked_again("A19", dialects=_HERE),
    form.asked_again("A19", ask=SCORES, dialects=_HERE),
    _row("A20.error", "retry", LOST, GOOD),
    _row("A20.cut", "retry", LOST, GOOD),
)
