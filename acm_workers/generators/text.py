"""The text of a document as a model answered it."""

from collections import Counter
from collections.abc import Callable
from typing import Literal, NamedTuple

from acm_workers.calls import continuation, evidence, refusals, retry_hints
from acm_workers.calls.caller import Caller
from acm_workers.calls.evidence import Lack
from acm_workers.calls.retry_hints import Before
from acm_workers.errors import (
    AnswerCutOff,
    AnswerRefused,
    EmptyAnswer,
    EvidenceMissing,
    PermanentError,
)
from acm_workers.generators import ending, wrapping
from schemas.calls import Completion, Effort, Flag, Proof, Request
from schemas.config.variant import RequiredEvidence
from schemas.record import Record

_LONGEST_REFUSAL = 600
"""Characters; what is longer is a document, however it begins."""

Trouble = Literal["refused", "other", "empty", "evidence", "unfinished"]

_AGAIN: dict[Trouble, int] = {
    "refused": 1, "other": 1, "empty": 1, "evidence": evidence.MOST_RETRIES, "unfinished": 1
}  # fmt: skip
"""How often a document is asked for again for each reason."""

_WORDS: dict[Trouble, tuple[str, str]] = {
    "refused": (
        "it declined the task",
        "What is wanted is a document made from the material above, for those who own it.",
    ),
    "other": ("it ended too early", "Write the whole document."),
    "empty": ("it held no text", "Write the whole document."),
    "unfinished": ("it broke off", "Write the document up to its end."),
}


class Written(Record):
    """A document, and what it rests on."""

    text: str
    proof: Proof


class Task(NamedTuple):
    """What a model is to write.

    Attributes:
        request: Makes the request, given what the prompt says of evidence and earlier answers.
        require: What the answer must prove.
        attempts: Highest number of answers to ask for.
    """

    request: Callable[[str | None], Request]
    require: RequiredEvidence = RequiredEvidence()
    attempts: int = 4


def ask(caller: Caller, task: Task) -> Written:
    """Return the document that ``task`` asks for.

    Raises:
        AnswerCutOff: It did not fit into twice the budget, or into the only one where the
            request sets none, or ended for an unknown reason, also when asked for again.
        AnswerRefused: The model declined, also when asked again.
        EmptyAnswer: There is no text, also when asked again.
        EvidenceMissing: No answer proves what is required.
        PermanentError: There is and will be no answer.
    """
    course = _Course(caller, task)
    kept: Written | None = None
    while True:
        trouble = course.next()
        if trouble is None:
            return course.written()
        if trouble == "unfinished":
            kept = course.written("unfinished")
        if not course.goes_on(trouble):
            break
    if kept is not None:
        return kept
    raise course.failure(trouble)


class _Course:
    """Which answer is asked for next, and how."""

    def __init__(self, caller: Caller, task: Task) -> None:
        self._caller = caller
        self._task = task
        self._tried: Counter[Trouble] = Counter()
        self._before = Before()
        self._budget: int | None = None
        self._effort: Effort | None = None
        self._model = ""
        self._found = Completion(text="", finish_reason="other")

    def next(self) -> Trouble | None:
        """Ask for the next answer, and return what is wrong with it."""
        request = self._task.request(retry_hints.text(self._task.require, self._before))
        most = None if request.max_tokens is None else 2 * request.max_tokens
        if self._budget is not None:
            request = request.model_copy(update={"max_tokens": self._budget})
        if self._effort is not None:
            request = request.model_copy(update={"effort": self._effort})
        request, self._found = continuation.answer(self._caller, request, most_tokens=most)
        self._budget, self._model = request.max_tokens, request.model
        trouble = self._trouble()
        lacking = self._lacking(trouble)
        if lacking is not None:
            evidence.report(self._model, self._found.evidence, self._task.require, lacking)
            if "reasoning" in lacking.missing:
                self._effort = evidence.more(request.effort)
        return trouble

    def written(self, *flags: Flag) -> Written:
        """Return the last answer as it is kept."""
        text = wrapping.bare(self._found.text)
        return Written(text=text, proof=evidence.proof(self._found.evidence, flags))

    def goes_on(self, trouble: Trouble) -> bool:
        """Return whether there is another answer to ask for."""
        self._tried[trouble] += 1
        asked = self._tried.total()
        if asked >= self._task.attempts or self._tried[trouble] > _AGAIN[trouble]:
            return False
        if trouble == "evidence":
            lacking = self._lacking(trouble)
            self._before = self._before.unproven(asked + 1, lacking, self._tried["evidence"])
        else:
            self._before = self._before.unusable(asked + 1, *_WORDS[trouble])
        return True

    def failure(self, trouble: Trouble) -> PermanentError:
        """Return the error that the last trouble comes to."""
        model, raw = self._model, self._found.text
        if trouble == "refused":
            return AnswerRefused(f"{model} declined to write the document", raw=raw)
        if trouble == "empty":
            return EmptyAnswer(f"{model} answered without any text", raw=raw)
        if trouble == "evidence":
            proves = evidence.told(self._found.evidence, self._task.require)
            code = self._lacking(trouble) or Lack.UNKNOWN
            asked = self._tried.total()
            return EvidenceMissing(f"{model}, answer {asked}: {proves} (code {code:d})", raw=raw)
        why = f"{model} ended for an unknown reason; the text may be incomplete"
        return AnswerCutOff(why, raw=raw)

    def _trouble(self) -> Trouble | None:
        found, text = self._found, wrapping.bare(self._found.text)
        short = len(text) <= _LONGEST_REFUSAL
        if found.finish_reason == "refusal" or (short and refusals.declines(text)):
            return "refused"
        if found.finish_reason != "stop":
            return "other"
        if not text:
            return "empty"
        if evidence.lack(found.evidence, self._task.require) is not None:
            return "evidence"
        return "unfinished" if ending.is_missing(text) else None

    def _lacking(self, trouble: Trouble | None) -> Lack | None:
        """Return what an answer with that trouble fails to prove."""
        if trouble == "evidence":
            return evidence.lack(self._found.evidence, self._task.require)
        unknown = trouble == "other" and self._task.require != RequiredEvidence()
        return Lack.UNKNOWN if unknown else None
