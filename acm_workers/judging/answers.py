"""Reads scores and verdicts from judges' answers; no value is guessed or moved into range.

An answer must contain exactly one JSON object, whose values are checked one by one. If another
model copied prose into JSON, only values that occur in the prose are used.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from acm_workers.calls import refusals, thoughts
from acm_workers.judging import answer_schema, problems
from acm_workers.judging.problems import AnswerProblem
from acm_workers.providers.http.responses import MAX_JSON_MARKS, is_too_deep, storable
from schemas.calls import Flag
from schemas.config.judging import Criterion
from schemas.units import Winner

_MOST_OBJECTS = 50
"""Maximum number of JSON objects in an answer that are compared; some judges repeat theirs."""

_SIDES: tuple[Winner, ...] = ("a", "b")
_WORDS = ("", "candidate ", "document ", "doc ", "text ")
_WINNERS: dict[str, Winner] = {f"{word}{side}": side for side in _SIDES for word in _WORDS}
_WINNERS.update({"tie": "tie", "draw": "tie"})
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,6})?")
_GARBLED = re.compile("\ufffd|\u00c3[\u0080-\u00bf]|\u00e2\u20ac")
"""Characters that result from wrong decoding."""

_NUMBERS_IN_PROSE = re.compile(r"(?<![\d.,])\d{1,9}(?:\.\d{1,6}|,\d{1,2})?(?![\d]|[.,]\d)")
_JSON_MARKS = re.compile(r'[{}"\\]')


class ParsedScores(NamedTuple):
    """Scores and reasons by criterion name; ``filled`` names criteria that the judge did not score.

    Attributes:
        summary: The judge's remark on the whole text, if any.
        confidence: The judge's confidence, from 0 to 1; absent if the judge gives none.
    """

    scores: dict[str, float]
    reasons: dict[str, str]
    filled: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    summary: str | None = None
    confidence: float | None = None


class ParsedVerdict(NamedTuple):
    """A judge's verdict on two candidates, with confidence and reason."""

    winner: Winner
    confidence: float
    reason: str
    flags: tuple[Flag, ...] = ()


def scores(
    answer: str,
    criteria: Sequence[Criterion],
    missing_score: float | None = None,
    material: Sequence[str] = (),
) -> ParsedScores | AnswerProblem:
    """Return the scores that the answer gives, or its problem.

    Args:
        answer: The answer as the model wrote it.
        criteria: Criteria that must each have a score on their scale.
        missing_score: Value of missing scores; if absent, a missing score is a problem.
        material: Texts that the model was given; an object that is quoted from them is not an
            answer.
    """
    found = read_object(answer, material)
    if isinstance(found, AnswerProblem):
        return found
    fields = answer_schema.by_slug(tuple(criteria))
    given = _keyed(found, (*fields, *answer_schema.REMARKS))
    if isinstance(given, AnswerProblem):
        return given
    missing = [criterion.name for key, criterion in fields.items() if key not in given]
    if missing and (missing_score is None or len(missing) == len(fields)):
        return problems.missing_criterion(missing)
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for key, criterion in fields.items():
        if key not in given:
            values[criterion.name] = float(missing_score or 0)
            continue
        cell = _cell(given[key], criterion)
        if isinstance(cell, AnswerProblem):
            return cell
        values[criterion.name], reasons[criterion.name] = cell
    if all(refusals.declines(reason) for reason in reasons.values()):
        return problems.REFUSED
    flags = _flags(reasons.values())
    return ParsedScores(values, reasons, tuple(missing), flags, *_remarks(given))


def _remarks(given: Mapping[str, Any]) -> tuple[str | None, float | None]:
    """Return summary and confidence; an invalid value is omitted, and not requested again.

    Scores do not depend on them, so they are not worth another call.
    """
    summary, confidence = (given.get(name) for name in answer_schema.REMARKS)
    said = summary.strip() if isinstance(summary, str) else ""
    if confidence is None or not _is_number(confidence) or not 0 <= confidence <= 1:
        return said or None, None
    return said or None, float(confidence)


def verdict(answer: str, material: Sequence[str] = ()) -> ParsedVerdict | AnswerProblem:
    """Return the verdict that the answer gives, or its problem; see ``scores``."""
    found = read_object(answer, material)
    if isinstance(found, AnswerProblem):
        return found
    fields = _exact(found, ("reasoning", "winner", "confidence"), "the answer")
    if isinstance(fields, AnswerProblem):
        return fields
    reason, winner, confidence = fields["reasoning"], fields["winner"], fields["confidence"]
    if not isinstance(reason, str):
        return problems.wrong_shape('"reasoning"', "a text")
    if not isinstance(winner, str) or winner.strip().lower() not in _WINNERS:
        return problems.WINNER_UNKNOWN
    if not _is_number(confidence):
        return problems.CONFIDENCE_NOT_A_NUMBER
    if not 0 <= confidence <= 1:
        return problems.CONFIDENCE_OUT_OF_RANGE
    if refusals.declines(reason):
        return problems.REFUSED
    side = _WINNERS[winner.strip().lower()]
    return ParsedVerdict(side, float(confidence), reason.strip(), _flags([reason]))


def _keyed(found: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any] | AnswerProblem:
    """Return the answer's values by known keys, whose case and spaces may differ in the answer."""
    given: dict[str, Any] = {}
    unknown: list[str] = []
    for name, value in found.items():
        key = name if name in fields else answer_schema.slug(name)
        if key not in fields:
            unknown.append(name)
        elif key in given and not equal_json(given[key], value):
            return problems.AMBIGUOUS
        given[key] = value
    if not unknown:
        return given
    is_schema = found.get("type") == "object" or isinstance(found.get("properties"), dict)
    return problems.SCHEMA_ECHOED if is_schema else problems.unknown_field(unknown)


def _exact(
    found: Mapping[str, Any], keys: Sequence[str], where: str
) -> dict[str, Any] | AnswerProblem:
    """Return the values of exactly these keys."""
    given = _keyed(found, keys)
    if isinstance(given, AnswerProblem):
        return given
    absent = sorted(set(keys) - given.keys())
    return problems.missing_field(absent[0], where) if absent else given


def _cell(value: Any, criterion: Criterion) -> tuple[float, str] | AnswerProblem:
    """Return score and reason for one criterion."""
    if not isinstance(value, dict):
        return problems.wrong_shape(criterion.name, 'an object with "reason" and "score"')
    fields = _exact(value, ("reason", "score"), criterion.name)
    if isinstance(fields, AnswerProblem):
        return fields
    reason, score = fields["reason"], _number(fields["score"], criterion)
    if not isinstance(reason, str):
        return problems.wrong_shape(f'"reason" for {criterion.name}', "a text")
    if not _is_number(score):
        return problems.score_not_a_number(criterion, score)
    if not criterion.min <= score <= criterion.max:
        return problems.score_out_of_range(criterion)
    if score not in criterion.scale:
        return problems.score_off_step(criterion)
    return float(score), reason


def _number(score: Any, criterion: Criterion) -> Any:
    """Return the number in a quoted score, or ``score`` itself if it is not a plain number.

    A number with a decimal point is accepted only if the scale has such numbers.
    """
    if not isinstance(score, str) or not _PLAIN_NUMBER.fullmatch(score.strip()):
        return score
    if "." not in score:
        return int(score)
    return score if criterion.whole else float(score)


def _flags(reasons: Iterable[str]) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    texts = list(reasons)
    if not all(text.strip() for text in texts):
        flags.append("empty_reason")
    if any(_GARBLED.search(text) for text in texts):
        flags.append("garbled")
    return tuple(flags)


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number; true and false are not."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def check_scores(prose: str, copy: str, criteria: tuple[Criterion, ...]) -> str | AnswerProblem:
    """Return the copy without the scores that ``prose`` does not contain.

    These are the scores that the copy marks as not given, and numbers that do not occur in the
    prose, because a model that must fill in every field may invent values.
    """
    found = read_object(copy)
    if isinstance(found, AnswerProblem):
        return found
    numbers = {float(one.replace(",", ".")) for one in _NUMBERS_IN_PROSE.findall(prose)}
    fields = answer_schema.by_slug(criteria)
    left = {
        key: value
        for key, value in found.items()
        if not (
            _is_invented(value, fields[key], numbers)
            if key in fields
            else key == "confidence" and value not in numbers
        )
    }
    if not left:
        return problems.missing_criterion([criterion.name for criterion in criteria])
    return json.dumps(left, ensure_ascii=False)


def check_verdict(prose: str, copy: str) -> str:
    """Return the copy unchanged, because the verdict itself states whether the prose gives one."""
    return copy


def _is_invented(value: object, criterion: Criterion, numbers: set[float]) -> bool:
    score = value.get("score") if isinstance(value, dict) else None
    if score is None or not _is_number(score):
        return False
    return score == answer_schema.not_given(criterion) or abs(score) not in numbers


def read_object(answer: str, material: Sequence[str] = ()) -> dict[str, Any] | AnswerProblem:
    """Return the only JSON object in the answer, or a problem if there is not exactly one.

    Thoughts before the object, and a code fence or text around it, are ignored. A repeated object
    is accepted. Two different objects are a problem, because choosing between them would be a
    guess. Empty objects and invalid JSON are skipped if another object is found. More than
    ``_MOST_OBJECTS`` objects are a problem.

    Args:
        answer: The answer as the model wrote it.
        material: Texts that the model was given; an object in one of them is a quotation.
    """
    text = without_thoughts(answer)
    if not text.strip():
        return problems.EMPTY
    found: dict[str, Any] | None = None
    problem = problems.NO_JSON
    quotable = [_bare(given) for given in material if "{" in given]
    objects = 0
    for span in _spans(text):
        value = problems.TRUNCATED if span is None else _parsed(span)
        objects += isinstance(value, dict) and bool(value)
        if objects > _MOST_OBJECTS:
            return problems.AMBIGUOUS
        if isinstance(value, AnswerProblem):
            problem = value
        elif value and any(_bare(span or "") in given for given in quotable):
            problem = problems.COPIED
        elif value and found is not None and not equal_json(found, value):
            problem = problems.AMBIGUOUS
        elif value:
            found = value
        if problem == problems.AMBIGUOUS:
            return problem
    return problem if found is None else found


def equal_json(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON; unlike in Python, true is not 1."""
    try:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except RecursionError:
        return False


def without_thoughts(answer: str) -> str:
    """Return the answer without the thoughts that some servers put before it."""
    return thoughts.removed(answer, may_lack_opening=not answer.lstrip().startswith("{"))


def _spans(text: str) -> Iterator[str | None]:
    """Yield the text of every outermost pair of braces, and None for a brace that is never closed.

    Takes one pass over the text. Braces inside JSON strings are ignored.
    """
    depth, start, quoted, skip = 0, 0, False, -1
    for mark in _JSON_MARKS.finditer(text):
        sign, position = mark.group(), mark.start()
        if position == skip or not (depth or sign == "{"):
            continue
        if sign == "\\":
            skip = position + 1
        elif sign == '"':
            quoted = not quoted
        elif not quoted:
            start = position if depth == 0 else start
            depth += 1 if sign == "{" else -1
            if depth == 0:
                yield text[start : position + 1]
    if depth:
        yield None


def _bare(text: str) -> str:
    """Return ``text`` without white space, because quotations may differ in white space."""
    return "".join(text.split())


class _DuplicateKeyError(ValueError):
    """A key has two different values."""


def _parsed(span: str) -> dict[str, Any] | AnswerProblem:
    if sum(map(span.count, "{[:,")) > MAX_JSON_MARKS:
        return problems.MALFORMED
    try:
        value = _DECODER.decode(span)
    except _DuplicateKeyError:
        return problems.AMBIGUOUS
    except (ValueError, RecursionError):
        return problems.MALFORMED
    if not isinstance(value, dict) or is_too_deep(value):
        return problems.MALFORMED
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        # Escapes such as \u0000 and \ud800 become characters only here.
        key, value = storable(name), storable(value) if isinstance(value, str) else value
        if key in found and not equal_json(found[key], value):
            raise _DuplicateKeyError(key)
        found[key] = value
    return found


# Not strict: line breaks inside strings are common and unambiguous.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_without_duplicates)
