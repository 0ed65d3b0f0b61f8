"""Sessions of a model as debugger, which writes versions until a version has a score."""

import time
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.calls.unit_caller import UnitCaller
from acm_workers.calls.unit_work import UnitResult
from acm_workers.engine import submission_models, submission_settlement
from acm_workers.errors import AcmError
from acm_workers.generators import text
from acm_workers.runtime import Runtime
from acm_workers.store import debug_sessions, submission_versions, submissions
from acm_workers.submissions import repair, state
from schemas.calls import Message, Request
from schemas.config.config import Config
from schemas.config.variant import Model
from schemas.submissions import (
    ORIGINAL,
    DebuggerSpec,
    DebugSession,
    ReportKind,
    Submission,
    SubmissionTask,
    Version,
)

_LOOK_EVERY_S = 0.2


class SessionEnd(NamedTuple):
    """The end of a session."""

    report_kind: ReportKind | None
    report: str
    log: str = ""


def run(
    live: Runtime,
    session: DebugSession,
    epoch: int,
    task: SubmissionTask,
    submission: Submission,
    is_to_stop: Callable[[], bool],
) -> SessionEnd:
    """Request versions from a model until a version has a score, or attempts or time are used up.

    Versions written before a crash are in the store, and are neither paid for nor run again.
    """
    assert task.debugger is not None  # noqa: S101  tells the type checker
    return _Session(live, session, epoch, task, submission, task.debugger).run(is_to_stop)


class _Session:
    def __init__(
        self,
        live: Runtime,
        session: DebugSession,
        epoch: int,
        task: SubmissionTask,
        submission: Submission,
        debugger: DebuggerSpec,
    ) -> None:
        self._live = live
        self._session = session
        self._epoch = epoch
        self._task = task
        self._submission = submission
        self._debugger = debugger
        self._until = time.monotonic() + debugger.wall_s

    def run(self, is_to_stop: Callable[[], bool]) -> SessionEnd:
        """See ``run``."""
        while not is_to_stop():
            original, tried, last_number = self._look()
            latest = tried[-1] if tried else None
            left_s = self._until - time.monotonic()
            if latest is not None and latest.state not in state.ENDED and left_s > 0:
                time.sleep(_LOOK_EVERY_S)
                continue
            if latest is not None and (latest.state not in state.ENDED or _is_good(latest)):
                # One that is still to be run counts as a success only if it becomes one.
                return SessionEnd("success", self._model_answer(latest) or "(no report)")
            if left_s <= 0:
                return SessionEnd(None, "", f"its {self._debugger.wall_s:g} s were over")
            if len(tried) >= self._debugger.attempts:
                return SessionEnd("failed", self._failure(tried))
            try:
                ended = self._propose(original, tried, last_number + 1, left_s)
            except AcmError as error:
                if is_to_stop():
                    break
                return SessionEnd(None, "", str(error))
            if ended is not None:
                return ended
        return SessionEnd(None, "", "it was ended")

    def _look(self) -> tuple[Version, list[Version], int]:
        """Return the original, the model's own versions of this round, and the last number."""
        with self._live.database.read() as connection:
            found = submission_versions.of_submission(connection, self._submission.id)
        original = next(one for one in found if one.version == ORIGINAL)
        own = [
            one for one in found if one.source == "debugger" and one.round == self._session.round
        ]
        return original, own, found[-1].version

    def _propose(
        self, original: Version, tried: list[Version], number: int, left_s: float
    ) -> SessionEnd | None:
        """Request the next version from the model; return the session's end if there is none."""
        provider, _, name = (self._debugger.model or "").partition(":")
        model = Model(provider=provider, model=name)
        prompt = repair.prompt(self._task, original, tried)
        found = repair.Repair(None, "")

        def work(calls: UnitCaller, config: Config) -> UnitResult:
            nonlocal found

            def new_request(hints: str | None) -> Request:
                content = prompt if hints is None else f"{prompt}\n\n{hints}"
                return Request(
                    provider=provider,
                    model=name,
                    messages=(Message(role="user", content=content),),
                    max_tokens=self._debugger.max_tokens,
                )

            answer = text.generate(calls, new_request, attempts=config.retries.attempts)
            found = repair.read(answer.text)
            if any(one.content == found.code for one in (original, *tried)):
                found = repair.Repair(None, f"{found.report}\n(The program is as it was before.)")
            values = {"text": answer.text, "proof": answer.proof.model_dump()}
            return UnitResult(values, lambda connection: self._add(connection, found.code, number))

        key = submission_models.WrittenVersion(self._submission, self._session.round, number)
        ended = submission_models.ask(self._live, self._task, key, model, work, left_s)
        if ended.error is not None:
            return SessionEnd(None, "", str(ended.error))
        if found.code is None:
            return SessionEnd("failed", found.report or "the model gave no program")
        return None

    def _add(self, connection: Connection, code: str | None, number: int) -> None:
        """Add a version in the transaction that saves the model's answer."""
        submission = submissions.lock(connection, self._submission.id)
        if code is None or not submission_settlement.is_wanted(submission):
            return
        if not debug_sessions.is_held(connection, self._session.id, self._epoch):
            return
        submission_versions.add(
            connection,
            submission.id,
            submission.task_key,
            code,
            runtime.utc_now(),
            source="debugger",
            round_=self._session.round,
            number=number,
        )

    def _model_answer(self, version: Version) -> str:
        key = submission_models.WrittenVersion(
            self._submission, self._session.round, version.version
        )
        answer = submission_models.answer(self._live, self._task, key)
        return "" if answer is None else repair.read(answer).report

    def _failure(self, tried: list[Version]) -> str:
        last = tried[-1]
        number = len(tried)
        which = "the version that was tried" if number == 1 else f"each of {number} versions"
        return f"{which} failed, the last one with: {last.error or last.state}"


def _is_good(version: Version) -> bool:
    return version.state == "scored"
