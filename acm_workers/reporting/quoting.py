"""The judges' remarks, with the letters of the prompt replaced by the names of the candidates."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NOUNS = "text|candidate|document|response|answer|version|option|report|draft"
_BEFORE = (
    "than|and|or|of|in|to|over|vs|vs\\.|versus|that|while|whereas|but|prefer|prefers|by|for|with"
    "|from|both|because|so|between|find|think|judge|is|although|though"
)
_AFTER_A = (
    "is|has|was|does|covers|gives|provides|offers|stays|reads|wins|keeps|uses|and|or|also|better"
    "|clearly|slightly|more|makes|presents|includes|follows|over|vs|than|contains|explains|lacks"
    "|misses|omits|adds|remains|shows|states|answers|meets|does|would|should|in|on|to|because|but"
)
# A bare "B" in such a place is the candidate; a bare "A" may be the article, so that what follows
# it has to be a verb, too. All parts have a bounded length, so the search is linear.
_LETTER = re.compile(
    rf"(?P<noun>\b(?:the )?(?:{_NOUNS}) )(?P<named>[AB])\b"
    rf"|(?P<lead>^|[.!?:;,(\"\u201c] ?|\b(?:{_BEFORE}) )(?P<bare>"
    rf"A(?=$|['\u2019,;.!?)]| (?:{_AFTER_A})\b)|B(?=$|['\u2019,;.!?)\s]))",
    re.IGNORECASE,
)


class RemarkPart(NamedTuple):
    """A part of a judge's remark; ``is_name`` marks the name of a candidate."""

    text: str
    is_name: bool


def named(said: str, first: str, second: str) -> tuple[RemarkPart, ...]:
    """Replace ``Text A`` by the name of the ``first`` candidate, ``Text B`` by the ``second``."""
    return tuple(part for part in _parts(said, first, second) if part.text)


def _parts(said: str, first: str, second: str) -> Iterator[RemarkPart]:
    end = 0
    for found in _LETTER.finditer(said):
        group = "named" if found["named"] else "bare"
        letter = found[group]
        if letter.islower():  # an article, or an enumeration
            continue
        start = found.start("noun") if group == "named" else found.start("bare")
        yield RemarkPart(said[end:start], is_name=False)
        yield RemarkPart(first if letter == "A" else second, is_name=True)
        end = found.end()
    yield RemarkPart(said[end:], is_name=False)


def clipped(parts: tuple[RemarkPart, ...], characters: int) -> tuple[RemarkPart, ...]:
    """Cut parts to a number of characters, at the end of a sentence if possible."""
    whole = "".join(part.text for part in parts)
    if len(whole) <= characters:
        return parts
    ends = [whole.rfind(mark, characters // 3, characters) for mark in (". ", "! ", "? ")]
    cut = max(ends) + 1 or characters
    kept, used = [], 0
    for part in parts:
        if used >= cut:
            break
        kept.append(part._replace(text=part.text[: cut - used]))
        used += len(part.text)
    return (*kept, RemarkPart(" …", is_name=False))
