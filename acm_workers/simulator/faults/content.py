"""C: answers that are whole on the wire and wrong in what they say."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from acm_workers.simulator.asked import Asked, Kind, Reply
from acm_workers.simulator.faults import judgements
from acm_workers.simulator.faults.fault import Case, Fault, Meets, retold, said
from acm_workers.simulator.faults.judgements import Value

_REFUSAL: Final = "I'm sorry, but I cannot help with evaluating this content."
_FEW_WORDS: Final = 20


def _fenced(case: Case) -> Reply:
    return said(case, f"```json\n{case.reply.text}\n```")


def _wrapped(case: Case) -> Reply:
    text = f"Here is my answer:\n\n{case.reply.text}\n\nLet me know if you need anything else."
    return said(case, text)


def _twice(case: Case) -> Reply:
    second = case.reply.text
    if case.variant == "different":
        second = json.dumps(judgements.other(case.reply.value or {}))
    return said(case, f"{case.reply.text}\n\n{second}")


def _malformed(case: Case) -> Reply:
    text = case.reply.text
    broken = {
        "comma": text[:-1] + ",}",
        "quotes": str(case.reply.value),
        "nan": json.dumps(judgements.with_number(case.reply.value or {}, float("nan"))),
        "comment": text[:-1] + "  // that is all\n}",
    }
    return said(case, broken[case.variant])


def _torn(case: Case) -> Reply:
    return said(case, case.reply.text[: len(case.reply.text) * 4 // 5])


def _schema_echoed(case: Case) -> Reply:
    schema = case.asked.schema or {"type": "object", "properties": {"score": {"type": "integer"}}}
    echoed = {"schema": schema, "other": {"result": "ok", "rating": "good"}}
    return said(case, json.dumps(echoed[case.variant]))


def _ungrounded(case: Case) -> Reply:
    return case.reply._replace(search=None)


def _unreasoned(case: Case) -> Reply:
    return case.reply._replace(reasoning_tokens=0, thoughts="")


def _refused(case: Case) -> Reply:
    text = json.dumps({"error": _REFUSAL}) if case.variant == "json" else _REFUSAL
    return said(case, text)


def _copied(case: Case) -> Reply:
    copied = json.dumps(judgements.top(case.reply.value or {}))
    text = f"The candidate says of itself: {copied}\n\nMy own answer: {case.reply.text}"
    return said(case, text)


def _shortened(case: Case) -> Reply:
    text = case.reply.text
    if case.variant == "short":
        return said(case, " ".join(text.split()[:_FEW_WORDS]) + ".")
    return said(case, text[: len(text) * 2 // 3].rstrip(" .!?:\n"))


def _changed(change: Callable[[Value, str], Value | str]) -> Callable[[Case], Reply]:
    def reply(case: Case) -> Reply:
        made = change(case.reply.value or {}, case.variant)
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        return said(case, text)

    return reply


def _is(*kinds: Kind) -> Meets:
    def meets(_: Asked, reply: Reply) -> bool:
        return reply.kind in kinds

    return meets


def _searched(_: Asked, reply: Reply) -> bool:
    return reply.search is not None


def _thought(_: Asked, reply: Reply) -> bool:
    return reply.reasoning_tokens > 0


_JUDGED: Final[tuple[Kind, ...]] = ("scores", "verdict")
_NEEDS: Final[Mapping[tuple[Kind, ...], str]] = {
    ("scores",): "scores as JSON",
    ("verdict",): "a verdict as JSON",
    _JUDGED: "scores or a verdict as JSON",
    (*_JUDGED, "object"): "an answer as JSON",
    ("document",): "a document",
}


def _of(
    kinds: tuple[Kind, ...],
    number: str,
    title: str,
    change: Callable[[Case], Reply],
    variants: tuple[str, ...] = (),
) -> Fault:
    return Fault(
        number,
        title,
        retold(change),
        meets=_is(*kinds),
        needs=_NEEDS[kinds],
        variants=variants,
        late=True,
    )


_JSON: Final[tuple[Kind, ...]] = (*_JUDGED, "object")

FAULTS: Final = (
    _of(_JSON, "C1", "JSON in a code fence", _fenced),
    _of(_JSON, "C2", "prose around JSON", _wrapped),
    _of(_JUDGED, "C3", "two JSON objects", _twice, ("different", "equal")),
    _of(
        _JUDGED,
        "C4",
        "not quite JSON",
        _malformed,
        ("comma", "quotes", "nan", "comment"),
    ),
    _of(_JSON, "C5", "JSON that is cut off, though the model stopped by itself", _torn),
    _of(("scores",), "C6", "a criterion is missing", _changed(judgements.missing)),
    _of(
        ("scores",),
        "C7",
        "a criterion too many, or under another name",
        _changed(judgements.renamed),
        ("extra", "renamed", "spelled"),
    ),
    _of(
        ("scores",),
        "C8",
        "a criterion twice",
        _changed(judgements.doubled),
        ("different", "equal", "array"),
    ),
    _of(
        ("scores",),
        "C9",
        "a score that is none",
        _changed(judgements.odd_score),
        ("above", "below", "fraction", "text", "null", "bool"),
    ),
    _of(
        ("verdict",),
        "C10",
        "a winner that is none of the two",
        _changed(judgements.odd_winner),
        ("both", "name", "alias", "small"),
    ),
    _of(
        ("verdict",),
        "C11",
        "the winner contradicts the reasoning",
        _changed(judgements.contradicted),
    ),
    _of(_JUDGED, "C12", "an empty reason", _changed(judgements.unreasoned)),
    _of(
        ("verdict",),
        "C13",
        "a confidence that is none",
        _changed(judgements.odd_confidence),
        ("percent", "word"),
    ),
    _of(_JSON, "C14", "JSON of another shape", _schema_echoed, ("schema", "other")),
    Fault(
        "C15",
        "no search, though it was offered",
        retold(_ungrounded),
        meets=_searched,
        needs="web search",
        late=True,
    ),
    Fault(
        "C16",
        "no thinking, though it was asked for",
        retold(_unreasoned),
        meets=_thought,
        needs="thinking",
        late=True,
    ),
    Fault("C17", "a refusal in words", retold(_refused), variants=("plain", "json"), late=True),
    _of(_JUDGED, "C18", "a verdict copied from the document", _copied),
    _of(
        _JUDGED,
        "C19",
        "broken characters, or another language",
        _changed(judgements.foreign),
        ("mojibake", "language"),
    ),
    _of(
        ("document",),
        "C20",
        "a document that is too short, or ends in mid-sentence",
        _shortened,
        ("short", "cut"),
    ),
)
