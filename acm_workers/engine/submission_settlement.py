"""Decides the next step after the end of a version or debugger: a debugger, a notice, or none.

The next step is stored in the transaction that saves the end, so a crash cannot lose it.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from acm_workers.engine import sweep
from acm_workers.errors import Conflict
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.processes import identity, orphans
from acm_workers.store import (
    debug_sessions,
    outbox,
    submission_tasks,
    submission_versions,
    submissions,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from acm_workers.store.submission_versions import HeldVersion, VersionKey
from acm_workers.submissions import notices, state
from acm_workers.submissions.execution import VersionOutcome
from schemas.submissions import ORIGINAL, Notice, Submission, SubmissionState, SubmissionTask


def save(
    connection: Connection, key: VersionKey, epoch: int, execution: VersionOutcome, now: datetime
) -> bool:
    """Save the end of a version with the next step; return whether the claim was still valid."""
    submissions.lock(connection, key.submission_id)
    score = execution.score
    values: dict[str, Any] = {"cause": execution.cause, "error": execution.error}
    if score is not None:
        sort_key = None if score.sort_key is None else list(score.sort_key)
        values |= {"score": score.value, "sort_key": sort_key}
        values |= {"metrics": score.metrics, "message": score.message}
    ended = submission_versions.end(
        connection,
        key,
        epoch,
        state.after("running", state.end_of(execution.cause)),
        now,
        exit_code=execution.exit_code,
        log=execution.log,
        **values,
    )
    if ended:
        settle(connection, key.submission_id, now)
    return ended


def settle(connection: Connection, submission_id: int, now: datetime) -> None:
    """Queue a debugger if necessary, or add the notice if everything has ended."""
    submission = submissions.lock(connection, submission_id)
    if submission.state != "open":
        return
    versions = submission_versions.of_submission(connection, submission_id, submission.round)
    original = next((one for one in versions if one.version == ORIGINAL), None)
    if original is None or original.state not in state.ENDED:
        return
    task = submission_tasks.get(connection, submission.task_key)
    sessions = [
        session
        for session in debug_sessions.of_submission(connection, submission_id)
        if session.round == submission.round
    ]
    if not sessions and state.needs_debugger(submission, original, task.debugger):
        assert task.debugger is not None  # noqa: S101  tells the type checker
        kind = task.debugger.kind
        debug_sessions.add(connection, submission_id, submission.round, kind, now)
        return
    if not notices.is_due(versions, sessions):
        return
    name = task.debugger.name if task.debugger is not None else "the debugger"
    notice = notices.decide(submission, versions, sessions[0] if sessions else None, name)
    submissions.finish(connection, submission_id, notice.version, now)
    _send(connection, task, notice, now)


def resend(connection: Connection, submission_id: int, now: datetime) -> Notice:
    """Send the notice of a finished submission again.

    Raises:
        Conflict: The submission is not finished.
    """
    submission = submissions.lock(connection, submission_id)
    if submission.state != "finished":
        raise Conflict(f"submission {submission_id} is {submission.state}: it has no notice")
    task = submission_tasks.get(connection, submission.task_key)
    sent = outbox.of_submission(connection, submission_id)
    versions = submission_versions.of_submission(connection, submission_id, submission.round)
    sessions = [
        session
        for session in debug_sessions.of_submission(connection, submission_id)
        if session.round == submission.round
    ]
    name = task.debugger.name if task.debugger is not None else "the debugger"
    notice = notices.decide(submission, versions, sessions[0] if sessions else None, name)
    _send(connection, task, notice, now, again=f" again after {len(sent)}")
    return notice


def close(connection: Connection, submission_id: int, to: SubmissionState, now: datetime) -> None:
    """Cancel or void a submission; no further version starts, and workers end a running version.

    Raises:
        Conflict: The submission has already ended and cannot be cancelled.
    """
    submission = submissions.lock(connection, submission_id)
    if to == "cancelled" and submission.state != "open":
        raise Conflict(f"submission {submission_id} is {submission.state} already")
    submissions.close(connection, submission_id, to, now)
    submission_versions.cancel_queued(connection, submission_id, now, f"it was {_word(to)}")
    debug_sessions.end_all(connection, submission_id, now)


def restart(connection: Connection, submission_id: int, now: datetime) -> None:
    """Run a submission again from the original.

    Raises:
        Conflict: A version of the submission is running.
    """
    submission = submissions.lock(connection, submission_id)
    versions = submission_versions.of_submission(connection, submission_id)
    if submission.state == "open" or any(one.state not in state.ENDED for one in versions):
        raise Conflict(f"submission {submission_id} is still open: cancel it first")
    round_ = submissions.reopen(connection, submission_id)
    submission_versions.restart(connection, VersionKey(submission_id, ORIGINAL), round_, now)


def recover(database: Database, now: Callable[[], datetime]) -> int:
    """Release the claims of dead workers; return their numbers of versions, sessions and notices.

    A worker on this machine is dead when its process is dead; its child processes are ended first.
    A worker on another machine counts as dead some time after its lease expired, so that its child
    processes have ended as well.
    """
    with database.read() as connection:
        held = submission_versions.held(connection)
        sessions = debug_sessions.held(connection)
        senders = outbox.sending(connection)
    at = now()
    late = at - submission_versions.KILL_GRACE
    dead = [one for one in held if one.lease_until < late or identity.is_dead(one.process)]
    dead_sessions = [
        one for one in sessions if one.lease_until < late or identity.is_dead(one.process)
    ]
    unsent = [(message, epoch) for message, epoch, by in senders if identity.is_dead(by)]
    if not dead and not dead_sessions and not unsent:
        return 0
    orphans.kill_left_behind()
    owners = {one.owner for one in dead} | {one.owner or "" for one in dead_sessions}
    for owner in sorted(owners - {""}):
        sweep.release_owner(database, owner, RecordContext(at, new_id))  # their calls to models
    with database.write() as connection:
        for message, epoch in unsent:
            outbox.release(connection, message, epoch, at)
        for one in dead:
            _expire(connection, one, at)
        for session in dead_sessions:
            if session.kind == "llm" and session.epoch < state.MOST_ATTEMPTS:
                # What the model has written is in the store, and paid.
                debug_sessions.queue_again(connection, session.id, session.epoch)
            elif debug_sessions.expire(connection, session.id, session.epoch, at):
                settle(connection, session.submission_id, at)
    return len(dead) + len(dead_sessions) + len(unsent)


def _expire(connection: Connection, one: HeldVersion, now: datetime) -> None:
    """End the claim of a dead worker on a version, which is queued again, lost or cancelled."""
    submission = submissions.lock(connection, one.key.submission_id)
    if submission.state != "open":
        error = f"it was {_word(submission.state)}"
        submission_versions.end(
            connection, one.key, one.epoch, "cancelled", now, cause="cancelled", error=error
        )
        return
    if state.after(one.state, "expire", one.attempts) == "lost":
        lose(connection, one.key, one.epoch, f"its worker died {one.attempts} times", now)
        return
    submission_versions.queue_again(connection, one.key, one.epoch, now, outcome="expired")


def lose(connection: Connection, key: VersionKey, epoch: int, why: str, now: datetime) -> None:
    """End a version that this deployment cannot run."""
    submissions.lock(connection, key.submission_id)
    if submission_versions.end(connection, key, epoch, "lost", now, cause="lost", error=why):
        settle(connection, key.submission_id, now)


def _send(
    connection: Connection,
    task: SubmissionTask,
    notice: Notice,
    now: datetime,
    again: str = "",
) -> None:
    if notice.author == notices.SILENT_AUTHOR:
        return
    payload = notice.model_dump(mode="json")
    for index, target in enumerate(task.notify):
        key = f"{notice.submission_id} round {notice.round} to {index}{again}"
        outbox.add(connection, key, notice.submission_id, target, payload, now)


def _word(to: SubmissionState) -> str:
    return "declared void" if to == "void" else to


def is_wanted(submission: Submission) -> bool:
    """Return whether the running work for a submission is still needed."""
    return submission.state == "open"
