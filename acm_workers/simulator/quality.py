"""The quality hidden in a text: how it is spelled, and how it is read back from the text alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from acm_workers.simulator.phrases import ROWS

_DIGITS = len(ROWS) - 1  # the last row holds a check digit
_TOP: Final[int] = (1 << 2 * _DIGITS) - 1


def phrases_for(quality: float) -> tuple[str, ...]:
    """Return the phrases, in order, that spell ``quality`` (0 to 1, kept to 1/4095)."""
    level = round(min(1.0, max(0.0, quality)) * _TOP)
    digits = [level >> 2 * place & 3 for place in reversed(range(_DIGITS))]
    return tuple(row[digit] for row, digit in zip(ROWS, [*digits, _check(digits)], strict=True))


@lru_cache(maxsize=512)  # a judge meets the same candidate again and again
def quality(text: str) -> float | None:
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


def quality_or_guess(text: str) -> float:
    """Return the hidden quality, or a middling one that the text's outside suggests."""
    hidden = quality(text)
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
