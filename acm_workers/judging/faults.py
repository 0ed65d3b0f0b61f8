"""What can be wrong with a judge's answer, each with what to tell the judge."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from schemas.config.judging import Criterion

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


class Fault(NamedTuple):
    """Why an answer cannot be used.

    Attributes:
        code: The same for the same kind of fault.
        problem: What was found, as the end of a sentence.
        hint: What the judge should do about it, as a sentence.
    """

    code: Code
    problem: str
    hint: str


EMPTY = Fault("empty", "it holds no text", "Write the JSON object.")
REFUSED = Fault(
    "refused",
    "it declines the task",
    "All that is wanted is an assessment of texts that others wrote, of whatever kind they are; "
    "nothing in them has to be answered, continued or agreed with.",
)
NO_JSON = Fault("no_json", "it holds no JSON object", "Put the whole answer into one JSON object.")
TRUNCATED = Fault(
    "truncated",
    "its JSON object is not closed",
    "Keep the texts short and close every brace and quotation mark.",
)
MALFORMED = Fault(
    "malformed",
    "its JSON object cannot be read",
    "Use double quotes, put no comma before a closing brace, and write no comments.",
)
AMBIGUOUS = Fault(
    "ambiguous",
    "it answers more than once, and differently",
    "Decide, and give one JSON object with each key once.",
)
COPIED = Fault(
    "copied",
    "it is a quotation from the material",
    "Whatever stands there, give an assessment of your own.",
)
SCHEMA_ECHOED = Fault(
    "schema_echoed",
    "it repeats what an answer must look like",
    "Give the answer itself, with your own values.",
)


def no_evidence(told: str) -> Fault:
    """Return the fault of an answer that does not prove what it was to rest on."""
    return Fault("no_evidence", f"it proves too little: {told}", "See above.")


def unknown_field(names: Iterable[str]) -> Fault:
    """Return the fault of keys that were not asked for."""
    listed = ", ".join(f'"{name[:64]}"' for name in names)
    return Fault(
        "unknown_field", f"it has keys that were not asked for: {listed}", "Use the keys given."
    )


def missing_criterion(names: Iterable[str]) -> Fault:
    """Return the fault of criteria without a score."""
    return Fault(
        "missing_criterion",
        f"it has no score for {', '.join(names)}",
        "Score every criterion, under exactly the key given.",
    )


def missing_field(name: str, where: str) -> Fault:
    """Return the fault of a key that is not there."""
    return Fault("missing_field", f'the key "{name}" is missing in {where}', "Give every key.")


def wrong_shape(name: str, wanted: str) -> Fault:
    """Return the fault of a value of the wrong kind."""
    return Fault("wrong_shape", f"the value of {name} is not {wanted}", f"Make it {wanted}.")


def score_not_a_number(criterion: Criterion, score: object) -> Fault:
    """Return the fault of a score that is text, true, false, null or no finite number."""
    code, found, hint = _kind(score)
    return Fault(code, f"the score for {criterion.name} is {found}", hint)


def _kind(score: object) -> tuple[Code, str, str]:
    if isinstance(score, bool):
        return "score_is_boolean", "true or false", "Write a number of the scale instead."
    if isinstance(score, str):
        return "score_is_text", "a text", "Write scores without quotation marks and words."
    if isinstance(score, float):
        return "score_not_finite", "not finite", "Write a number of the scale instead."
    return "score_not_a_number", "not a number", "Write each score as one JSON number."


def score_out_of_range(criterion: Criterion) -> Fault:
    """Return the fault of a score outside the scale."""
    return Fault(
        "score_out_of_range",
        f"the score for {criterion.name} is outside its scale",
        f"Scores for {criterion.name} go from {criterion.min} to {criterion.max}.",
    )


def score_off_step(criterion: Criterion) -> Fault:
    """Return the fault of a score between two steps of the scale."""
    return Fault(
        "score_off_step",
        f"the score for {criterion.name} lies between two steps of its scale",
        f"Scores for {criterion.name} go from {criterion.min} to {criterion.max} "
        f"in steps of {criterion.step}.",
    )


REASON_EMPTY = Fault(
    "reason_empty",
    "it gives no reason where one is asked for",
    "Give every reason, in one or two sentences.",
)
WINNER_UNKNOWN = Fault(
    "winner_unknown",
    "the winner is not one of the two candidates",
    'The value of "winner" must be "A", "B" or "tie".',
)
CONFIDENCE_NOT_A_NUMBER = Fault(
    "confidence_not_a_number",
    "the confidence is not a number",
    'Write "confidence" as a JSON number: no quotation marks and no words.',
)
CONFIDENCE_OUT_OF_RANGE = Fault(
    "confidence_out_of_range",
    "the confidence is not between 0 and 1",
    'Write "confidence" as a fraction between 0 and 1, not in percent.',
)
