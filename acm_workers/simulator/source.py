"""What a text can take over from its source document."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from acm_workers.simulator import phrases

_READ_CHARS = 12_000  # enough to write from, and cheap however long the document is
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKUP = re.compile(r"[*_`#>|\[\]<]+|^\s*(?:[-+]|\d+[.)])\s+")

# A name or an abbreviation at the start of a sentence keeps its capital; these do not.
_SMALL: Final = re.compile(
    r"(?:The|An?|This|These|Those|That|Its?|They|Their|We|Our|In|On|At|By|For|From|With|After|Before"
    r"|When|While|If|As|And|But|Or|So|To|Of|Most|Many|Some|All|Each|Every|Not?|There|Here)\b"
)


class Material(NamedTuple):
    """What is taken over.

    Attributes:
        title: The first heading, or else the first words.
        fragments: Sentences without their full stop, at least one.
    """

    title: str
    fragments: tuple[str, ...]


@lru_cache(maxsize=64)  # many candidates are written from one document
def material(source: str) -> Material:
    """Return what a text about ``source`` can use; never one of the phrases that spell quality."""
    head = source[:_READ_CHARS]
    heading = _HEADING.search(head)
    lines = [_clean(piece) for piece in _SENTENCE_END.split(_HEADING.sub("", head))]
    fragments = [line for line in lines if len(line) >= 20 and not phrases.occurs_in(line)]
    title = _clean(heading[1]) if heading else _shortened(next(filter(None, lines), ""), 60)
    if not title or phrases.occurs_in(title):
        title = "Notes"
    if not fragments:
        fragments = [f"there is more to say about {title} than its few words let show"]
    return Material(title, tuple(_shortened(fragment, 150) for fragment in fragments[:60]))


def _clean(piece: str) -> str:
    text = " ".join(_MARKUP.sub(" ", piece).split()).rstrip(".!?:; ")
    return text[0].lower() + text[1:] if _SMALL.match(text) else text


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0].rstrip(",;: ")
