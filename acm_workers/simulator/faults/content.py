"""Faults C1 to C20: complete answers with faulty content."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from acm_workers.simulator.faults.fault import (
    AppliesTo,
    FaultDefinition,
    FaultyRequest,
    changed_reply,
    with_text,
)
from acm_workers.simulator.messages import ModelReply, ModelRequest, ReplyKind

_REFUSAL: Final = "I'm sorry, but I cannot help with evaluating this content."
_FEW_WORDS: Final = 20


_JUDGED: Final[tuple[ReplyKind, ...]] = ("scores", "verdict")
_NEEDS: Final[Mapping[tuple[ReplyKind, ...], str]] = {
    ("scores",): "scores as JSON",
    ("verdict",): "a verdict as JSON",
    _JUDGED: "scores or a verdict as JSON",
    (*_JUDGED, "object"): "an answer as JSON",
    ("document",): "a document",
}
_JSON: Final[tuple[ReplyKind, ...]] = (*_JUDGED, "object")
Judgement = Mapping[str, Any]
_FAR_ABOVE: Final = 9999
_FOREIGN: Final = {
    # UTF-8 read as Latin-1, the usual accident.
    "mojibake": "Très précis, à peine à améliorer".encode().decode("latin-1"),
    "language": "Sehr genau, kaum zu verbessern.",
}
_SIDES: Final = {"A": "B", "B": "A", "tie": "A"}


def _fenced(case: FaultyRequest) -> ModelReply:
    return with_text(case, f"```json\n{case.reply.text}\n```")


def _wrapped(case: FaultyRequest) -> ModelReply:
    text = f"Here is my answer:\n\n{case.reply.text}\n\nLet me know if you need anything else."
    return with_text(case, text)


def _twice(case: FaultyRequest) -> ModelReply:
    second = case.reply.text
    if case.variant == "different":
        second = json.dumps(other(case.reply.value or {}))
    return with_text(case, f"{case.reply.text}\n\n{second}")


def _malformed(case: FaultyRequest) -> ModelReply:
    text = case.reply.text
    broken = {
        "comma": text[:-1] + ",}",
        "quotes": str(case.reply.value),
        "nan": json.dumps(with_number(case.reply.value or {}, float("nan"))),
        "comment": text[:-1] + "  // that is all\n}",
    }
    return with_text(case, broken[case.variant])


def _torn(case: FaultyRequest) -> ModelReply:
    return with_text(case, case.reply.text[: len(case.reply.text) * 4 // 5])


def _schema_echoed(case: FaultyRequest) -> ModelReply:
    schema = case.request.schema or {"type": "object", "properties": {"score": {"type": "integer"}}}
    echoed = {"schema": schema, "other": {"result": "ok", "rating": "good"}}
    return with_text(case, json.dumps(echoed[case.variant]))


def _ungrounded(case: FaultyRequest) -> ModelReply:
    return case.reply._replace(search=None)


def _without_thinking(case: FaultyRequest) -> ModelReply:
    return case.reply._replace(reasoning_tokens=0, thoughts="")


def _refused(case: FaultyRequest) -> ModelReply:
    text = json.dumps({"error": _REFUSAL}) if case.variant == "json" else _REFUSAL
    return with_text(case, text)


def _copied(case: FaultyRequest) -> ModelReply:
    copied = json.dumps(top(case.reply.value or {}))
    text = f"The candidate says of itself: {copied}\n\nMy own answer: {case.reply.text}"
    return with_text(case, text)


def _shortened(case: FaultyRequest) -> ModelReply:
    text = case.reply.text
    if case.variant == "short":
        return with_text(case, " ".join(text.split()[:_FEW_WORDS]) + ".")
    return with_text(case, text[: len(text) * 2 // 3].rstrip(" .!?:\n"))


def _altered(
    change: Callable[[Judgement, str], Judgement | str],
) -> Callable[[FaultyRequest], ModelReply]:
    def reply(case: FaultyRequest) -> ModelReply:
        made = change(case.reply.value or {}, case.variant)
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        return with_text(case, text)

    return reply


def _is(*kinds: ReplyKind) -> AppliesTo:
    def meets(_: ModelRequest, reply: ModelReply) -> bool:
        return reply.kind in kinds

    return meets


def _searched(_: ModelRequest, reply: ModelReply) -> bool:
    return reply.search is not None


def _thought(_: ModelRequest, reply: ModelReply) -> bool:
    return reply.reasoning_tokens > 0


def _content_fault(
    kinds: tuple[ReplyKind, ...],
    number: str,
    title: str,
    change: Callable[[FaultyRequest], ModelReply],
    variants: tuple[str, ...] = (),
) -> FaultDefinition:
    return FaultDefinition(
        number,
        title,
        changed_reply(change),
        meets=_is(*kinds),
        needs=_NEEDS[kinds],
        variants=variants,
        late=True,
    )


def other(value: Judgement) -> Judgement:
    """Return another judgement of the same shape."""
    if "winner" in value:
        return {**value, "winner": _SIDES[value["winner"]]}
    name = next(iter(value))
    score = value[name]["score"]
    return {**value, name: {**value[name], "score": score - 1 if score > 1 else score + 1}}


def top(value: Judgement) -> Judgement:
    """Return the judgement that a text would give itself."""
    if "winner" in value:
        return {"reasoning": "It is perfect.", "winner": "A", "confidence": 1.0}
    return {name: {"reason": "Perfect.", "score": 10} for name in value}


def with_number(value: Judgement, number: float) -> Judgement:
    """Return the judgement with its first number replaced."""
    if "winner" in value:
        return {**value, "confidence": number}
    return _scored(value, number)


def missing(value: Judgement, _: str) -> Judgement:
    """Return the scores without the last criterion."""
    return {name: value[name] for name in list(value)[:-1]}


def renamed(value: Judgement, variant: str) -> Judgement:
    """Return the scores with one more criterion, or with one under another name."""
    if variant == "extra":
        return {**value, "overall_impression": next(iter(value.values()))}
    first = next(iter(value))
    # The second spelling is the same name to a reader that knows of case and spaces.
    new = f"{first}_of_the_text" if variant == "renamed" else f"{first.replace('_', ' ').title()} "
    return {new if name == first else name: cell for name, cell in value.items()}


def doubled(value: Judgement, variant: str) -> str:
    """Return the scores as JSON in which one criterion occurs twice."""
    first = next(iter(value))
    again = value[first] if variant == "equal" else other(value)[first]
    if variant == "array":
        rows = [{"criterion": name, **cell} for name, cell in value.items()]
        return json.dumps({"scores": [*rows, {"criterion": first, **again}]})
    return f"{json.dumps(value)[:-1]}, {json.dumps(first)}: {json.dumps(again)}}}"


def odd_score(value: Judgement, variant: str) -> Judgement:
    """Return the scores with one that is off its scale or not a number."""
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


def odd_winner(value: Judgement, variant: str) -> Judgement:
    """Return the verdict with a name of the winner that is not allowed."""
    side = value["winner"] if value["winner"] != "tie" else "A"
    odd = {
        "both": "both",
        "name": "the first document",
        "alias": f"Doc {side}",
        "small": side.lower(),
    }
    return {**value, "winner": odd[variant]}


def contradicted(value: Judgement, _: str) -> Judgement:
    """Return the verdict with reasoning that favours the other side."""
    return {**value, "reasoning": f"Text {_SIDES[value['winner']]} is clearly the better one."}


def unreasoned(value: Judgement, _: str) -> Judgement:
    """Return the judgement without any reasons."""
    return _reasoned(value, "")


def odd_confidence(value: Judgement, variant: str) -> Judgement:
    """Return the verdict with a confidence that is not between 0 and 1."""
    return {**value, "confidence": {"percent": 85, "word": "high"}[variant]}


def foreign(value: Judgement, variant: str) -> Judgement:
    """Return the judgement with reasons that are garbled or in another language."""
    return _reasoned(value, _FOREIGN[variant])


def _reasoned(value: Judgement, reason: str) -> Judgement:
    if "winner" in value:
        return {**value, "reasoning": reason}
    return {name: {**cell, "reason": reason} for name, cell in value.items()}


def _scored(value: Judgement, score: Any) -> Judgement:
    first = next(iter(value))
    return {**value, first: {**value[first], "score": score}}


FAULTS: Final = (
    _content_fault(_JSON, "C1", "JSON in a code fence", _fenced),
    _content_fault(_JSON, "C2", "prose around JSON", _wrapped),
    _content_fault(_JUDGED, "C3", "two JSON objects", _twice, ("different", "equal")),
    _content_fault(
        _JUDGED,
        "C4",
        "nearly valid JSON",
        _malformed,
        ("comma", "quotes", "nan", "comment"),
    ),
    _content_fault(_JSON, "C5", "truncated JSON, although the model stopped by itself", _torn),
    _content_fault(("scores",), "C6", "a criterion is missing", _altered(missing)),
    _content_fault(
        ("scores",),
        "C7",
        "an additional criterion, or one with another name",
        _altered(renamed),
        ("extra", "renamed", "spelled"),
    ),
    _content_fault(
        ("scores",),
        "C8",
        "a criterion twice",
        _altered(doubled),
        ("different", "equal", "array"),
    ),
    _content_fault(
        ("scores",),
        "C9",
        "an invalid score",
        _altered(odd_score),
        ("above", "below", "fraction", "text", "null", "bool"),
    ),
    _content_fault(
        ("verdict",),
        "C10",
        "a winner other than left, right or tie",
        _altered(odd_winner),
        ("both", "name", "alias", "small"),
    ),
    _content_fault(
        ("verdict",),
        "C11",
        "the winner contradicts the reasoning",
        _altered(contradicted),
    ),
    _content_fault(_JUDGED, "C12", "an empty reason", _altered(unreasoned)),
    _content_fault(
        ("verdict",),
        "C13",
        "an invalid confidence",
        _altered(odd_confidence),
        ("percent", "word"),
    ),
    _content_fault(_JSON, "C14", "JSON of another shape", _schema_echoed, ("schema", "other")),
    FaultDefinition(
        "C15",
        "no search, although it was offered",
        changed_reply(_ungrounded),
        meets=_searched,
        needs="web search",
        late=True,
    ),
    FaultDefinition(
        "C16",
        "no thinking, although it was requested",
        changed_reply(_without_thinking),
        meets=_thought,
        needs="thinking",
        late=True,
    ),
    FaultDefinition(
        "C17", "a refusal as text", changed_reply(_refused), variants=("plain", "json"), late=True
    ),
    _content_fault(_JUDGED, "C18", "a verdict copied from the document", _copied),
    _content_fault(
        _JUDGED,
        "C19",
        "broken characters, or another language",
        _altered(foreign),
        ("mojibake", "language"),
    ),
    _content_fault(
        ("document",),
        "C20",
        "a document that is too short, or ends in mid-sentence",
        _shortened,
        ("short", "cut"),
    ),
)
