"""Asks a judge until an answer can be read or no further attempt is worth its cost."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from acm_workers.calls import evidence, refusals
from acm_workers.calls.caller import Caller
from acm_workers.calls.evidence import MissingEvidence, PreviousAnswers
from acm_workers.errors import AnswerRefused, EvidenceMissing, PermanentError, UnreadableAnswer
from acm_workers.judging import problems
from acm_workers.judging.answers import ParsedScores, ParsedVerdict, without_thoughts
from acm_workers.judging.conversation import Conversation, JudgeQuestion, JudgingContext
from acm_workers.judging.problems import AnswerProblem, Code
from schemas.calls import Completion, EvidenceSummary, Flag
from schemas.config.judging import Judge

T = TypeVar("T", ParsedScores, ParsedVerdict)

_STRINGS = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("?)', re.DOTALL)
"""JSON strings, also unclosed ones: a failed search would take quadratic time in the quotes."""

_MOST_RETRIES: dict[Code, int] = {
    "empty": 1,
    "refused": 1,
    "no_evidence": evidence.MOST_RETRIES,
    "reason_empty": 1,
}
"""Maximum number of further requests by problem; other problems only count as attempts."""

_NOT_REPAIRED: frozenset[Code] = frozenset({"empty", "refused", "no_evidence"})
"""Problems that cannot be repaired in the same conversation: the question is asked again."""

_NOT_REPAIRED_IN_COPIES: frozenset[Code] = frozenset(
    {"missing_criterion", "winner_unknown", "confidence_out_of_range"}
)
"""Problems of prose that the model which converts it to JSON cannot repair."""


class JudgeAnswer(NamedTuple, Generic[T]):
    """A judge's answer, parsed and as received, with its evidence."""

    parsed: T
    raw: str
    proof: EvidenceSummary


def ask(
    caller: Caller,
    judge: Judge,
    context: JudgingContext,
    question: JudgeQuestion,
    parse: Callable[[str], T | AnswerProblem],
) -> JudgeAnswer[T]:
    """Return the first answer that ``parse`` accepts.

    An answer that reached its token limit is not read; it is requested again with twice the limit.
    After unreadable answers, ACM alternates between sending the answer back with its problem and
    asking the question in a new conversation. An answer without the required evidence is not read;
    it is requested again with stronger instructions.

    Raises:
        UnreadableAnswer: No answer within ``context.attempts`` could be read; the error contains
            the last answer.
        AnswerCutOff: An answer reached even twice the token limit.
        AnswerRefused: The judge declined repeatedly.
        EvidenceMissing: No answer has the required evidence.
        JsonNotPossible: The config requires JSON, which no configured model can guarantee.
        PermanentError: There will be no answer.
    """
    tries = _Attempts(Conversation(caller, judge, context, question), judge, context.attempts)
    accepted: JudgeAnswer[T] | None = None
    while True:
        found = tries.next(parse)
        problem = found if isinstance(found, AnswerProblem) else problems.REASON_EMPTY
        if not isinstance(found, AnswerProblem):
            accepted = JudgeAnswer(found, tries.text, tries.proof(found.flags))
            if "empty_reason" not in found.flags:
                return accepted
        elif accepted is not None:
            return accepted
        if not tries.has_next(problem):
            break
    if accepted is not None:
        return accepted
    raise tries.failure(problem)


class _Attempts:
    """Requests answers to one question, each depending on the previous answer."""

    def __init__(self, conversation: Conversation, judge: Judge, attempts: int) -> None:
        self._conversation = conversation
        self._judge = judge
        self._most = attempts
        self._number = 0
        self._problems: Counter[Code] = Counter()
        self._previous = PreviousAnswers()
        self._to_repair: AnswerProblem | None = None

    @property
    def text(self) -> str:
        """Return the last answer."""
        return self._conversation.text

    def proof(self, flags: tuple[Flag, ...]) -> EvidenceSummary:
        """Return the evidence of the last answer."""
        return evidence.proof(self._conversation.evidence, flags)

    def next(self, parse: Callable[[str], T | AnswerProblem]) -> T | AnswerProblem:
        """Request the next answer, and return it parsed."""
        self._number += 1
        if self._to_repair is not None:
            return _parsed(self._conversation.repair(self._to_repair), parse)
        unusable = self._unusable(self._conversation.ask(self._previous))
        return unusable or _parsed(self._conversation.in_json(), parse)

    def has_next(self, problem: AnswerProblem) -> bool:
        """Return whether another answer is requested after an answer with this problem."""
        code = problem.code
        self._problems[code] += 1
        if self._number >= self._most or self._problems[code] > _MOST_RETRIES.get(code, 99):
            return False
        can_be_repaired = self._to_repair is None and code not in _NOT_REPAIRED
        if self._conversation.two_stages and code in _NOT_REPAIRED_IN_COPIES:
            can_be_repaired = False
        self._to_repair = problem if can_be_repaired else None
        if code == "no_evidence":
            self._previous = self._previous.and_unproven(
                self._number + 1, self._lacking(), self._problems[code]
            )
        else:
            self._previous = self._previous.and_unusable(
                self._number + 1, problem.description, problem.hint
            )
        return True

    def failure(self, problem: AnswerProblem) -> PermanentError:
        """Return the error for the last problem."""
        judge, raw = self._judge, self._conversation.text
        if problem.code == "refused":
            return AnswerRefused(f"{judge.model} declined to judge", raw=raw)
        why = f"answer {self._number} of {judge.name} cannot be used: {problem.description}"
        if problem.code == "no_evidence":
            code = self._lacking() or MissingEvidence.UNKNOWN
            return EvidenceMissing(f"{why} (code {code:d})", raw=raw)
        return UnreadableAnswer(why, raw=raw)

    def _unusable(self, answer: Completion) -> AnswerProblem | None:
        """Return why the judge's own answer need not be read.

        An unknown finish reason is not a problem: reading shows whether the answer is complete.
        """
        text = without_thoughts(answer.text)
        if answer.finish_reason == "refusal" or ("{" not in text and refusals.declines(text)):
            return problems.REFUSED
        if not text.strip():
            return problems.EMPTY
        lacking = self._lacking()
        if lacking is None:
            return None
        require, found = self._judge.require, self._conversation.evidence
        evidence.log_missing(self._judge.model, found, require, lacking)
        return problems.no_evidence(evidence.summary(found, require))

    def _lacking(self) -> MissingEvidence | None:
        return evidence.missing(self._conversation.evidence, self._judge.require)


def _parsed(
    answer: str | AnswerProblem, parse: Callable[[str], T | AnswerProblem]
) -> T | AnswerProblem:
    """Parse an answer; one that declines in JSON is a refusal."""
    if isinstance(answer, AnswerProblem):
        return answer
    found = parse(answer)
    if isinstance(found, AnswerProblem) and _declines_in_json(answer):
        return problems.REFUSED
    return found


def _declines_in_json(answer: str) -> bool:
    # An answer with a number in it is an attempt to judge.
    if any(letter.isdigit() for letter in answer):
        return False
    return any(closed and refusals.declines(text) for text, closed in _STRINGS.findall(answer))
