"""Finds the JSON object in what a model answered."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from acm_workers.judging import faults
from acm_workers.judging.faults import Fault
from acm_workers.providers.http.answers import storable

_THOUGHTS = re.compile(r"\s*<think(ing)?>.*?(</think(ing)?>|\Z)", re.DOTALL)
_END_OF_THOUGHTS = re.compile(r"</think(?:ing)?>")
_MARKS = re.compile(r'[{}"\\]')


def read(answer: str, material: Sequence[str] = ()) -> dict[str, Any] | Fault:
    """Return the one JSON object of the answer, wherever it stands.

    Thoughts before it, a code fence and words around it do not matter. The same object twice is
    taken; two different ones are refused, for which is meant would be a guess. Objects that are
    empty or no JSON are passed over if another one is found.

    Args:
        answer: As the model wrote it.
        material: Texts that the model was given; an object that stands in one of them is a quote.
    """
    text = without_thoughts(answer)
    if not text.strip():
        return faults.EMPTY
    found: dict[str, Any] | None = None
    problem = faults.NO_JSON
    for span in _spans(text):
        value = faults.TRUNCATED if span is None else _parsed(span)
        if isinstance(value, Fault):
            problem = value
        elif value and _stands_in(span or "", material):
            problem = faults.COPIED
        elif value and found is not None and not same(found, value):
            problem = faults.AMBIGUOUS
        elif value:
            found = value
        if problem == faults.AMBIGUOUS:
            return problem
    return problem if found is None else found


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON: unlike for Python, true is not 1."""
    try:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except RecursionError:
        return False


def without_thoughts(answer: str) -> str:
    """Return the answer without the thoughts that some servers leave before it."""
    thoughts = _THOUGHTS.match(answer)
    if thoughts:
        return answer[thoughts.end() :]
    if answer.lstrip().startswith("{"):
        return answer
    # Some servers leave out the opening mark, for it belongs to the prompt there.
    return _END_OF_THOUGHTS.split(answer)[-1]


def _spans(text: str) -> Iterator[str | None]:
    """Yield every outermost pair of braces, and None for one that is never closed.

    One pass, whatever the text: braces inside JSON strings do not count.
    """
    depth, start, quoted, skip = 0, 0, False, -1
    for mark in _MARKS.finditer(text):
        sign, place = mark.group(), mark.start()
        if place == skip or not (depth or sign == "{"):
            continue
        if sign == "\\":
            skip = place + 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted:
            start = place if depth == 0 else start
            depth += 1 if sign == "{" else -1
            if depth == 0:
                yield text[start : place + 1]
    if depth:
        yield None


def _stands_in(span: str, material: Sequence[str]) -> bool:
    """Return whether ``span`` is copied from a text, however its blanks were changed."""
    given = [text for text in material if "{" in text]
    if not given:
        return False
    bare = "".join(span.split())
    return any(bare in "".join(text.split()) for text in given)


class _SaidTwiceError(ValueError):
    """A key has two different values."""


def _parsed(span: str) -> dict[str, Any] | Fault:
    try:
        value = _DECODER.decode(span)
    except _SaidTwiceError:
        return faults.AMBIGUOUS
    except (ValueError, RecursionError):
        return faults.MALFORMED
    return value if isinstance(value, dict) else faults.MALFORMED


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for name, said in pairs:
        # What the model wrote as \u0000 or \ud800 becomes a character only here.
        key, value = storable(name), storable(said) if isinstance(said, str) else said
        if key in held and not same(held[key], value):
            raise _SaidTwiceError(key)
        held[key] = value
    return held


# Not strict: line breaks inside strings are common and leave no doubt.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)
