"""Plausible Markdown about a source document, with a quality hidden in it."""

from collections.abc import Iterator
from random import Random
from typing import Final

from acm_workers.simulator.quality import phrases_for
from acm_workers.simulator.source import Material

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


def write(material: Material, quality: float, rng: Random) -> str:
    """Write 1 to 4 kB about ``material`` that spell ``quality``."""
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


def _fragments(material: Material, rng: Random) -> Iterator[str]:
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
