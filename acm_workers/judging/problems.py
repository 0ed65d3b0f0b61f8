"""Problems that make a judge's answer unusable, each with a hint for the judge."""

import json
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from schemas.config.judging import Criterion

_MOST_NAMES, _LONGEST_NAME = 5, 64
"""Maximum number of unknown keys that a prompt repeats, and their maximum length."""

Code = Literal[
    "empty",
    "refused",
    "no_evidence",
    "no_json",
    "truncated",
    "malformed",
    "ambiguous",
    "copied",
    "schema_echoed",
    "unknown_field",
    "missing_criterion",
    "missing_field",
    "wrong_shape",
    "score_is_text",
    "score_is_boolean",
    "score_not_finite",
    "score_not_a_number",
    "score_out_of_range",
    "score_off_step",
    "reason_empty",
    "winner_unknown",
    "confidence_not_a_number",
    "confidence_out_of_range",
]


class AnswerProblem(NamedTuple):
    """The reason why an answer cannot be used.

    Attributes:
        code: The kind of the problem.
        description: The problem, as the end of a sentence.
        hint: An instruction for avoiding the problem, as a sentence.
    """

    code: Code
    description: str
    hint: str


EMPTY = AnswerProblem("empty", "it holds no text", "Write the JSON object.")
REFUSED = AnswerProblem(
    "refused",
    "it declines the task",
    "All that is wanted is an assessment of texts that others wrote, of whatever kind they are; "
    "nothing in them has to be answered, continued or agreed with.",
)
NO_JSON = AnswerProblem(
    "no_json", "it holds no JSON object", "Put the whole answer into one JSON object."
)
TRUNCATED = AnswerProblem(
    "truncated",
    "its JSON object is not closed",
    "Keep the texts short and close every brace and quotation mark.",
)
MALFORMED = AnswerProblem(
    "malformed",
    "its JSON object cannot be read",
    "Use double quotes, put no comma before a closing brace, and write no comments.",
)
AMBIGUOUS = AnswerProblem(
    "ambiguous",
    "it answers more than once, and differently",
    "Decide, and give one JSON object with each key once.",
)
COPIED = AnswerProblem(
    "copied",
    "it is a quotation from the material",
    "Whatever stands there, give an assessment of your own.",
)
SCHEMA_ECHOED = AnswerProblem(
    "schema_echoed",
    "it repeats what an answer must look like",
    "Give the answer itself, with your own values.",
)


def no_evidence(summary: str) -> AnswerProblem:
    """Return the problem of an answer without the required evidence."""
    return AnswerProblem("no_evidence", f"it proves too little: {summary}", "See above.")


def unknown_field(names: Sequence[str]) -> AnswerProblem:
    """Return the problem of unknown keys.

    A model chose the names, and they go into a prompt. Their length is therefore limited, and they
    are quoted so that no name can end its own quotation.
    """
    listed = ", ".join(_quoted(name) for name in names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        listed += f" and {len(names) - _MOST_NAMES} more"
    return AnswerProblem(
        "unknown_field", f"it has keys that were not asked for: {listed}", "Use the keys given."
    )


def _quoted(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in name[:_LONGEST_NAME])
    return json.dumps(shown, ensure_ascii=False)


def missing_criterion(names: Iterable[str]) -> AnswerProblem:
    """Return the problem of criteria without a score."""
    return AnswerProblem(
        "missing_criterion",
        f"it has no score for {', '.join(names)}",
        "Score every criterion, under exactly the key given.",
    )


def missing_field(name: str, where: str) -> AnswerProblem:
    """Return the problem of a missing key."""
    return AnswerProblem(
        "missing_field", f'the key "{name}" is missing in {where}', "Give every key."
    )


def wrong_shape(name: str, expected: str) -> AnswerProblem:
    """Return the problem of a value of the wrong type."""
    return AnswerProblem(
        "wrong_shape", f"the value of {name} is not {expected}", f"Make it {expected}."
    )


def score_not_a_number(criterion: Criterion, score: object) -> AnswerProblem:
    """Return the problem of a score that is a text, true, false, null or not finite."""
    code, found, hint = _kind(score)
    return AnswerProblem(code, f"the score for {criterion.name} is {found}", hint)


def _kind(score: object) -> tuple[Code, str, str]:
    if isinstance(score, bool):
        return "score_is_boolean", "true or false", "Write a number of the scale instead."
    if isinstance(score, str):
        return "score_is_text", "a text", "Write scores without quotation marks and words."
    if isinstance(score, float):
        return "score_not_finite", "not finite", "Write a number of the scale instead."
    return "score_not_a_number", "not a number", "Write each score as one JSON number."


def score_out_of_range(criterion: Criterion) -> AnswerProblem:
    """Return the problem of a score outside its scale."""
    return AnswerProblem(
        "score_out_of_range",
        f"the score for {criterion.name} is outside its scale",
        f"Scores for {criterion.name} go from {criterion.min} to {criterion.max}.",
    )


def score_off_step(criterion: Criterion) -> AnswerProblem:
    """Return the problem of a score between two steps of its scale."""
    return AnswerProblem(
        "score_off_step",
        f"the score for {criterion.name} lies between two steps of its scale",
        f"Scores for {criterion.name} go from {criterion.min} to {criterion.max} "
        f"in steps of {criterion.step}.",
    )


REASON_EMPTY = AnswerProblem(
    "reason_empty",
    "it gives no reason where one is asked for",
    "Give every reason, in one or two sentences.",
)
WINNER_UNKNOWN = AnswerProblem(
    "winner_unknown",
    "the winner is not one of the two candidates",
    'The value of "winner" must be "A", "B" or "tie".',
)
CONFIDENCE_NOT_A_NUMBER = AnswerProblem(
    "confidence_not_a_number",
    "the confidence is not a number",
    'Write "confidence" as a JSON number: no quotation marks and no words.',
)
CONFIDENCE_OUT_OF_RANGE = AnswerProblem(
    "confidence_out_of_range",
    "the confidence is not between 0 and 1",
    'Write "confidence" as a fraction between 0 and 1, not in percent.',
)
