"""Requests a document from a model until it is complete and has the required evidence."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from acm_workers.calls import evidence, refusals, thoughts
from acm_workers.calls.caller import Caller, whole_answer
from acm_workers.calls.evidence import MissingEvidence, PreviousAnswers
from acm_workers.errors import (
    AnswerCutOff,
    AnswerRefused,
    EmptyAnswer,
    EvidenceMissing,
    PermanentError,
    UnreadableAnswer,
)
from acm_workers.generators import json_text
from schemas.calls import Completion, Effort, EvidenceSummary, Flag, Request
from schemas.config.variant import RequiredEvidence
from schemas.record import Record

_LONGEST_REFUSAL = 600
"""Maximum length of a refusal, in characters; a longer answer is a document."""

_LEAST_WORDS = 6
"""Minimum number of words in a paragraph of prose."""

_LEAST_MARKS = 3
_END_CHARACTERS = 50_000
"""Length of the end of a text that is searched for a truncation, in characters."""

_INDENTED_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_BLOCKS = re.compile(r"\n[ \t]*\n")
_NO_PROSE = re.compile(r"[ \t]*(?:[-*+>|#]|\d+[.)]|!?\[|https?:|<|\$\$)")
"""Beginnings of lines that may end in any way: lists, quotes, tables, headings, links, formulas."""

_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?\u2026][\"')\]\u2019\u201d*_]*\Z")

_NOTHING = RequiredEvidence()

Defect = Literal["refused", "other", "empty", "evidence", "unfinished", "json"]

_MOST_RETRIES: dict[Defect, int] = {
    "refused": 1, "other": 1, "empty": 1, "evidence": evidence.MOST_RETRIES, "unfinished": 1,
    "json": 1
}  # fmt: skip
"""Maximum number of further requests for a document, by defect."""

_HINTS: dict[Defect, tuple[str, str]] = {
    "refused": (
        "it declined the task",
        "What is wanted is a document made from the material above, for those who own it.",
    ),
    "other": ("it ended too early", "Write the whole document."),
    "empty": ("it held no text", "Write the whole document."),
    "json": ("it does not follow the schema", "Answer with one JSON object that follows it."),
    "unfinished": ("it broke off", "Write the document up to its end."),
}


class Brief(NamedTuple):
    """The input of every candidate of a document."""

    instructions: str
    guidelines: str | None
    source: str


class GeneratedText(Record):
    """A generated document with the evidence of its answer."""

    text: str
    proof: EvidenceSummary


def generate(
    caller: Caller,
    new_request: Callable[[str | None], Request],
    require: RequiredEvidence = _NOTHING,
    attempts: int = 4,
    schema: dict[str, Any] | None = None,
) -> GeneratedText:
    """Request a document, and return it.

    Args:
        new_request: Returns the request, given the part of its prompt about evidence and previous
            answers.
        require: The evidence that the answer must have.
        attempts: Maximum number of answers to request.
        schema: JSON schema that the answer must follow; an invalid answer is repaired once.

    Raises:
        AnswerCutOff: The answer was longer than twice the token limit, or than the model's own
            limit if the request sets none; or even the last answer ended for an unknown reason.
        AnswerRefused: The model declined repeatedly.
        EmptyAnswer: Repeated answers had no text.
        EvidenceMissing: No answer has the required evidence.
        UnreadableAnswer: No answer follows the schema.
        PermanentError: There is and will be no answer.
    """
    tries = _Attempts(caller, new_request, require, attempts, schema)
    unfinished: GeneratedText | None = None
    while True:
        defect = tries.next()
        if defect is None:
            return tries.text()
        if defect == "unfinished":
            unfinished = tries.text("unfinished")
        if not tries.has_next(defect):
            break
    if unfinished is not None:
        return unfinished
    raise tries.failure(defect)


class _Attempts:
    """Requests answers for one document, each depending on the previous answer."""

    def __init__(
        self,
        caller: Caller,
        new_request: Callable[[str | None], Request],
        require: RequiredEvidence,
        attempts: int,
        schema: dict[str, Any] | None,
    ) -> None:
        self._caller = caller
        self._new_request = new_request
        self._require = require
        self._most = attempts
        self._schema = schema
        self._mismatch = ""
        self._defects: Counter[Defect] = Counter()
        self._previous = PreviousAnswers()
        self._max_tokens: int | None = None
        self._effort: Effort | None = None
        self._model = ""
        self._answer = Completion(text="", finish_reason="other")

    def next(self) -> Defect | None:
        """Request the next answer, and return its defect."""
        request = self._new_request(evidence.retry_hints(self._require, self._previous))
        most = None if request.max_tokens is None else 2 * request.max_tokens
        if self._max_tokens is not None:
            request = request.model_copy(update={"max_tokens": self._max_tokens})
        if self._effort is not None:
            request = request.model_copy(update={"effort": self._effort})
        request, self._answer = whole_answer(self._caller, request, most_tokens=most)
        self._max_tokens, self._model = request.max_tokens, request.model
        defect = self._defect()
        lacking = self._lacking(defect)
        if lacking is not None:
            evidence.log_missing(self._model, self._answer.evidence, self._require, lacking)
            if "reasoning" in lacking.kinds:
                self._effort = evidence.higher_effort(request.effort)
        return defect

    def text(self, *flags: Flag) -> GeneratedText:
        """Return the last answer in the form that is saved."""
        proof = evidence.proof(self._answer.evidence, flags)
        text = unwrapped(self._answer.text)
        if self._schema is not None:
            text = json_text.read(text, self._schema)
        return GeneratedText(text=text, proof=proof)

    def has_next(self, defect: Defect) -> bool:
        """Return whether another answer is requested after an answer with this defect."""
        self._defects[defect] += 1
        number = self._defects.total()
        if number >= self._most or self._defects[defect] > _MOST_RETRIES[defect]:
            return False
        if defect == "evidence":
            self._previous = self._previous.and_unproven(
                number + 1, self._lacking(defect), self._defects["evidence"]
            )
        else:
            said, hint = _HINTS[defect]
            self._previous = self._previous.and_unusable(number + 1, self._mismatch or said, hint)
        return True

    def failure(self, defect: Defect) -> PermanentError:
        """Return the error for the last defect."""
        model, raw = self._model, self._answer.text
        if defect == "refused":
            return AnswerRefused(f"{model} declined to write the document", raw=raw)
        if defect == "empty":
            return EmptyAnswer(f"{model} answered without any text", raw=raw)
        if defect == "evidence":
            found = evidence.summary(self._answer.evidence, self._require)
            code = self._lacking(defect) or MissingEvidence.UNKNOWN
            number = self._defects.total()
            return EvidenceMissing(f"{model}, answer {number}: {found} (code {code:d})", raw=raw)
        if defect == "json":
            why = f"{model} did not follow the schema: {self._mismatch}"
            return UnreadableAnswer(why, raw=raw)
        why = f"{model} ended for an unknown reason; the text may be incomplete"
        return AnswerCutOff(why, raw=raw)

    def _defect(self) -> Defect | None:
        answer, text = self._answer, unwrapped(self._answer.text)
        short = len(text) <= _LONGEST_REFUSAL
        if answer.finish_reason == "refusal" or (short and refusals.declines(text)):
            return "refused"
        if answer.finish_reason != "stop":
            return "other"
        if not text:
            return "empty"
        if evidence.missing(answer.evidence, self._require) is not None:
            return "evidence"
        if self._schema is not None:
            return self._json_defect(text, self._schema)
        return "unfinished" if is_unfinished(text) else None

    def _json_defect(self, text: str, schema: dict[str, Any]) -> Defect | None:
        try:
            json_text.read(text, schema)
        except json_text.SchemaMismatch as error:
            self._mismatch = str(error)
            return "json"
        return None

    def _lacking(self, defect: Defect | None) -> MissingEvidence | None:
        """Return the evidence that an answer with this defect lacks."""
        if defect == "evidence":
            return evidence.missing(self._answer.evidence, self._require)
        unknown = defect == "other" and self._require != _NOTHING
        return MissingEvidence.UNKNOWN if unknown else None


def unwrapped(answer: str) -> str:
    """Return the answer without leading thoughts, and without a code fence around all text."""
    text = thoughts.removed(answer).strip()
    lines = text.split("\n")
    return "\n".join(lines[1:-1]).strip() if _is_one_fence(lines) else text


def _is_one_fence(lines: list[str]) -> bool:
    """Return whether the Markdown fence that the first line opens is closed by the last one."""
    opening = _fence(lines[0])
    if opening is None or opening.info.lower() not in {"markdown", "md"}:
        return False
    inner: str | None = None
    for number, line in enumerate(lines[1:], start=1):
        fence = _fence(line)
        if fence is None:
            continue
        if inner is not None:
            inner = None if not fence.info and fence.marks.startswith(inner) else inner
        elif not fence.info and fence.marks.startswith(opening.marks):
            return number == len(lines) - 1
        else:
            inner = fence.marks
    return False


class _Fence(NamedTuple):
    """A line that opens or closes a code block: its marks, and the word behind them."""

    marks: str
    info: str


def _fence(line: str) -> _Fence | None:
    # Without a regular expression: one that allows blanks on both sides of a word which may be
    # absent takes quadratic time, and holds the interpreter.
    number = len(line) - len(line.lstrip(line[:1])) if line[:1] in ("`", "~") else 0
    info = line[number:].strip()
    if number < _LEAST_MARKS or "`" in info or len(info.split(maxsplit=1)) > 1:
        return None
    return _Fence(line[:number], info)


def is_unfinished(text: str) -> bool:
    """Return whether a Markdown text is certainly incomplete although its model reports the end.

    A text breaks off if a code block is still open; if the last paragraph is prose that ends within
    a sentence, in a text that ends its sentences elsewhere; or if the last item of a list does so,
    unlike all others. Names, poems, other lists and scripts without lower case may end in any way.
    In doubt a text counts as complete, because another answer costs as much as the first.
    """
    if _has_open_fence(text):
        return True
    *before, last = _BLOCKS.split(text.strip()[-_END_CHARACTERS:])
    if not last or not (last[-1].islower() or last[-1] in ",(-\u2013"):
        return False
    if _ITEM.match(last):
        before = _ITEM.split(last)[1:-1]
        return bool(before) and all(map(_ends_a_sentence, before))
    return _is_prose(last) and any(map(_ends_a_sentence, before))


def _ends_a_sentence(block: str) -> bool:
    return _SENTENCE_END.search(block.rstrip()) is not None


def _is_prose(block: str) -> bool:
    if any(_NO_PROSE.match(line) for line in block.split("\n")):
        return False
    words = block.split()
    lower = sum(word[0].islower() for word in words)
    return len(words) >= _LEAST_WORDS and 2 * lower >= len(words)


def _has_open_fence(text: str) -> bool:
    opened: str | None = None
    for fence in _INDENTED_FENCE.findall(text):
        if opened is None:
            opened = fence
        elif fence.startswith(opened):
            opened = None
    return opened is not None
