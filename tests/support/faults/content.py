"""C: whole answers that say something wrong; see ``form``.

Scores are asked for in the dialect of Anthropic, verdicts in that of Google, texts in Chat
Completions: what an answer says is read in the same way in all of them.
"""

from collections.abc import Iterator

from schemas.config.provider import Dialect
from schemas.units import UnitKind
from tests.support.faults import form
from tests.support.faults.form import (
    PAID,
    REPAIRED,
    SCORES,
    SEARCHING,
    THINKING,
    VERDICT,
    Ask,
    Row,
)

_JUDGED = (SCORES, VERDICT)
_DIALECTS: dict[UnitKind, tuple[Dialect, ...]] = {
    "artifact": ("openai_chat",),
    "evaluation": ("anthropic",),
    "comparison": ("google",),
}

BROKEN_OFF_TEST = "test_a_text_that_breaks_off_is_asked_for_once_more_if_that_can_be_told"

_SHORT = "the minimum length of a text is not known: twenty words are long for a headline"


def _placed(row: Row) -> Row:
    return row._replace(dialects=_DIALECTS[row.ask.kind])


def _judged() -> Iterator[Row]:
    """Yield the rows of faults in whatever a judge is asked for."""
    for ask in _JUDGED:
        searching, thinking = (
            ask._replace(settings=other.settings) for other in (SEARCHING, THINKING)
        )
        for wish in ("C1", "C2", "C3.equal", "C19.mojibake", "C19.language"):
            yield form.accepted(wish, ask=ask)
        for wish in ("C3.different", "C5", "C12", "C14.schema", "C14.other", "C18"):
            yield form.repaired(wish, ask=ask)
        for wish in ("C4.comma", "C4.quotes", "C4.nan", "C4.comment"):
            yield form.repaired(wish, ask=ask)
        # An empty reason twice is taken, and flagged.
        yield form.repaired("C12*", ask=ask)
        yield Row("C5*", "repair", (PAID, REPAIRED, PAID), "unreadable_answer", ask)
        yield form.asked_again("C15", ask=searching)
        yield Row("C15*", "ask again", (PAID, PAID, PAID), "evidence_missing", searching)
        yield form.asked_again("C16", ask=thinking)
        thrice = Row("C16*", "ask again", (PAID, PAID, PAID), "evidence_missing", thinking)
        yield thrice._replace(why=form.THREE_TIMES)
        yield form.asked_again("C17.plain", ask=ask)
        yield form.asked_again("C17.json", ask=ask)
        yield Row("C17*", "ask again", (PAID, PAID), "answer_refused", ask)


def _scored() -> Iterator[Row]:
    for wish in ("C7.spelled", "C8.equal", "C9.text"):
        yield form.accepted(wish, ask=SCORES)
    for wish in ("C6", "C7.extra", "C7.renamed", "C8.different", "C8.array"):
        yield form.repaired(wish, ask=SCORES)
    for kind in ("above", "below", "fraction", "null", "bool"):
        yield form.repaired(f"C9.{kind}", ask=SCORES)


def _compared() -> Iterator[Row]:
    for wish in ("C10.alias", "C10.small", "C11"):
        yield form.accepted(wish, ask=VERDICT)
    for wish in ("C10.both", "C10.name", "C13.percent", "C13.word"):
        yield form.repaired(wish, ask=VERDICT)


def _written() -> Iterator[Row]:
    yield form.asked_again("C15", ask=SEARCHING)
    yield Row("C15*", "ask again", (PAID, PAID, PAID), "evidence_missing", SEARCHING)
    yield form.asked_again("C16", ask=THINKING)
    yield form.asked_again("C17.plain")
    yield Row("C17*", "ask again", (PAID, PAID), "answer_refused")
    yield form.accepted("C20.short", why=_SHORT)
    yield form.asked_again("C20.cut", test=BROKEN_OFF_TEST)


ROWS: tuple[Row, ...] = tuple(
    sorted(
        map(_placed, (*_judged(), *_scored(), *_compared(), *_written())),
        key=lambda row: int(row.number[1:]),
    )
)

BROKEN_OFF: tuple[Row, ...] = tuple(
    form.asked_again("C20*.cut", ask=Ask(model=f"sim-{letter}"), label=letter)
    for letter in "abcdefghijklmnop"
)
"""Writers whose texts all break off; of about one in four that cannot be told for certain."""
