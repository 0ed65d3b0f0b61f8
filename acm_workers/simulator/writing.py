"""Plausible Markdown about a source document, with a hidden quality."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

from acm_workers.simulator import quality
from acm_workers.simulator.quality import phrases_for

_TELLING: Final = (
    "The source notes that {}.",
    "According to the source, {}.",
    "It is recorded that {}.",
    "The same passage adds that {}.",
    "Equally, {}.",
    "Beside this, {}.",
    "It is worth repeating that {}.",
    "Here {}.",
    "More precisely, {}.",
    "The document also says that {}.",
)
_PLAIN: Final = (
    "Each of these points can be checked against the original.",
    "The order in which they are given is deliberate.",
    "None of them stands alone.",
    "Readers in a hurry may stop here and go to the list.",
    "The figures are those of the source and were not rounded.",
    "Where the source is silent, so is this text.",
    "That is less obvious than it sounds.",
    "This has been so for some time.",
)
_LEADING: Final = ("Background", "Where things stand", "The situation", "Context")
_MIDDLE: Final = ("Details", "A closer look", "What the source says", "In detail")
_LISTING: Final = ("Main points", "In short", "Points to keep", "At a glance")
_PRACTICE: Final = ("In practice", "What it means", "Consequences", "Next steps")
_ENDING: Final = ("Conclusion", "Summary", "Closing remarks", "Outcome")


_READ_CHARS = 12_000  # enough to write from, and cheap however long the document is
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKUP = re.compile(r"[*_`#>|\[\]<]+|^\s*(?:[-+]|\d+[.)])\s+")
# A name or an abbreviation at the start of a sentence keeps its capital; these do not.
_SMALL: Final = re.compile(
    r"(?:The|An?|This|These|Those|That|Its?|They|Their|We|Our|In|On|At|By|For|From|With|After|Before"
    r"|When|While|If|As|And|But|Or|So|To|Of|Most|Many|Some|All|Each|Every|Not?|There|Here)\b"
)


class SourceMaterial(NamedTuple):
    """The part of the source that a text uses.

    Attributes:
        title: The first heading, or else the first words.
        fragments: Sentences without their full stop, at least one.
    """

    title: str
    fragments: tuple[str, ...]


def write(material: SourceMaterial, quality: float, rng: Random) -> str:
    """Return a text of 1 to 4 kB about ``material`` in which ``quality`` is hidden."""
    about, course, outside, closer, practice, settled, whole = phrases_for(quality)
    facts = _fragments(material, rng)
    room = rng.randint(900, 2300)
    return "\n\n".join(
        (
            f"# {material.title}",
            f"{about} {material.title}. {course} draws the consequences one by one.",
            f"## {rng.choice(_LEADING)}",
            f"{outside} {next(facts)}. {_paragraph(facts, rng, room // 4)}",
            f"## {rng.choice(_MIDDLE)}",
            f"{closer} {next(facts)}. {_paragraph(facts, rng, room // 2)}",
            f"## {rng.choice(_LISTING)}",
            "\n".join(f"- {_sentence(next(facts))}" for _ in range(rng.randint(3, 6))),
            f"## {rng.choice(_PRACTICE)}",
            f"{practice} {next(facts)}. {settled} this holds elsewhere. "
            + _paragraph(facts, rng, room // 4),
            f"## {rng.choice(_ENDING)}",
            f"{whole} {next(facts)}.\n",
        )
    )


def _fragments(material: SourceMaterial, rng: Random) -> Iterator[str]:
    at = rng.randrange(len(material.fragments))
    while True:
        yield material.fragments[at]
        at = (at + 1) % len(material.fragments)


def _paragraph(facts: Iterator[str], rng: Random, room: int) -> str:
    sentences: list[str] = []
    while room > 0:
        plain = rng.random() < 0.25
        sentence = rng.choice(_PLAIN) if plain else rng.choice(_TELLING).format(next(facts))
        sentences.append(sentence)
        room -= len(sentence)
    return " ".join(sentences)


def _sentence(fragment: str) -> str:
    return f"{fragment[0].upper()}{fragment[1:]}."


@lru_cache(maxsize=64)  # many candidates are written from one document
def material(source: str) -> SourceMaterial:
    """Return material for a text about ``source``, without the phrases that encode quality."""
    head = source[:_READ_CHARS]
    heading = _HEADING.search(head)
    lines = [_clean(piece) for piece in _SENTENCE_END.split(_HEADING.sub("", head))]
    fragments = [line for line in lines if len(line) >= 20 and not quality.occurs_in(line)]
    title = _clean(heading[1]) if heading else _shortened(next(filter(None, lines), ""), 60)
    if not title or quality.occurs_in(title):
        title = "Notes"
    if not fragments:
        fragments = [f"there is more to say about {title} than its few words let show"]
    return SourceMaterial(title, tuple(_shortened(fragment, 150) for fragment in fragments[:60]))


def _clean(piece: str) -> str:
    text = " ".join(_MARKUP.sub(" ", piece).split()).rstrip(".!?:; ")
    return text[0].lower() + text[1:] if _SMALL.match(text) else text


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0].rstrip(",;: ")
