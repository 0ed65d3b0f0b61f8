"""What a simulated model answers: a text, a combined text, scores or a verdict."""

from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

import pydantic_core

from acm_workers.simulator import names, opinions, prompt, schema, searching, writing
from acm_workers.simulator.asked import Asked, Kind, Reply
from acm_workers.simulator.counting import CHARS_PER_TOKEN, tokens
from acm_workers.simulator.prompt import Prompt
from acm_workers.simulator.quality import quality_or_guess
from acm_workers.simulator.settings import SimulatorSettings
from acm_workers.simulator.source import material

_MIDDLE_SKILL: Final = 0.55
_WRITING_NOISE: Final = 0.1
_COMBINING_GAIN: Final = 0.02
_COMBINING_NOISE: Final = 0.05
_THOUGHTS: Final = (
    "**Weighing the material**\n\nI go through the source and note what bears on the task."
)


class _Said(NamedTuple):
    text: str
    kind: Kind
    value: dict[str, Any] | None = None


def generator(*parts: object) -> Random:
    """Return a random generator that ``parts`` settle, today and after a restart."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))  # noqa: S311  # repeatable on purpose


def skill(settings: SimulatorSettings, model: str) -> float:
    """Return the mean quality of what ``model`` writes."""
    luck = generator(settings.seed, "skill", names.parse(model).base).random()
    return _MIDDLE_SKILL + settings.skill_spread * (luck - 0.5)


def reply(asked: Asked, settings: SimulatorSettings, rng: Random, now: float) -> Reply:
    """Answer ``asked``, within its budget of tokens."""
    parsed = prompt.parse(asked.prompt)
    said = _said(asked, parsed, settings, rng)
    reasoning = rng.randint(40, 400) if _thinks(asked) else 0
    text, cut = said.text, False
    if asked.max_tokens is not None and reasoning + tokens(len(text)) > asked.max_tokens:
        cut = True
        reasoning = min(reasoning, asked.max_tokens)
        text = text[: (asked.max_tokens - reasoning) * CHARS_PER_TOKEN]
    return Reply(
        id=f"{rng.getrandbits(96):024x}",
        created=int(now),
        text=text,
        kind=said.kind,
        value=said.value,
        cut=cut,
        input_tokens=tokens(asked.input_chars),
        text_tokens=tokens(len(text)),
        reasoning_tokens=reasoning,
        search=_search(asked, parsed, rng) if asked.searches else None,
        thoughts=_THOUGHTS if reasoning and asked.shows_thoughts else "",
    )


def _thinks(asked: Asked) -> bool:
    if asked.thinking == "default":
        return names.parse(asked.model).thinks
    return asked.thinking == "on"


def _search(asked: Asked, parsed: Prompt, rng: Random) -> searching.Search:
    title = material(parsed.first("SOURCE") or parsed.frame).title
    return searching.search(title, asked.searches, rng)


def _said(asked: Asked, parsed: Prompt, settings: SimulatorSettings, rng: Random) -> _Said:
    if asked.rest is not None:
        return _Said(asked.rest, "document")
    judged = opinions.judged(asked, parsed, settings, rng)
    if judged is not None:
        if opinions.in_prose(asked, parsed):
            return _Said(opinions.prose(judged), "assessment", judged)
        kind: Kind = "verdict" if "winner" in judged else "scores"
        return _Said(pydantic_core.to_json(judged).decode(), kind, judged)
    written = _written(asked, parsed, settings, rng)
    if asked.schema is None:
        return _Said(written, "document")
    filled = schema.filled(asked.schema, asked.schema, written)
    value = filled if isinstance(filled, dict) else None
    return _Said(pydantic_core.to_json(filled).decode(), "object", value)


def _written(asked: Asked, parsed: Prompt, settings: SimulatorSettings, rng: Random) -> str:
    given = parsed.others()
    if asked.schema is not None and given:
        return given[0]  # to be brought into another form, not to be written anew
    about = material(parsed.first("SOURCE") or parsed.frame)
    return writing.write(about, _quality(asked, parsed, settings, rng), rng)


def _quality(asked: Asked, parsed: Prompt, settings: SimulatorSettings, rng: Random) -> float:
    parents = [
        parsed.blocks[name] for name in ("CANDIDATE A", "CANDIDATE B") if name in parsed.blocks
    ]
    if parents:
        best = max(map(quality_or_guess, parents))
        return best + rng.gauss(_COMBINING_GAIN, _COMBINING_NOISE)
    return skill(settings, asked.model) + rng.gauss(0.0, _WRITING_NOISE)
