"""Replies of a simulated model: a text, a combined text, scores or a verdict."""

from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

import pydantic_core

from acm_workers.simulator import judging, model_names, prompt, research, web_search, writing
from acm_workers.simulator.messages import (
    CHARS_PER_TOKEN,
    ModelReply,
    ModelRequest,
    ReplyKind,
    count_tokens,
)
from acm_workers.simulator.prompt import ParsedPrompt
from acm_workers.simulator.quality import read_or_guess_quality
from acm_workers.simulator.settings import SimulatorSettings
from acm_workers.simulator.writing import material

_MIDDLE_SKILL: Final = 0.55
_WRITING_NOISE: Final = 0.1
_COMBINING_GAIN: Final = 0.02
_COMBINING_NOISE: Final = 0.05
_THOUGHTS: Final = (
    "**Weighing the material**\n\nI go through the source and note what bears on the task."
)


class _ReplyContent(NamedTuple):
    text: str
    kind: ReplyKind
    value: dict[str, Any] | None = None


def generator(*parts: object) -> Random:
    """Return a random generator seeded by ``parts``, which is the same after a restart."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))  # noqa: S311  # repeatable on purpose


def new_id(rng: Random) -> str:
    """Return an id for a reply."""
    return f"{rng.getrandbits(96):024x}"


def skill(settings: SimulatorSettings, model: str) -> float:
    """Return the mean quality of texts by ``model``."""
    luck = generator(settings.seed, "skill", model_names.parse(model).base).random()
    return _MIDDLE_SKILL + settings.skill_spread * (luck - 0.5)


def reply(
    request: ModelRequest, settings: SimulatorSettings, rng: Random, now: float
) -> ModelReply:
    """Answer ``request``, within its budget of tokens."""
    if request.embedded:
        return _of_embeddings(request, rng, now)
    parsed = prompt.parse(request.prompt)
    said = _content(request, parsed, settings, rng)
    reasoning = rng.randint(40, 400) if _thinks(request) else 0
    text, cut = said.text, False
    if request.max_tokens is not None and reasoning + count_tokens(len(text)) > request.max_tokens:
        cut = True
        reasoning = min(reasoning, request.max_tokens)
        text = text[: (request.max_tokens - reasoning) * CHARS_PER_TOKEN]
    return ModelReply(
        id=new_id(rng),
        created=int(now),
        text=text,
        kind=said.kind,
        value=said.value,
        cut=cut,
        input_tokens=count_tokens(request.input_chars),
        text_tokens=count_tokens(len(text)),
        reasoning_tokens=reasoning,
        search=_search(request, parsed, rng) if request.searches else None,
        thoughts=_THOUGHTS if reasoning and request.shows_thoughts else "",
    )


def _of_embeddings(request: ModelRequest, rng: Random, now: float) -> ModelReply:
    """Return the reply to a request for vectors, which has no text."""
    return ModelReply(
        id=new_id(rng),
        created=int(now),
        text="",
        kind="document",
        value=None,
        cut=False,
        input_tokens=count_tokens(request.input_chars),
        text_tokens=0,
        reasoning_tokens=0,
    )


def _thinks(request: ModelRequest) -> bool:
    if request.thinking == "default":
        return model_names.parse(request.model).thinks
    return request.thinking == "on"


def _search(request: ModelRequest, parsed: ParsedPrompt, rng: Random) -> web_search.WebSearch:
    title = material(parsed.first("SOURCE") or parsed.frame).title
    return web_search.search(title, request.searches, rng)


def _content(
    request: ModelRequest, parsed: ParsedPrompt, settings: SimulatorSettings, rng: Random
) -> _ReplyContent:
    if request.continuation is not None:
        return _ReplyContent(request.continuation, "document")
    judged = judging.judgement(request, parsed, settings, rng)
    if judged is not None:
        remarks = judging.remarks(request, parsed, judged)
        if judging.asks_for_prose(request, parsed):
            return _ReplyContent(judging.in_words(judged, remarks), "assessment", judged)
        kind: ReplyKind = "verdict" if "winner" in judged else "scores"
        return _ReplyContent(pydantic_core.to_json({**judged, **remarks}).decode(), kind, judged)
    step = research.reply(request.prompt) if request.schema is None else None
    written = step or _written(request, parsed, settings, rng)
    if request.schema is None:
        return _ReplyContent(written, "document")
    filled = prompt.fill_schema(request.schema, request.schema, written)
    value = filled if isinstance(filled, dict) else None
    return _ReplyContent(pydantic_core.to_json(filled).decode(), "object", value)


def _written(
    request: ModelRequest, parsed: ParsedPrompt, settings: SimulatorSettings, rng: Random
) -> str:
    given = parsed.others()
    if request.schema is not None and given:
        return given[0]  # to be brought into another form, not to be written anew
    about = material(parsed.first("SOURCE") or parsed.frame)
    return writing.write(about, _quality(request, parsed, settings, rng), rng)


def _quality(
    request: ModelRequest, parsed: ParsedPrompt, settings: SimulatorSettings, rng: Random
) -> float:
    parents = [text for name, text in parsed.blocks.items() if name.startswith("CANDIDATE ")]
    if parents:
        best = max(map(read_or_guess_quality, parents))
        return best + rng.gauss(_COMBINING_GAIN, _COMBINING_NOISE)
    return skill(settings, request.model) + rng.gauss(0.0, _WRITING_NOISE)
