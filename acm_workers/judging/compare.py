"""Has one judge compare two candidates."""

import functools

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.judging import answer_schema, answers, asking, copy_check
from acm_workers.judging.context import Context
from acm_workers.judging.conversation import Question
from schemas.calls import Proof
from schemas.config.judging import Judge
from schemas.record import Record
from schemas.units import Winner


class Verdict(Record):
    """Which of two candidates one judge finds better, and what that rests on.

    ``raw`` is the answer as it came.
    """

    winner: Winner
    confidence: float
    reason: str
    proof: Proof
    raw: str


def compare(caller: Caller, judge: Judge, context: Context, a: str, b: str) -> Verdict:
    """Compare the texts ``a`` and ``b``, shown in this order.

    Raises:
        UnreadableAnswer: No answer named a winner, also after repair turns.
        PermanentError: There is no answer to read; see ``asking.ask``.
    """
    values = {**context.material(), "candidate_a": a, "candidate_b": b}
    question = _question()._replace(values=values)
    read = functools.partial(answers.verdict, material=context.texts(a, b))
    found, raw, proof = asking.ask(caller, judge, context, question, read)
    return Verdict(
        winner=found.winner,
        confidence=found.confidence,
        reason=found.reason,
        proof=proof,
        raw=raw,
    )


@functools.cache
def _question() -> Question:
    """Return the question without its texts: the same for every pair."""
    return Question(
        template="judge_compare.md.j2",
        values={},
        shape=prompts.render("verdict_shape.md.j2"),
        schema_name="verdict",
        schema=answer_schema.verdict(),
        prose=prompts.render("verdict_prose.md.j2"),
        copy_shape=prompts.render("verdict_copy.md.j2"),
        copy_schema=answer_schema.copied_verdict(),
        kept=copy_check.as_it_is,
    )
