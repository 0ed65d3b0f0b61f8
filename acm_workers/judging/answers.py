"""Reads scores and verdicts out of judges' answers; nothing is guessed or moved into range."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from acm_workers.calls import refusals
from acm_workers.judging import answer_schema, faults, json_text
from acm_workers.judging.faults import Fault
from schemas.calls import Flag
from schemas.config.judging import Criterion
from schemas.units import Winner

_SIDES: tuple[Winner, ...] = ("a", "b")
_WORDS = ("", "candidate ", "document ", "doc ", "text ")
_WINNERS: dict[str, Winner] = {f"{word}{side}": side for side in _SIDES for word in _WORDS}
_WINNERS.update({"tie": "tie", "draw": "tie"})
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")
_GARBLED = re.compile("\ufffd|\u00c3[\u0080-\u00bf]|\u00e2\u20ac")
"""What is left of letters that were read in the wrong encoding."""


class Scores(NamedTuple):
    """Scores and reasons by criterion name; ``filled`` names those the judge did not give."""

    scores: dict[str, float]
    reasons: dict[str, str]
    filled: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


class Opinion(NamedTuple):
    """Which of two candidates is better, how sure the judge is, and why."""

    winner: Winner
    confidence: float
    reason: str
    flags: tuple[Flag, ...] = ()


def scores(
    answer: str,
    criteria: Sequence[Criterion],
    missing_score: float | None = None,
    material: Sequence[str] = (),
) -> Scores | Fault:
    """Return the scores that the answer gives, or what is wrong with it.

    Args:
        answer: As the model wrote it.
        criteria: Each must be scored, on its scale.
        missing_score: Given to criteria that are not scored; an error where absent.
        material: Texts that the model was given; what stands in them is no answer of its own.
    """
    found = json_text.read(answer, material)
    if isinstance(found, Fault):
        return found
    fields = answer_schema.by_slug(tuple(criteria))
    given = _keyed(found, fields)
    if isinstance(given, Fault):
        return given
    missing = [criterion.name for key, criterion in fields.items() if key not in given]
    if missing and (missing_score is None or not given):
        return faults.missing_criterion(missing)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for key, criterion in fields.items():
        if key not in given:
            values[criterion.name] = float(missing_score or 0)
            continue
        cell = _cell(given[key], criterion)
        if isinstance(cell, Fault):
            return cell
        values[criterion.name], reasons[criterion.name] = cell
    if all(refusals.declines(reason) for reason in reasons.values()):
        return faults.REFUSED
    return Scores(values, reasons, tuple(missing), _flags(reasons.values()))


def verdict(answer: str, material: Sequence[str] = ()) -> Opinion | Fault:
    """Return the verdict that the answer gives, or what is wrong with it; see ``scores``."""
    found = json_text.read(answer, material)
    if isinstance(found, Fault):
        return found
    fields = _plain(found, ("reasoning", "winner", "confidence"), "the answer")
    if isinstance(fields, Fault):
        return fields
    reason, winner, confidence = fields["reasoning"], fields["winner"], fields["confidence"]
    if not isinstance(reason, str):
        return faults.wrong_shape('"reasoning"', "a text")
    if not isinstance(winner, str) or winner.strip().lower() not in _WINNERS:
        return faults.WINNER_UNKNOWN
    if not _is_number(confidence):
        return faults.CONFIDENCE_NOT_A_NUMBER
    if not 0 <= confidence <= 1:
        return faults.CONFIDENCE_OUT_OF_RANGE
    if refusals.declines(reason):
        return faults.REFUSED
    side = _WINNERS[winner.strip().lower()]
    return Opinion(side, float(confidence), reason.strip(), _flags([reason]))


def _keyed(found: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any] | Fault:
    """Return the answer's values by our keys, whatever case and spaces it wrote them with."""
    given: dict[str, Any] = {}
    unknown: list[str] = []
    for name, value in found.items():
        key = name if name in fields else answer_schema.slug(name)
        if key not in fields:
            unknown.append(name)
        elif key in given and not json_text.same(given[key], value):
            return faults.AMBIGUOUS
        given[key] = value
    if not unknown:
        return given
    is_schema = found.get("type") == "object" or isinstance(found.get("properties"), dict)
    return faults.SCHEMA_ECHOED if is_schema else faults.unknown_field(unknown)


def _plain(found: Mapping[str, Any], wanted: Sequence[str], where: str) -> dict[str, Any] | Fault:
    """Return the values of exactly the keys ``wanted``."""
    given = _keyed(found, wanted)
    if isinstance(given, Fault):
        return given
    absent = sorted(set(wanted) - given.keys())
    return faults.missing_field(absent[0], where) if absent else given


def _cell(value: Any, criterion: Criterion) -> tuple[float, str] | Fault:
    """Return score and reason for one criterion."""
    if not isinstance(value, dict):
        return faults.wrong_shape(criterion.name, 'an object with "reason" and "score"')
    fields = _plain(value, ("reason", "score"), criterion.name)
    if isinstance(fields, Fault):
        return fields
    reason, score = fields["reason"], _number(fields["score"])
    if not isinstance(reason, str):
        return faults.wrong_shape(f'"reason" for {criterion.name}', "a text")
    if not _is_number(score):
        return faults.score_not_a_number(criterion, score)
    if not criterion.min <= score <= criterion.max:
        return faults.score_out_of_range(criterion)
    if score not in criterion.scale:
        return faults.score_off_step(criterion)
    return float(score), reason


def _number(score: Any) -> Any:
    """Return a whole number that was put into quotation marks without them; else ``score``."""
    if isinstance(score, str) and _WHOLE_NUMBER.fullmatch(score.strip()):
        return int(score)
    return score


def _flags(reasons: Iterable[str]) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    texts = list(reasons)
    if not all(text.strip() for text in texts):
        flags.append("empty_reason")
    if any(_GARBLED.search(text) for text in texts):
        flags.append("garbled")
    return tuple(flags)


def _is_number(value: Any) -> bool:
    """Return whether it is a finite number; true and false are none."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
