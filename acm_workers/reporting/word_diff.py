"""Two texts side by side, with the words that only one of them has."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

LONGEST = 40_000
"""Maximum length of a text, in characters; the comparison takes more than linear time."""

_WORD = re.compile(r"\S+\s*")


class DiffSpan(NamedTuple):
    """A piece of a text; ``changed`` if the other text does not contain it."""

    text: str
    changed: bool


class DiffRow(NamedTuple):
    """Paragraphs that are shown side by side."""

    left: tuple[DiffSpan, ...]
    right: tuple[DiffSpan, ...]


class WordDiff(NamedTuple):
    """A word diff.

    Attributes:
        shared: Share of words that both texts have at the same place.
    """

    rows: tuple[DiffRow, ...]
    shared: float


def diff(left: str, right: str) -> WordDiff | None:
    """Compare two texts word by word; None if one of them is too long or both are empty."""
    if max(len(left), len(right)) > LONGEST:
        return None
    one, two = _WORD.findall(left), _WORD.findall(right)
    if not one and not two:
        return None
    # Without autojunk a repeated word makes the search quadratic.
    found = SequenceMatcher(None, [w.rstrip() for w in one], [w.rstrip() for w in two])
    blocks = found.get_opcodes()
    same = sum(a_end - a for tag, a, a_end, _, _ in blocks if tag == "equal")
    return WordDiff(tuple(_rows(one, two, blocks)), 2 * same / (len(one) + len(two)))


def _rows(
    one: list[str], two: list[str], blocks: Sequence[tuple[str, int, int, int, int]]
) -> Iterator[DiffRow]:
    """Yield rows, which end where a paragraph ends in both texts."""
    left: list[DiffSpan] = []
    right: list[DiffSpan] = []
    for tag, a, a_end, b, b_end in blocks:
        if tag != "equal":
            left.append(DiffSpan("".join(one[a:a_end]), changed=True))
            right.append(DiffSpan("".join(two[b:b_end]), changed=True))
            continue
        start = 0
        for index in range(a_end - a):
            if "\n\n" in one[a + index] and "\n\n" in two[b + index]:
                left.append(DiffSpan("".join(one[a + start : a + index + 1]), changed=False))
                right.append(DiffSpan("".join(two[b + start : b + index + 1]), changed=False))
                yield _row(left, right)
                left, right, start = [], [], index + 1
        left.append(DiffSpan("".join(one[a + start : a_end]), changed=False))
        right.append(DiffSpan("".join(two[b + start : b_end]), changed=False))
    if left or right:
        yield _row(left, right)


def _row(left: list[DiffSpan], right: list[DiffSpan]) -> DiffRow:
    return DiffRow(
        tuple(span for span in left if span.text), tuple(span for span in right if span.text)
    )
