"""A model as debugger: the prompt, and parsing of the answer."""

from collections.abc import Sequence
from typing import NamedTuple

import prompts
from schemas.submissions import SubmissionTask, Version

MOST_CODE = 1 << 20
_LEAST_MARKS = 3
_MOST_LOG = 8_000


class Repair(NamedTuple):
    """A model's answer.

    Attributes:
        code: The program; None if the answer has no program.
        report: The text of the answer around the program.
    """

    code: str | None
    report: str


def prompt(task: SubmissionTask, original: Version, tried: Sequence[Version]) -> str:
    """Return the prompt for a model that repairs a program.

    Args:
        tried: Earlier versions by the model, in order; all failed.
    """
    return prompts.render(
        "repair_submission.md.j2",
        **about(task, original),
        tried=[
            {
                "number": one.version,
                "code": one.content,
                "error": one.error or one.state,
                "log": shortened(one.log),
            }
            for one in tried
        ],
    )


def about(task: SubmissionTask, original: Version) -> dict[str, str]:
    """Return the values of the template for repairs."""
    return {
        "title": task.title or task.key,
        "mode": task.mode,
        "function": task.function,
        "filename": task.filename,
        "command": " ".join(task.command),
        "description": task.description or "(none)",
        "code": original.content,
        "error": original.error or original.state,
        "log": shortened(original.log),
    }


def shortened(log: str) -> str:
    """Return head and tail of a version's output."""
    if not log:
        return "(nothing)"
    if len(log) <= _MOST_LOG:
        return log
    half = _MOST_LOG // 2
    return f"{log[:half]}\n[... {len(log) - _MOST_LOG} characters left out ...]\n{log[-half:]}"


def read(answer: str) -> Repair:
    """Return the program in an answer (its last fenced block) and the surrounding text."""
    lines = answer.split("\n")
    best: tuple[int, int] | None = None
    opened: tuple[int, str] | None = None
    for index, line in enumerate(lines):
        marks = _marks(line)
        if opened is None:
            opened = (index, marks) if marks else None
        elif marks.startswith(opened[1]) and line.strip() == marks:
            best, opened = (opened[0], index), None
    if best is None:
        return Repair(None, answer.strip())
    begin, end = best
    code = "\n".join(lines[begin + 1 : end]).strip("\n")
    report = "\n".join([*lines[:begin], *lines[end + 1 :]]).strip()
    if not code.strip() or len(code) > MOST_CODE or "\0" in code:
        return Repair(None, report)
    return Repair(f"{code}\n", report)


def _marks(line: str) -> str:
    """Return the fence of a line that opens or closes a fenced block; empty for other lines."""
    text = line.strip()
    number = len(text) - len(text.lstrip("`"))
    return text[:number] if number >= _LEAST_MARKS and "`" not in text[number:] else ""
