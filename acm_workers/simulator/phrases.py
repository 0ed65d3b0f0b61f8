"""The fixed phrases whose choice spells a text's hidden quality.

Order is everything: one phrase of each row stands in every text, in the order of the rows, and
which of the four it is makes one digit. Changing a phrase makes older texts unreadable.
"""

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


def occurs_in(text: str) -> bool:
    """Tell whether any phrase stands in ``text``, whatever the case of its letters."""
    folded = text.casefold()
    return any(phrase in folded for phrase in _FOLDED)
