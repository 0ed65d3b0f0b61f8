"""A judge's answer in prose, and how a model reads it back to write it as JSON."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_SCORE: Final = r"^\W*{}(?!\w)\W*([^\n]*?)\s*\bscore:?\s*(-?\d+)"
_WINNER: Final = re.compile(r"\bcandidate ([AB]) is the better\b", re.IGNORECASE)
_TIE: Final = re.compile(r"\bneither candidate is (?:the )?better\b", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\bconfidence\b\D{1,20}([01](?:\.\d+)?)", re.IGNORECASE)


def scores(judged: Mapping[str, Mapping[str, Any]]) -> str:
    """Write scores (reason and score by criterion) as prose."""
    lines = [
        f"{_words(name)}: {cell['reason']} Score: {cell['score']}." for name, cell in judged.items()
    ]
    return "\n\n".join(("I checked the candidate against what can be found about it.", *lines))


def verdict(judged: Mapping[str, Any]) -> str:
    """Write a verdict as prose."""
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
    text: str, scales: Mapping[str, Sequence[int]], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the scores that a prose text gives, by the keys of ``scales``.

    Args:
        names: What the criteria are called, where that is more than their key.
    """
    read: dict[str, Any] = {}
    for key, scale in scales.items():
        name = re.escape(names.get(key) or _words(key)).replace(r"\ ", r"[\s_-]+")
        found = re.search(_SCORE.format(name), text, re.IGNORECASE | re.MULTILINE)
        if found is not None and int(found[2]) in scale:
            read[key] = {"reason": found[1].strip() or "As assessed.", "score": int(found[2])}
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
