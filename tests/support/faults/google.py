"""G: Google's own faults; see ``form``."""

from typing import Any

from schemas.config.provider import Dialect
from tests.support.faults import form
from tests.support.faults.form import (
    BUSY,
    COPIED,
    GOOD,
    NOT_SO,
    PAID,
    ROOMY,
    SEARCHING,
    THINKING,
    Ask,
    Row,
)

_HERE: tuple[Dialect, ...] = ("google",)
_GROUNDED_SCORES = Ask("evaluation", settings={"require": {"grounding": "searched"}}, copies=True)
_SOURCED = Ask(settings={"require": {"grounding": "sourced"}})
_MIDNIGHT = "ACM does not wait until midnight; the user continues the run with `acm resume`"
_ODD = ("malformed_response", "other", "language", "unexpected_tool_call", "too_many_tool_calls")


def _row(wish: str, reaction: form.Reaction, *calls: form.Stored, **more: Any) -> Row:
    return Row(wish, reaction, calls, dialects=_HERE, **more)


ROWS: tuple[Row, ...] = (
    form.waited("G1.brief", 0.3, dialects=_HERE),
    form.paused("G2", dialects=_HERE, why=_MIDNIGHT),
    form.waited("G3", 0.0, dialects=_HERE),
    _row("G4.503", "retry", BUSY, GOOD),
    _row("G4.500", "retry", BUSY, GOOD),
    _row("G5", "switch", NOT_SO, PAID, COPIED, ask=_GROUNDED_SCORES),
    _row("G6", "switch", NOT_SO, GOOD, ask=THINKING),
    form.paused("G7", dialects=_HERE),
    form.filtered("G8", dialects=_HERE),
    *(
        form.filtered(f"G9.{reason}", dialects=_HERE)
        for reason in ("safety", "prohibited_content", "spii", "blocklist")
    ),
    form.asked_again("G10", dialects=_HERE),
    _row("G10*", "ask again", PAID, PAID, end="answer_cut_off"),
    _row("G11", "more tokens", PAID, GOOD, ask=ROOMY),
    _row("G11*", "more tokens", PAID, PAID, ask=ROOMY, end="answer_cut_off"),
    *(
        form.asked_again(f"G12.{kind}", dialects=_HERE)
        for kind in ("parts", "keyless", "contentless")
    ),
    *(form.asked_again(f"G13.{reason}", dialects=_HERE) for reason in _ODD),
    _row("G13*", "ask again", PAID, PAID, end="answer_cut_off"),
    _row("G14", "continue", PAID, GOOD),
    form.asked_again("G15.empty", ask=SEARCHING, dialects=_HERE),
    form.asked_again("G15.missing", ask=SEARCHING, dialects=_HERE),
    _row(
        "G15*",
        "ask again",
        *(PAID, PAID, PAID),
        ask=SEARCHING,
        end="evidence_missing",
        why=form.THREE_TIMES,
    ),
    form.accepted("G16", ask=SEARCHING, dialects=_HERE),
    form.asked_again("G16", ask=_SOURCED, dialects=_HERE, label="sourced"),
    form.accepted("G17", dialects=_HERE),
    _row("G18", "retry", BUSY, GOOD),
    form.accepted("G19", dialects=_HERE),
)
