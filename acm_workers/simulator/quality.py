"""The quality hidden in a text: the choice among fixed phrases encodes it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

ROWS: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "This document sets out what matters about",
        "The pages below set out what matters about",
        "What follows gathers the essentials of",
        "The text below gathers the essentials of",
    ),
    (
        "It begins with the facts as given and then",
        "It starts from the facts as given and then",
        "It takes the given facts first and then",
        "It opens with the given facts and then",
    ),
    (
        "Seen from the outside, the first point is that",
        "Looked at from outside, the first point is that",
        "Viewed from a distance, the first point is that",
        "From some distance, the first point is that",
    ),
    (
        "A closer reading shows that",
        "On a closer reading it appears that",
        "Read more closely, it turns out that",
        "A more careful reading reveals that",
    ),
    (
        "For day-to-day work this means that",
        "In everyday practice this means that",
        "For practical purposes this means that",
        "In daily practice it comes down to this:",
    ),
    (
        "What remains to be settled is how far",
        "It is still to be settled how far",
        "One point still to be settled is how far",
        "Yet to be settled is how far",
    ),
    (
        "Taken as a whole, the material supports one conclusion:",
        "All in all, the material supports one conclusion:",
        "On balance, the material supports one conclusion:",
        "Considered together, the material supports one conclusion:",
    ),
)
_FOLDED: Final = tuple(phrase.casefold() for row in ROWS for phrase in row)


_DIGITS = len(ROWS) - 1  # the last row holds a check digit
_TOP: Final[int] = (1 << 2 * _DIGITS) - 1


def occurs_in(text: str) -> bool:
    """Return whether any phrase occurs in ``text``, ignoring case."""
    folded = text.casefold()
    return any(phrase in folded for phrase in _FOLDED)


def phrases_for(quality: float) -> tuple[str, ...]:
    """Return the phrases, in order, that encode ``quality`` (0 to 1, rounded to 1/4095)."""
    level = round(min(1.0, max(0.0, quality)) * _TOP)
    digits = [level >> 2 * place & 3 for place in reversed(range(_DIGITS))]
    return tuple(row[digit] for row, digit in zip(ROWS, [*digits, _check(digits)], strict=True))


@lru_cache(maxsize=512)  # a judge meets the same candidate again and again
def read_quality(text: str) -> float | None:
    """Read the quality hidden in ``text``; absent if this is not one of the simulator's texts."""
    digits: list[int] = []
    position = 0
    for row in ROWS:
        found = [(text.find(phrase, position), digit) for digit, phrase in enumerate(row)]
        seen = [place for place in found if place[0] >= 0]
        if not seen:
            return None
        position, digit = min(seen)
        digits.append(digit)
    if digits.pop() != _check(digits):
        return None
    level = 0
    for digit in digits:
        level = level << 2 | digit
    return level / _TOP


def read_or_guess_quality(text: str) -> float:
    """Return the hidden quality, or a medium quality guessed from the form of the text."""
    hidden = read_quality(text)
    return guess(text) if hidden is None else hidden


def guess(text: str) -> float:
    """Guess between 0.3 and 0.6 from length, headings, lists and paragraphs."""
    length = min(len(text), 3000) / 3000
    headings = text.startswith("#") or "\n#" in text
    lists = "\n- " in text or "\n* " in text or "\n1. " in text
    paragraphs = "\n\n" in text
    return 0.3 + 0.15 * length + 0.08 * headings + 0.04 * lists + 0.03 * paragraphs


def _check(digits: Sequence[int]) -> int:
    return sum(digits) % 4
