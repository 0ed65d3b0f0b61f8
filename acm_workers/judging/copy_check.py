"""Scores that one model took from another's prose: only what stands there is kept."""

import json
import re

from acm_workers.judging import answer_schema, faults, json_text
from acm_workers.judging.faults import Fault
from schemas.config.judging import Criterion

_WHOLE_NUMBERS = re.compile(r"(?<![\d.,])\d{1,9}(?![\d]|[.,]\d)")


def kept(prose: str, copy: str, criteria: tuple[Criterion, ...]) -> str | Fault:
    """Return the copy without scores that ``prose`` does not hold.

    Neither those that the copy itself marks as not given, nor numbers that do not stand in the
    prose: a model that must fill in every field may invent one.
    """
    found = json_text.read(copy)
    if isinstance(found, Fault):
        return found
    numbers = {int(number) for number in _WHOLE_NUMBERS.findall(prose)}
    fields = answer_schema.by_slug(criteria)
    left = {
        key: value
        for key, value in found.items()
        if key not in fields or not _is_invented(value, fields[key], numbers)
    }
    if not left:
        return faults.missing_criterion([criterion.name for criterion in criteria])
    return json.dumps(left, ensure_ascii=False)


def as_it_is(prose: str, copy: str) -> str:
    """Return the copy: a verdict says by itself when it is none."""
    return copy


def _is_invented(value: object, criterion: Criterion, numbers: set[int]) -> bool:
    score = value.get("score") if isinstance(value, dict) else None
    if not isinstance(score, int) or isinstance(score, bool):
        return False
    return score == answer_schema.not_given(criterion) or abs(score) not in numbers
