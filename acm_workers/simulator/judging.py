"""Scores and verdicts of a simulated judge, as JSON or in prose."""

import math
import re
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from acm_workers.simulator import prompt
from acm_workers.simulator.messages import ModelRequest
from acm_workers.simulator.prompt import ParsedPrompt
from acm_workers.simulator.quality import read_or_guess_quality
from acm_workers.simulator.settings import SimulatorSettings

_CANDIDATES: Final = ("CANDIDATE", "CANDIDATE A", "CANDIDATE B")


_TIE_BELOW: Final = 0.01
_REASONS: Final = (
    ("Weak on {}: much is missing or left vague.", "There are serious gaps in {}."),
    ("Mixed on {}: sound in parts, thin in others.", "For {} the text does what it must."),
    ("Good on {}: only small points are open.", "The text is convincing in its {}."),
    ("Excellent on {}: nothing of weight is missing.", "Hardly anything to add about {}."),
)
_PREFERS: Final = (
    "Text {} covers the source more fully and is easier to follow.",
    "Text {} keeps closer to what was asked and is better ordered.",
    "Both are usable, but text {} is the more careful of the two.",
)
_EVEN: Final = "Neither text is better by a margin worth naming."
_SCORE: Final = r"^\W*{}(?!\w)\W*([^\n]*?)\s*\bscore:?\s*(-?\d+(?:\.\d+)?)"
_IN_SUM: Final = re.compile(r"^In sum: ([^\n]*?) My confidence is (0\.\d+)\.", re.MULTILINE)
_WINNER: Final = re.compile(r"\bcandidate ([AB]) is the better\b", re.IGNORECASE)
_TIE: Final = re.compile(r"\bneither candidate is (?:the )?better\b", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\bconfidence\b\D{1,20}([01](?:\.\d+)?)", re.IGNORECASE)


class JudgeNoise(NamedTuple):
    """The errors of a simulated judge.

    Attributes:
        deviation: Standard deviation of the quality it sees.
        position_bias: Added to the quality of the text that is shown first.
    """

    deviation: float
    position_bias: float


def judgement(
    request: ModelRequest, parsed: ParsedPrompt, settings: SimulatorSettings, rng: Random
) -> dict[str, Any] | None:
    """Return scores or a verdict, if the schema or, without one, the frame asks for them.

    If the request contains a judgement in prose, for example a first answer to convert to JSON,
    that judgement is copied.
    """
    noise = JudgeNoise(settings.judge_noise, settings.position_bias)
    to_judge = request.schema is not None or _has_candidates(parsed)
    scales = _requested_scales(request, parsed)
    if scales:
        given = _scores_in_text(request, parsed, scales)
        return given or (_judged_scores(parsed, scales, noise, rng) if to_judge else None)
    if _asks_for_verdict(request, parsed):
        given = _verdict_in_text(request, parsed)
        return given or (_judged_verdict(parsed, noise, rng) if to_judge else None)
    return None


def asks_for_prose(request: ModelRequest, parsed: ParsedPrompt) -> bool:
    """Return whether the judgement is written in prose: no schema or prompt asks for JSON."""
    return request.schema is None and not prompt.wants_json(parsed.frame)


def in_words(
    judgement: Mapping[str, Any], remarks: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """Return scores with remarks, or a verdict, as prose."""
    if "winner" in judgement:
        return verdict_as_prose(judgement)
    if not remarks:
        return scores_as_prose(judgement)
    said = f"In sum: {remarks['summary']} My confidence is {remarks['confidence']}."
    return f"{scores_as_prose(judgement)}\n\n{said}"


def remarks(
    request: ModelRequest, parsed: ParsedPrompt, judgement: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a judge's remarks on the whole text, if they are requested.

    If the request contains a judgement in prose, the remarks of that judgement are copied.
    """
    if "winner" in judgement:
        return {}
    if request.schema is not None:
        asked = prompt.schema_properties(request.schema).keys() >= prompt.REMARKS
    else:
        asked = '- "summary":' in parsed.frame or '"In sum:"' in parsed.frame
    if not asked:
        return {}
    for text in _texts_with_judgement(request, parsed):
        said = _IN_SUM.search(text)
        if said is not None:
            return {"summary": said[1], "confidence": float(said[2])}
    if _copies(parsed):
        return {"summary": "", "confidence": -1}
    best = max(judgement, key=lambda name: judgement[name]["score"])
    summary = f"What speaks for it most is {best.replace('_', ' ')}."
    return {"summary": summary, "confidence": 0.8}


def _requested_scales(
    request: ModelRequest, parsed: ParsedPrompt
) -> Mapping[str, Sequence[float]] | None:
    """Return the scores to choose from by criterion, if scores are requested."""
    if request.schema is not None:
        properties = prompt.schema_properties(request.schema)
        found = {name: node for name, node in properties.items() if name not in prompt.REMARKS}
        if prompt.asks_for_scores(found):
            return scales_of_schema(request.schema, found, parsed.frame)
        return None
    if "CANDIDATE A" in parsed.blocks or not (
        "CANDIDATE" in parsed.blocks or "JSON" in parsed.frame
    ):
        return None
    return prompt.prompt_scales(parsed.frame)


def _asks_for_verdict(request: ModelRequest, parsed: ParsedPrompt) -> bool:
    if request.schema is not None:
        return "winner" in prompt.schema_properties(request.schema)
    if '"winner"' in parsed.frame:
        return True
    return "CANDIDATE A" in parsed.blocks and bool(prompt.prompt_scales(parsed.frame))


def _has_candidates(parsed: ParsedPrompt) -> bool:
    return any(name in parsed.blocks for name in _CANDIDATES)


def _texts_with_judgement(request: ModelRequest, parsed: ParsedPrompt) -> list[str]:
    """Return the texts that may contain a judgement in prose.

    The material is never included, because the author of a candidate must not judge it.
    """
    texts = [request.assistant_text, *parsed.others()]
    if not _has_candidates(parsed):
        texts.append(parsed.frame)
    return [text for text in texts if text]


def _scores_in_text(
    request: ModelRequest, parsed: ParsedPrompt, scales: Mapping[str, Sequence[float]]
) -> dict[str, Any] | None:
    spoken = _texts_with_judgement(request, parsed)
    if not spoken:
        return None
    names, most = prompt.criterion_names(parsed.frame), dict[str, Any]()
    for text in spoken:
        read = read_scores(text, scales, names)
        most = max(most, read, key=len)
    if len(most) < len(scales) and not _copies(parsed):
        return None
    # What the text does not give is not to be made up: schemas for copies have a number for it
    # below the scale, and prompts name one.
    below = 0 if request.schema is not None else 1
    return {
        key: most.get(key, {"reason": "It is not given.", "score": scale[0] - below})
        for key, scale in scales.items()
    }


def _verdict_in_text(request: ModelRequest, parsed: ParsedPrompt) -> dict[str, Any] | None:
    for text in _texts_with_judgement(request, parsed):
        read = read_verdict(text)
        if read is not None:
            return read
    if not _copies(parsed):
        return None
    return {"reasoning": "It is not given.", "winner": "none", "confidence": -1}


def _copies(parsed: ParsedPrompt) -> bool:
    """Return whether the task is only to convert a judgement to another form."""
    return bool(parsed.others()) and not _has_candidates(parsed)


def _judged_verdict(parsed: ParsedPrompt, noise: JudgeNoise, rng: Random) -> dict[str, Any]:
    first, second = (parsed.blocks.get(f"CANDIDATE {side}", "") for side in "AB")
    return noisy_verdict(read_or_guess_quality(first), read_or_guess_quality(second), noise, rng)


def _judged_scores(
    parsed: ParsedPrompt, scales: Mapping[str, Sequence[float]], noise: JudgeNoise, rng: Random
) -> dict[str, Any]:
    quality = read_or_guess_quality(parsed.first("CANDIDATE", "CANDIDATE A") or "")
    return noisy_scores(quality, scales, noise, rng)


def noisy_scores(
    quality: float, scales: Mapping[str, Sequence[float]], noise: JudgeNoise, rng: Random
) -> dict[str, dict[str, Any]]:
    """Return random scores of a text of ``quality``; ``scales`` has ascending scores by slug."""
    seen = quality + rng.gauss(0.0, noise.deviation)
    return {
        name: _criterion_score(name, seen + rng.gauss(0.0, noise.deviation / 3), scale, rng)
        for name, scale in scales.items()
    }


def noisy_verdict(first: float, second: float, noise: JudgeNoise, rng: Random) -> dict[str, Any]:
    """Compare two texts by their qualities; confidence is 0 for a guess and nears 1."""
    gap = first + noise.position_bias - second + rng.gauss(0.0, noise.deviation)
    winner = "tie" if abs(gap) < _TIE_BELOW else "A" if gap > 0 else "B"
    return {
        "reasoning": _EVEN if winner == "tie" else rng.choice(_PREFERS).format(winner),
        "winner": winner,
        "confidence": round(math.tanh(4 * abs(gap)), 2),
    }


def scales_of_schema(
    request: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]], frame: str
) -> dict[str, Sequence[float]]:
    """Return the scores to choose from by property of the schema ``request``.

    If the schema does not list the scores, they are read from the frame; by default they are 1 to
    10.
    """
    scales = {name: prompt.schema_scale(request, node) for name, node in found.items()}
    if all(scales.values()):
        return {name: scale for name, scale in scales.items() if scale}
    listed = prompt.prompt_scales(frame)
    return {name: scale or listed.get(name) or range(1, 11) for name, scale in scales.items()}


def _criterion_score(name: str, seen: float, scale: Sequence[float], rng: Random) -> dict[str, Any]:
    share = min(1.0, max(0.0, seen))
    reasons = _REASONS[min(3, int(share * 4))]
    return {
        "reason": rng.choice(reasons).format(name.replace("_", " ")),
        "score": scale[round(share * (len(scale) - 1))],
    }


def scores_as_prose(judged: Mapping[str, Mapping[str, Any]]) -> str:
    """Return scores (reason and score by criterion) as prose."""
    lines = [
        f"{_words(name)}: {cell['reason']} Score: {cell['score']}." for name, cell in judged.items()
    ]
    return "\n\n".join(("I checked the candidate against what can be found about it.", *lines))


def verdict_as_prose(judged: Mapping[str, Any]) -> str:
    """Return a verdict as prose."""
    winner = judged["winner"]
    decided = (
        "Neither candidate is better."
        if winner == "tie"
        else f"Candidate {winner} is the better of the two."
    )
    return (
        "I checked both candidates against what can be found about them.\n\n"
        f"{decided} {judged['reasoning']}\n\nMy confidence in this is {judged['confidence']}."
    )


def read_scores(
    text: str, scales: Mapping[str, Sequence[float]], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the scores that a prose text gives, by the keys of ``scales``.

    Args:
        names: Names of the criteria, if they differ from the keys.
    """
    read: dict[str, Any] = {}
    for key, scale in scales.items():
        name = re.escape(names.get(key) or _words(key)).replace(r"\ ", r"[\s_-]+")
        found = re.search(_SCORE.format(name), text, re.IGNORECASE | re.MULTILINE)
        if found is not None and float(found[2]) in scale:
            given = scale[scale.index(float(found[2]))]
            read[key] = {"reason": found[1].strip() or "As assessed.", "score": given}
    return read


def read_verdict(text: str) -> dict[str, Any] | None:
    """Return the verdict that a prose text gives, if it gives one."""
    winner, tie = _WINNER.search(text), _TIE.search(text)
    confidence = _CONFIDENCE.search(text)
    if confidence is None or (winner is None) == (tie is None):
        return None
    start = (winner or tie).end()  # type: ignore[union-attr]  # one of them was found
    reasons = text[start : confidence.start()].partition(".")[2].split("\n\n")[0]
    return {
        "reasoning": " ".join(reasons.split()) or "As assessed.",
        "winner": winner[1].upper() if winner else "tie",
        "confidence": float(confidence[1]),
    }


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words[0].upper() + words[1:] if words else words
