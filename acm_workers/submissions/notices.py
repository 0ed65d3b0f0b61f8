"""The rules for notices to the authors of submissions."""

from collections.abc import Sequence

from acm_workers.submissions import state
from schemas.submissions import ORIGINAL, DebugSession, Notice, Submission, Version

SILENT_AUTHOR = "System"
"""Author who receives no notices."""


def is_due(versions: Sequence[Version], sessions: Sequence[DebugSession]) -> bool:
    """Return whether everything has ended: no version is open, and no debugger is running."""
    open_versions = any(one.state not in state.ENDED for one in versions)
    return not open_versions and all(session.state == "ended" for session in sessions)


def decide(
    submission: Submission,
    versions: Sequence[Version],
    session: DebugSession | None,
    debugger: str = "Claude",
) -> Notice:
    """Return the notice of a submission whose notice is due; see ``is_due``.

    1. The debugger reports success, and one of its versions has a score or ran out of time: the
       latest version with a score, else the latest that ran out of time, with the report.
    2. The debugger reports failure: the original, with the report.
    3. Else the original, without a report.

    Args:
        versions: Versions of the current round, in order.
        session: The session of the debugger, if any.
        debugger: Name of the debugger in the text.
    """
    original = next(one for one in versions if one.version == ORIGINAL)
    about, report = original, None
    if session is not None and session.report_kind == "success":
        repaired = latest_successful(versions)
        if repaired is not None:
            about, report = repaired, session.report
    elif session is not None and session.report_kind == "failed":
        report = session.report
    return Notice(
        submission_id=submission.id,
        round=submission.round,
        author=submission.author,
        task_key=submission.task_key,
        title=submission.title,
        version=about.version,
        state=about.state,
        score=about.score,
        metrics=about.metrics,
        text=_text(about, report, debugger),
        report=report,
    )


def latest_successful(versions: Sequence[Version]) -> Version | None:
    """Return the debugger's latest version with a score, else the latest that ran out of time."""
    own = [one for one in versions if one.version != ORIGINAL]
    for wanted in ("scored", "timed_out"):
        found = [one for one in own if one.state == wanted]
        if found:
            return max(found, key=lambda one: one.version)
    return None


def display_id(submission_id: int, version: int) -> str:
    """Return the id of a version for texts and logs; never parsed."""
    return str(submission_id) if version == ORIGINAL else f"{submission_id}_v{version}"


def _text(about: Version, report: str | None, debugger: str) -> str:
    why = about.error or about.cause or about.state
    if about.version != ORIGINAL:
        if about.state == "scored":
            return (
                "Your submission succeeded after automatic debugging."
                f" {debugger}'s report: {report}"
            )
        return (
            f"Your submission failed after automatic debugging with error: {why}."
            f" {debugger}'s report: {report}"
        )
    if about.state == "scored":
        return f"Your submission succeeded with score {about.score:g}."
    if about.state == "cancelled":
        return "Your submission was cancelled."
    if report is not None:
        return f"Your submission failed. {debugger} attempted to fix it but encountered: {report}"
    return f"Your submission failed with error: {why}"
