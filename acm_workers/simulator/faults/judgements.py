"""Scores and verdicts with something wrong in them.

Scores are ``{criterion: {"reason", "score"}}``; verdicts have ``reasoning``, ``winner`` and
``confidence``.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

Value = Mapping[str, Any]

_FAR_ABOVE: Final = 9999
_FOREIGN: Final = {
    # UTF-8 read as Latin-1, the usual accident.
    "mojibake": "Très précis, à peine à améliorer".encode().decode("latin-1"),
    "language": "Sehr genau, kaum zu verbessern.",
}
_SIDES: Final = {"A": "B", "B": "A", "tie": "A"}


def other(value: Value) -> Value:
    """Return another judgement of the same shape."""
    if "winner" in value:
        return {**value, "winner": _SIDES[value["winner"]]}
    name = next(iter(value))
    score = value[name]["score"]
    return {**value, name: {**value[name], "score": score - 1 if score > 1 else score + 1}}


def top(value: Value) -> Value:
    """Return the judgement that a text would give itself."""
    if "winner" in value:
        return {"reasoning": "It is perfect.", "winner": "A", "confidence": 1.0}
    return {name: {"reason": "Perfect.", "score": 10} for name in value}


def with_number(value: Value, number: float) -> Value:
    """Return the judgement with its first number replaced."""
    if "winner" in value:
        return {**value, "confidence": number}
    return _scored(value, number)


def missing(value: Value, _: str) -> Value:
    """Return the scores without the last criterion."""
    return {name: value[name] for name in list(value)[:-1]}


def renamed(value: Value, variant: str) -> Value:
    """Return the scores with one more criterion, or with one under another name."""
    if variant == "extra":
        return {**value, "overall_impression": next(iter(value.values()))}
    first = next(iter(value))
    # The second spelling is the same name to a reader that knows of case and spaces.
    new = f"{first}_of_the_text" if variant == "renamed" else f"{first.replace('_', ' ').title()} "
    return {new if name == first else name: cell for name, cell in value.items()}


def doubled(value: Value, variant: str) -> str:
    """Return the scores as JSON that says one criterion twice."""
    first = next(iter(value))
    again = value[first] if variant == "equal" else other(value)[first]
    if variant == "array":
        rows = [{"criterion": name, **cell} for name, cell in value.items()]
        return json.dumps({"scores": [*rows, {"criterion": first, **again}]})
    return f"{json.dumps(value)[:-1]}, {json.dumps(first)}: {json.dumps(again)}}}"


def odd_score(value: Value, variant: str) -> Value:
    """Return the scores with one that is off its scale or no number."""
    score = next(iter(value.values()))["score"]
    odd = {
        "above": _FAR_ABOVE,
        "below": -_FAR_ABOVE,
        "fraction": score + 0.5,
        "text": str(score),
        "null": None,
        "bool": True,
    }
    return _scored(value, odd[variant])


def odd_winner(value: Value, variant: str) -> Value:
    """Return the verdict with a winner that is not called as asked."""
    side = value["winner"] if value["winner"] != "tie" else "A"
    odd = {
        "both": "both",
        "name": "the first document",
        "alias": f"Doc {side}",
        "small": side.lower(),
    }
    return {**value, "winner": odd[variant]}


def contradicted(value: Value, _: str) -> Value:
    """Return the verdict with a reasoning that speaks for the other side."""
    return {**value, "reasoning": f"Text {_SIDES[value['winner']]} is clearly the better one."}


def unreasoned(value: Value, _: str) -> Value:
    """Return the judgement without a word of reason."""
    return _reasoned(value, "")


def odd_confidence(value: Value, variant: str) -> Value:
    """Return the verdict with a confidence that is not between 0 and 1."""
    return {**value, "confidence": {"percent": 85, "word": "high"}[variant]}


def foreign(value: Value, variant: str) -> Value:
    """Return the judgement with reasons that are garbled or in another language."""
    return _reasoned(value, _FOREIGN[variant])


def _reasoned(value: Value, reason: str) -> Value:
    if "winner" in value:
        return {**value, "reasoning": reason}
    return {name: {**cell, "reason": reason} for name, cell in value.items()}


def _scored(value: Value, score: Any) -> Value:
    first = next(iter(value))
    return {**value, first: {**value[first], "score": score}}
