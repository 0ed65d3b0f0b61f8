"""The recorded cases of a submission's life, and the notice that each ends in."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from acm_workers.submissions import notices, state
from schemas.submissions import DebuggerSpec, DebugSession, Submission, Version

NOW = datetime(2026, 3, 2, tzinfo=UTC)
SUBMISSION = Submission(id=3, task_key="circles", author="ada", title="grid", created_at=NOW)
DEBUGGER = DebuggerSpec(kind="command", command=("fix",))
LOOSE = DEBUGGER.model_copy(update={"on": ("crash", "rejected")})

GOOD: dict[str, Any] = {"state": "scored", "score": 2.16666664}
BETTER: dict[str, Any] = {"state": "scored", "score": 2.2}
CRASH: dict[str, Any] = {"state": "failed", "cause": "crash", "error": "ZeroDivisionError"}
OVERLAP: dict[str, Any] = {"state": "rejected", "cause": "rejected", "error": "circles overlap"}
SLOW: dict[str, Any] = {"state": "timed_out", "cause": "timeout", "error": "no end in 60 s"}


class Case(NamedTuple):
    """What happened, and what the author is to be told."""

    versions: tuple[dict[str, Any], ...]
    report: str | None
    version: int
    told: bool
    begins: str
    debugged: bool = True


FIXED = "Your submission succeeded after automatic debugging. Claude's report: a success report"
GAVE_UP = "Your submission failed. Claude attempted to fix it but encountered: a failed report"
PLAIN = "Your submission failed with error: ZeroDivisionError"
CASES = {
    "2 good code": Case((GOOD,), None, 1, False, "Your submission succeeded", debugged=False),
    "3 overlapping circles": Case(
        (OVERLAP,), None, 1, False, "Your submission failed with error: circles", debugged=False
    ),
    "4 repaired at version 2": Case((CRASH, GOOD), "success", 2, True, FIXED),
    "5 repaired at version 3": Case((CRASH, CRASH, GOOD), "success", 3, True, FIXED),
    "6 the debugger gives up": Case((CRASH, CRASH), "failed", 1, True, GAVE_UP),
    "7 a success that is none": Case((CRASH, CRASH), "success", 1, False, PLAIN),
    "8 no report": Case((CRASH, CRASH), None, 1, False, PLAIN),
    "9 a report before the version ran": Case((CRASH, GOOD), "success", 2, True, FIXED),
    "10 version 2 good, 3 bad": Case((CRASH, GOOD, CRASH), "success", 2, True, FIXED),
    "11 the original runs out of time": Case(
        (SLOW,), None, 1, False, "Your submission failed with error: no end", debugged=False
    ),
    "12 version 2 runs out of time": Case(
        (CRASH, SLOW), "success", 2, True, "Your submission failed after automatic debugging"
    ),
    "13 the debugger hangs": Case((CRASH,), None, 1, False, PLAIN),
    "14 no debugger wanted": Case((CRASH,), None, 1, False, PLAIN, debugged=False),
    "the best is not the latest": Case((CRASH, BETTER, GOOD), "success", 3, True, FIXED),
    "a score counts more than a later timeout": Case(
        (CRASH, GOOD, SLOW), "success", 2, True, FIXED
    ),
    "good version, but the debugger says it failed": Case(
        (CRASH, GOOD), "failed", 1, True, GAVE_UP
    ),
    "success, but the evaluator rejects": Case((CRASH, OVERLAP), "success", 1, False, PLAIN),
}


def versions(*found: dict[str, Any]) -> list[Version]:
    return [
        Version(
            submission_id=3,
            version=number,
            source="author" if number == 1 else "debugger",
            content="def solve(): ...",
            queued_at=NOW,
            **one,
        )
        for number, one in enumerate(found, start=1)
    ]


def session(report: str | None, **values: Any) -> DebugSession:
    base: dict[str, Any] = {"state": "ended", "report_kind": report}
    return DebugSession(
        id="S",
        submission_id=3,
        round=1,
        kind="command",
        created_at=NOW,
        report="" if report is None else f"a {report} report",
        **(base | values),
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_recorded_case_ends_in_its_notice(case: Case) -> None:
    of = session(case.report) if case.debugged else None

    told = notices.decide(SUBMISSION, versions(*case.versions), of)

    assert (told.version, told.report is not None) == (case.version, case.told)
    assert told.text.startswith(case.begins)


@pytest.mark.parametrize(
    ("original", "debugger", "no_debugger", "asked"),
    [
        (CRASH, DEBUGGER, False, True),
        (CRASH, None, False, False),
        (CRASH, DEBUGGER, True, False),
        (SLOW, DEBUGGER, False, False),
        (OVERLAP, DEBUGGER, False, False),
        (OVERLAP, LOOSE, False, True),
        (GOOD, LOOSE, False, False),
    ],
)
def test_a_debugger_is_asked_only_for_the_failures_that_the_task_names(
    original: dict[str, Any], debugger: DebuggerSpec | None, no_debugger: bool, asked: bool
) -> None:
    submission = SUBMISSION.model_copy(update={"no_debugger": no_debugger})

    (first,) = versions(original)
    assert state.needs_debugger(submission, first, debugger) is asked


def test_nothing_is_told_while_a_version_or_a_debugger_is_at_work() -> None:
    running = {"state": "running"}

    assert not notices.is_due(versions(CRASH, running), [session("success")])
    assert not notices.is_due(versions(CRASH), [session(None, state="claimed")])
    assert notices.is_due(versions(CRASH), [session(None)])
    assert notices.is_due(versions(GOOD), [])


def test_the_original_has_the_plain_number_as_its_id() -> None:
    assert [notices.display_id(3, version) for version in (1, 2)] == ["3", "3_v2"]
