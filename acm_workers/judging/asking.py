"""Asks a judge until the answer can be read, or no more can be hoped for."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from acm_workers.calls import evidence, refusals
from acm_workers.calls.caller import Caller
from acm_workers.calls.evidence import Lack
from acm_workers.calls.retry_hints import Before
from acm_workers.errors import AnswerRefused, EvidenceMissing, PermanentError, UnreadableAnswer
from acm_workers.judging import faults
from acm_workers.judging.answers import Opinion, Scores
from acm_workers.judging.context import Context
from acm_workers.judging.conversation import Conversation, Question
from acm_workers.judging.faults import Code, Fault
from acm_workers.judging.json_text import without_thoughts
from schemas.calls import Completion, Flag, Proof
from schemas.config.judging import Judge

T = TypeVar("T", Scores, Opinion)

_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')

_AGAIN: dict[Code, int] = {
    "empty": 1,
    "refused": 1,
    "no_evidence": evidence.MOST_RETRIES,
    "reason_empty": 1,
}
"""How often an answer is asked for again for one of these reasons; the others may come up until
the attempts are used up."""

_NOT_MENDED: frozenset[Code] = frozenset({"empty", "refused", "no_evidence"})
"""Faults of which there is nothing to mend in the same talk: the question is asked anew."""

_NOT_MENDED_BY_COPYING: frozenset[Code] = frozenset(
    {"missing_criterion", "winner_unknown", "confidence_out_of_range"}
)
"""Faults that are the judge's own if its answer was put into JSON by another model."""


class Answered(NamedTuple, Generic[T]):
    """What a judge answered: as it was read, as it came, and what it proves."""

    value: T
    raw: str
    proof: Proof


def ask(
    caller: Caller,
    judge: Judge,
    context: Context,
    question: Question,
    read: Callable[[str], T | Fault],
) -> Answered[T]:
    """Return what ``read`` makes of the answer.

    An answer that ran out of tokens is asked for again with twice as many and never read. One that
    cannot be read is sent back with what is wrong with it, the next one is asked for anew, and so
    on in turn. One that does not prove what the judge must rest on is asked for again in stronger
    words, and its scores are never looked at.

    Raises:
        UnreadableAnswer: No answer within ``context.attempts`` could be read; holds the last.
        AnswerCutOff: Twice the tokens are not enough either.
        AnswerRefused: The judge declined, also when asked again.
        EvidenceMissing: No answer proved what is required.
        JsonNotPossible: The config insists on JSON that nobody can be held to.
        PermanentError: There is and will be no answer.
    """
    course = _Course(Conversation(caller, judge, context, question), judge, context.attempts)
    accepted: Answered[T] | None = None
    while True:
        found = course.next(read)
        fault = found if isinstance(found, Fault) else faults.REASON_EMPTY
        if not isinstance(found, Fault):
            accepted = Answered(found, course.text, course.proof(found.flags))
            if "empty_reason" not in found.flags:
                return accepted
        elif accepted is not None:
            return accepted
        if not course.goes_on(fault):
            break
    if accepted is not None:
        return accepted
    raise course.failure(fault)


class _Course:
    """Which answer is asked for next, and how."""

    def __init__(self, talk: Conversation, judge: Judge, attempts: int) -> None:
        self._talk = talk
        self._judge = judge
        self._attempts = attempts
        self._asked = 0
        self._tried: Counter[Code] = Counter()
        self._before = Before()
        self._to_mend: Fault | None = None

    @property
    def text(self) -> str:
        """Return the last answer."""
        return self._talk.text

    def proof(self, flags: tuple[Flag, ...]) -> Proof:
        """Return what the last answer proves."""
        return evidence.proof(self._talk.evidence, flags)

    def next(self, read: Callable[[str], T | Fault]) -> T | Fault:
        """Return what ``read`` makes of the next answer."""
        self._asked += 1
        if self._to_mend is not None:
            return _read(self._talk.repair(self._to_mend), read)
        unusable = self._unusable(self._talk.fresh(self._before))
        return unusable or _read(self._talk.in_json(), read)

    def goes_on(self, fault: Fault) -> bool:
        """Return whether there is another answer to ask for after one with that ``fault``."""
        self._tried[fault.code] += 1
        if self._asked >= self._attempts or self._tried[fault.code] > _AGAIN.get(fault.code, 99):
            return False
        can_be_mended = self._to_mend is None and fault.code not in _NOT_MENDED
        if self._talk.two_stages and fault.code in _NOT_MENDED_BY_COPYING:
            can_be_mended = False
        self._to_mend = fault if can_be_mended else None
        if fault.code == "no_evidence":
            strength = self._tried["no_evidence"]
            self._before = self._before.unproven(self._asked + 1, self._lacking(), strength)
        else:
            self._before = self._before.unusable(self._asked + 1, fault.problem, fault.hint)
        return True

    def failure(self, fault: Fault) -> PermanentError:
        """Return the error that the last ``fault`` comes to."""
        judge, raw = self._judge, self._talk.text
        if fault.code == "refused":
            return AnswerRefused(f"{judge.model} declined to judge", raw=raw)
        told = f"answer {self._asked} of {judge.name} cannot be used: {fault.problem}"
        if fault.code == "no_evidence":
            return EvidenceMissing(f"{told} (code {self._lacking() or Lack.UNKNOWN:d})", raw=raw)
        return UnreadableAnswer(told, raw=raw)

    def _unusable(self, found: Completion) -> Fault | None:
        """Return why a fresh answer need not be read.

        An unknown reason for ending is none: whether it is complete shows in reading.
        """
        text = without_thoughts(found.text)
        if found.finish_reason == "refusal" or ("{" not in text and refusals.declines(text)):
            return faults.REFUSED
        if not text.strip():
            return faults.EMPTY
        lacking = self._lacking()
        if lacking is None:
            return None
        require, proves = self._judge.require, self._talk.evidence
        evidence.report(self._judge.model, proves, require, lacking)
        return faults.no_evidence(evidence.told(proves, require))

    def _lacking(self) -> Lack | None:
        return evidence.lack(self._talk.evidence, self._judge.require)


def _read(answer: str | Fault, read: Callable[[str], T | Fault]) -> T | Fault:
    """Return what ``read`` makes of an answer; one that declines in JSON is a refusal."""
    found = read(answer) if isinstance(answer, str) else answer
    if isinstance(found, Fault) and isinstance(answer, str) and _declines_in_json(answer):
        return faults.REFUSED
    return found


def _declines_in_json(answer: str) -> bool:
    # With a number in it, it is an attempt at an answer.
    if any(letter.isdigit() for letter in answer):
        return False
    return any(refusals.declines(text) for text in _STRINGS.findall(answer))
