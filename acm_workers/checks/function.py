"""Checks that call a Python function with a text, in the sandbox of submitted code."""

import os
import threading
from typing import Any, NamedTuple

from acm_workers.checks.text import CheckFinding
from acm_workers.errors import RequestError, SandboxFailed
from acm_workers.processes import sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.submissions import execution
from acm_workers.submissions.execution import ExecutionHost, VersionOutcome
from schemas.config.checks import Check
from schemas.submissions import ISOLATIONS, ExecutionLimits, Isolation

_ATTEMPTS = 2
_AT_ONCE = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))
"""Limits concurrent processes: hundreds of candidates may be ready at once."""

_LONGEST_REASON = 500


class NoFunctionResult(Exception):
    """The function gave no result: it failed, or could not be run."""


class FunctionHost(NamedTuple):
    """The resources that a process gives to functions.

    Attributes:
        folders: Parent folder of the functions' working folders.
        weakest: The weakest acceptable sandbox of this process, regardless of the config.
    """

    folders: WorkFolders
    weakest: Isolation


def check(given: Check, text: str, host: FunctionHost) -> CheckFinding:
    """Call the function of a check with a text.

    Raises:
        NoFunctionResult: The function gave no result.
    """
    for attempt in range(_ATTEMPTS):
        try:
            return _finding(_called(given, text, host))
        except SandboxFailed as error:
            if attempt + 1 == _ATTEMPTS:
                raise NoFunctionResult(f"could not be run: {error}") from error
        except RequestError as error:
            raise NoFunctionResult(f"could not be run: {error}") from error
    raise AssertionError("unreachable")


def _called(given: Check, text: str, host: FunctionHost) -> dict[str, Any]:
    needed = max(given.isolation, host.weakest, key=ISOLATIONS.index)
    sandbox.refuse_weaker(needed)
    limits = ExecutionLimits(
        wall_s=given.timeout_seconds, memory_mb=512, processes=16, output_mb=1, file_mb=16
    )
    lent = ExecutionHost(host.folders, sandbox.strongest(), {}, lambda printed: None, lambda: False)
    with _AT_ONCE, host.folders.fresh("check") as folder:
        execution.let_pass(folder)
        answer = execution.ask(
            ("{in}/run_check.py", given.function, "{in}", "{out}"),
            {"check.py": given.source or "", "text.txt": text},
            limits,
            lent,
            folder / "function",
        )
    if isinstance(answer, VersionOutcome):
        raise NoFunctionResult(answer.error or "the function failed")
    return answer


def _finding(answer: dict[str, Any]) -> CheckFinding:
    """Return the finding in the function's answer, which untrusted code may have forged."""
    if "failed" in answer:
        raise NoFunctionResult(f"the function failed: {str(answer['failed'])[:_LONGEST_REASON]}")
    score = answer.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise NoFunctionResult(
            "the function returned neither true or false nor a number from 0 to 1"
        )
    reason = " ".join(str(answer.get("reason") or "")[: 2 * _LONGEST_REASON].split())
    return CheckFinding(
        float(score), reason[:_LONGEST_REASON].replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
