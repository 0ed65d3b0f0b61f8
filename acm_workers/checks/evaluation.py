"""Runs all checks of one candidate."""

from collections.abc import Callable, Sequence

from acm_workers.checks import function, json_schema, text
from acm_workers.checks.function import FunctionHost
from acm_workers.checks.text import CheckFinding
from schemas.config.checks import Check
from schemas.units import CheckResult

_READERS: dict[str, Callable[[Check, str], CheckFinding]] = {
    "length": text.length,
    "headings": text.headings,
    "regex": text.regex,
    "links": text.links,
    "json_schema": json_schema.check,
}


def results(candidate: str, checks: Sequence[Check], host: FunctionHost) -> list[CheckResult]:
    """Return the result of each check of a candidate's text."""
    return [_result(candidate, check, host) for check in checks]


def _result(candidate: str, check: Check, host: FunctionHost) -> CheckResult:
    score: float | None = None
    try:
        reader = _READERS.get(check.type)
        found = (
            function.check(check, candidate, host) if reader is None else reader(check, candidate)
        )
        score, reason = found
    except function.NoFunctionResult as error:
        reason = str(error)
    return CheckResult(
        name=check.name,
        type=check.type,
        gate=check.gate,
        weight=check.weight,
        passed=None if score is None else score >= check.at_least,
        score=score,
        reason=reason,
    )
