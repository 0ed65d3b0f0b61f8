"""Whether a request asks for a judgement, and which one a simulated judge gives."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from acm_workers.simulator import assessment, judging, prompt, schema
from acm_workers.simulator.asked import Asked
from acm_workers.simulator.judging import Noise
from acm_workers.simulator.prompt import Prompt
from acm_workers.simulator.quality import quality_or_guess
from acm_workers.simulator.settings import SimulatorSettings

_CANDIDATES: Final = ("CANDIDATE", "CANDIDATE A", "CANDIDATE B")


def judged(
    asked: Asked, parsed: Prompt, settings: SimulatorSettings, rng: Random
) -> dict[str, Any] | None:
    """Return scores or a verdict, if the schema or, without one, the frame asks for them.

    Where the request holds a judgement in prose, as when a first answer is to be brought into
    JSON, that judgement is taken over.
    """
    noise = Noise(settings.judge_noise, settings.position_bias)
    to_judge = asked.schema is not None or _has_candidates(parsed)
    scales = _scales(asked, parsed)
    if scales:
        given = _scores_said(asked, parsed, scales)
        return given or (_scores(parsed, scales, noise, rng) if to_judge else None)
    if _asks_for_verdict(asked, parsed):
        given = _verdict_said(asked, parsed)
        return given or (_verdict(parsed, noise, rng) if to_judge else None)
    return None


def in_prose(asked: Asked, parsed: Prompt) -> bool:
    """Tell whether the judgement is written in words: neither schema nor prompt want JSON."""
    return asked.schema is None and not prompt.wants_json(parsed.frame)


def prose(judgement: Mapping[str, Any]) -> str:
    """Write scores or a verdict in words."""
    if "winner" in judgement:
        return assessment.verdict(judgement)
    return assessment.scores(judgement)


def _scales(asked: Asked, parsed: Prompt) -> Mapping[str, Sequence[int]] | None:
    """Return the scores to choose from by criterion, if scores are asked for."""
    if asked.schema is not None:
        found = schema.properties(asked.schema)
        if schema.asks_for_scores(found):
            return judging.asked_scales(asked.schema, found, parsed.frame)
        return None
    if "CANDIDATE A" in parsed.blocks or not (
        "CANDIDATE" in parsed.blocks or "JSON" in parsed.frame
    ):
        return None
    return prompt.scales(parsed.frame)


def _asks_for_verdict(asked: Asked, parsed: Prompt) -> bool:
    if asked.schema is not None:
        return "winner" in schema.properties(asked.schema)
    if '"winner"' in parsed.frame:
        return True
    return "CANDIDATE A" in parsed.blocks and bool(prompt.scales(parsed.frame))


def _has_candidates(parsed: Prompt) -> bool:
    return any(name in parsed.blocks for name in _CANDIDATES)


def _spoken(asked: Asked, parsed: Prompt) -> list[str]:
    """Return the texts that may hold a judgement in prose.

    Never the material: whoever wrote a candidate must not judge it.
    """
    texts = [asked.said, *parsed.others()]
    if not _has_candidates(parsed):
        texts.append(parsed.frame)
    return [text for text in texts if text]


def _scores_said(
    asked: Asked, parsed: Prompt, scales: Mapping[str, Sequence[int]]
) -> dict[str, Any] | None:
    spoken = _spoken(asked, parsed)
    if not spoken:
        return None
    names, most = prompt.names(parsed.frame), dict[str, Any]()
    for text in spoken:
        read = assessment.read_scores(text, scales, names)
        most = max(most, read, key=len)
    if len(most) < len(scales) and not _copies(parsed):
        return None
    # What the text does not give is not to be made up: schemas for copies have a number for it
    # below the scale, and prompts name one.
    below = 0 if asked.schema is not None else 1
    return {
        key: most.get(key, {"reason": "It is not given.", "score": scale[0] - below})
        for key, scale in scales.items()
    }


def _verdict_said(asked: Asked, parsed: Prompt) -> dict[str, Any] | None:
    for text in _spoken(asked, parsed):
        read = assessment.read_verdict(text)
        if read is not None:
            return read
    if not _copies(parsed):
        return None
    return {"reasoning": "It is not given.", "winner": "none", "confidence": -1}


def _copies(parsed: Prompt) -> bool:
    """Tell whether there is nothing to judge, but a judgement to put into another form."""
    return bool(parsed.others()) and not _has_candidates(parsed)


def _verdict(parsed: Prompt, noise: Noise, rng: Random) -> dict[str, Any]:
    first, second = (parsed.blocks.get(f"CANDIDATE {side}", "") for side in "AB")
    return judging.verdict(quality_or_guess(first), quality_or_guess(second), noise, rng)


def _scores(
    parsed: Prompt, scales: Mapping[str, Sequence[int]], noise: Noise, rng: Random
) -> dict[str, Any]:
    quality = quality_or_guess(parsed.first("CANDIDATE", "CANDIDATE A") or "")
    return judging.scores(quality, scales, noise, rng)
