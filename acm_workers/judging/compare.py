"""Asks one judge to compare two candidates."""

import functools

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.judging import answer_schema, answers, attempts
from acm_workers.judging.conversation import JudgeQuestion, JudgingContext
from schemas.calls import EvidenceSummary
from schemas.config.judging import Judge
from schemas.record import Record
from schemas.units import Winner


class PairVerdict(Record):
    """One judge's verdict on two candidates; ``raw`` is the unparsed answer."""

    winner: Winner
    confidence: float
    reason: str
    proof: EvidenceSummary
    raw: str


def compare(caller: Caller, judge: Judge, context: JudgingContext, a: str, b: str) -> PairVerdict:
    """Compare the texts ``a`` and ``b``, shown in this order.

    Raises:
        UnreadableAnswer: No answer named a winner, even after repairs.
        PermanentError: There is no answer to read; see ``attempts.ask``.
    """
    template = None if judge.prompts is None else judge.prompts.compare
    texts = {"candidate_a": a, "candidate_b": b}
    question = _question().about(context, "compare", template, texts)
    parse = functools.partial(answers.verdict, material=context.texts(a, b))
    found, raw, proof = attempts.ask(caller, judge, context, question, parse)
    return PairVerdict(
        winner=found.winner,
        confidence=found.confidence,
        reason=found.reason,
        proof=proof,
        raw=raw,
    )


@functools.cache
def _question() -> JudgeQuestion:
    """Return the question without its texts; it is the same for all pairs."""
    return JudgeQuestion(
        template="judge_compare.md.j2",
        values={},
        shape=prompts.render("verdict_shape.md.j2"),
        schema_name="verdict",
        schema=answer_schema.verdict(),
        prose=prompts.render("verdict_prose.md.j2"),
        copy_shape=prompts.render("verdict_copy.md.j2"),
        copy_schema=answer_schema.copied_verdict(),
        check_copy=answers.check_verdict,
    )
