"""Has one judge score one candidate."""

import functools

import prompts
from acm_workers.calls.caller import Caller
from acm_workers.errors import UnreadableAnswer
from acm_workers.judging import answer_schema, answers, asking, copy_check
from acm_workers.judging.context import Context
from acm_workers.judging.conversation import Question
from acm_workers.judging.faults import Fault
from acm_workers.ranking import scores
from schemas.calls import Proof
from schemas.config.judging import Criterion, Judge
from schemas.record import Record


class Scored(Record):
    """The scores of one candidate by one judge.

    Attributes:
        scores: By criterion name.
        reasons: By criterion name.
        filled: Criteria whose score is ``missing_score``, not the judge's.
        overall: Weighted mean.
        proof: What the answer rests on; absent where one without all scores had to do.
        raw: The answer as it came.
    """

    scores: dict[str, float]
    reasons: dict[str, str]
    filled: tuple[str, ...]
    overall: float
    proof: Proof | None
    raw: str


def score(caller: Caller, judge: Judge, context: Context, candidate: str) -> Scored:
    """Score the text ``candidate`` on every criterion.

    Raises:
        UnreadableAnswer: No answer held all scores, also after repair turns.
        PermanentError: There is no answer to read; see ``asking.ask``.
    """
    criteria, material = context.criteria, context.texts(candidate)
    question = _question(criteria)._replace(
        values={**context.material(), "candidate": candidate},
    )
    read = functools.partial(answers.scores, criteria=criteria, material=material)
    try:
        found, raw, proof = asking.ask(caller, judge, context, question, read)
    except UnreadableAnswer as error:
        filled = _filled(error.raw, context, material)
        if filled is None:
            raise
        found, raw, proof = filled, error.raw or "", None
    return Scored(
        scores=found.scores,
        reasons=found.reasons,
        filled=found.filled,
        overall=scores.overall(found.scores, criteria),
        proof=proof,
        raw=raw,
    )


@functools.lru_cache(maxsize=64)
def _question(criteria: tuple[Criterion, ...]) -> Question:
    """Return the question without its texts: the same for every candidate of a run."""
    fields = answer_schema.by_slug(criteria)
    return Question(
        template="judge_score.md.j2",
        values={},
        shape=prompts.render("scores_shape.md.j2", fields=fields),
        schema_name="scores",
        schema=answer_schema.scores(criteria),
        prose=prompts.render("scores_prose.md.j2", fields=fields),
        copy_shape=prompts.render("scores_copy.md.j2", fields=fields),
        copy_schema=answer_schema.copied_scores(criteria),
        kept=functools.partial(copy_check.kept, criteria=criteria),
    )


def _filled(raw: str | None, context: Context, material: tuple[str, ...]) -> answers.Scores | None:
    """Return the scores of an answer that lacks some, if the config has a score for those."""
    if raw is None or context.missing_score is None:
        return None
    found = answers.scores(raw, context.criteria, context.missing_score, material)
    return None if isinstance(found, Fault) else found
