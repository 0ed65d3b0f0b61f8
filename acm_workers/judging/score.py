"""Asks one judge to score one candidate."""

import functools

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.errors import UnreadableAnswer
from acm_workers.judging import answer_schema, answers, attempts
from acm_workers.judging.conversation import JudgeQuestion, JudgingContext
from acm_workers.judging.problems import AnswerProblem
from acm_workers.ranking import scores
from schemas.calls import EvidenceSummary
from schemas.config.judging import Criterion, Judge
from schemas.record import Record


class CandidateScores(Record):
    """The scores of one candidate by one judge.

    Attributes:
        scores: Score by criterion name.
        reasons: Reason by criterion name.
        filled: Criteria whose score is ``missing_score`` instead of a score by the judge.
        overall: Weighted mean of the scores.
        summary: See ``answers.ParsedScores``.
        confidence: See ``answers.ParsedScores``.
        proof: Evidence of the answer; None if some scores were filled in.
        raw: The unparsed answer.
    """

    scores: dict[str, float]
    reasons: dict[str, str]
    filled: tuple[str, ...]
    overall: float
    summary: str | None
    confidence: float | None
    proof: EvidenceSummary | None
    raw: str


def score(caller: Caller, judge: Judge, context: JudgingContext, candidate: str) -> CandidateScores:
    """Score the text ``candidate`` on every criterion.

    Raises:
        UnreadableAnswer: No answer contained all scores, even after repairs.
        PermanentError: There is no answer to read; see ``attempts.ask``.
    """
    criteria, material = context.criteria, context.texts(candidate)
    template = None if judge.prompts is None else judge.prompts.score
    texts = {"candidate": candidate}
    question = _question(criteria).about(context, "score", template, texts)
    parse = functools.partial(answers.scores, criteria=criteria, material=material)
    try:
        found, raw, proof = attempts.ask(caller, judge, context, question, parse)
    except UnreadableAnswer as error:
        filled = _filled(error.raw, context, material)
        if filled is None:
            raise
        found, raw, proof = filled, error.raw or "", None
    return CandidateScores(
        scores=found.scores,
        reasons=found.reasons,
        filled=found.filled,
        overall=scores.overall(found.scores, criteria),
        summary=found.summary,
        confidence=found.confidence,
        proof=proof,
        raw=raw,
    )


@functools.lru_cache(maxsize=64)
def _question(criteria: tuple[Criterion, ...]) -> JudgeQuestion:
    """Return the question without its texts; it is the same for all candidates of a run."""
    fields = answer_schema.by_slug(criteria)
    return JudgeQuestion(
        template="judge_score.md.j2",
        values={},
        shape=prompts.render("scores_shape.md.j2", fields=fields),
        schema_name="scores",
        schema=answer_schema.scores(criteria),
        prose=prompts.render("scores_prose.md.j2", fields=fields),
        copy_shape=prompts.render("scores_copy.md.j2", fields=fields),
        copy_schema=answer_schema.copied_scores(criteria),
        check_copy=functools.partial(answers.check_scores, criteria=criteria),
    )


def _filled(
    raw: str | None, context: JudgingContext, material: tuple[str, ...]
) -> answers.ParsedScores | None:
    """Return an incomplete answer with ``missing_score`` for each missing score, if configured."""
    if raw is None or context.missing_score is None:
        return None
    found = answers.scores(raw, context.criteria, context.missing_score, material)
    return None if isinstance(found, AnswerProblem) else found
