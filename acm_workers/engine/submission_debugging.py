"""Sessions of debuggers, whose files become versions and whose reports become notices."""

import sys
from collections.abc import Callable
from pathlib import Path

from acm_workers import runtime
from acm_workers.engine import submission_repair, submission_settlement
from acm_workers.engine.submission_repair import SessionEnd
from acm_workers.errors import ChildNotStarted
from acm_workers.processes import child, environment
from acm_workers.processes.folders import WorkFolders
from acm_workers.processes.spec import ChildSpec
from acm_workers.runtime import Runtime
from acm_workers.store import (
    debug_sessions,
    submission_tasks,
    submission_versions,
    submissions,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.submission_versions import VersionKey
from acm_workers.submissions import state
from acm_workers.submissions.workspace import NewVersion, Workspace
from schemas.submissions import (
    ORIGINAL,
    DebuggerSpec,
    DebugSession,
    SubmissionTask,
    Version,
)

_MEMORY_BYTES = 4 << 30


def run(
    live: Runtime,
    session: DebugSession,
    epoch: int,
    folders: WorkFolders,
    is_to_stop: Callable[[], bool],
) -> str:
    """Run a claimed session to its end; return a word for the outcome.

    Files are collected before the session ends, so a version written just before the report is
    evaluated as well.
    """
    database = live.database
    with database.read() as connection:
        submission = submissions.get(connection, session.submission_id)
        task = submission_tasks.get(connection, submission.task_key)
        versions = submission_versions.of_submission(connection, submission.id)
    if task.debugger is None:
        return _end(database, session, epoch, SessionEnd(None, "", "the task has no debugger"))
    original = next(one for one in versions if one.version == ORIGINAL)
    if task.debugger.kind == "llm":
        ended = submission_repair.run(live, session, epoch, task, submission, is_to_stop)
    else:
        with folders.fresh("debug") as folder:
            workspace = Workspace(folder, versions[-1].version + 1)
            workspace.write(task, submission, original)
            harvest = _VersionCollector(database, session, epoch, task.debugger, workspace, task)
            ended = _command(task.debugger, task, original, workspace, harvest, is_to_stop)
            harvest.look(final=True)
    if is_to_stop() and ended.report_kind is None:
        with database.write() as connection:
            if debug_sessions.queue_again(connection, session.id, epoch):
                return "given back"
    return _end(database, session, epoch, ended)


class _VersionCollector:
    """Adds the files of a debugger as versions, and reports their results to the debugger."""

    def __init__(
        self,
        database: Database,
        session: DebugSession,
        epoch: int,
        debugger: DebuggerSpec,
        workspace: Workspace,
        task: SubmissionTask,
    ) -> None:
        self._database = database
        self._session = session
        self._epoch = epoch
        self._debugger = debugger
        self._workspace = workspace
        self._task = task
        self._open: dict[int, int] = {}
        self._taken = 0

    def look(self, *, final: bool = False) -> None:
        """Add new versions, and report the results of ended ones."""
        for new in self._workspace.harvest(final=final):
            self._take(new)
        if self._open:
            self._tell()

    def _take(self, new: NewVersion) -> None:
        if self._taken >= self._debugger.attempts:
            self._workspace.refuse(new.number, f"all {self._debugger.attempts} attempts are used")
            self._workspace.mark(new)
            return
        with self._database.write() as connection:
            submission = submissions.lock(connection, self._session.submission_id)
            if not submission_settlement.is_wanted(submission):
                return
            if not debug_sessions.is_held(connection, self._session.id, self._epoch):
                return
            version = submission_versions.add(
                connection,
                submission.id,
                submission.task_key,
                new.content,
                runtime.utc_now(),
                source="debugger",
                round_=self._session.round,
            )
        self._workspace.mark(new)
        self._taken += 1
        self._open[new.number] = version

    def _tell(self) -> None:
        with self._database.read() as connection:
            for number, version in list(self._open.items()):
                key = VersionKey(self._session.submission_id, version)
                found = submission_versions.get(connection, key)
                if found.state in state.ENDED:
                    self._workspace.tell(number, found)
                    del self._open[number]


def _command(
    debugger: DebuggerSpec,
    task: SubmissionTask,
    original: Version,
    workspace: Workspace,
    harvest: _VersionCollector,
    is_to_stop: Callable[[], bool],
) -> SessionEnd:
    """Run a debugger that is a program."""
    folder = workspace.folder
    places = {"{workspace}": str(folder), "{prompt}": workspace.prompt(task, original)}
    argv = tuple(_filled(argument, places) for argument in debugger.command)

    def look() -> bool:
        harvest.look()
        return is_to_stop()

    more = {"ACM_WORKSPACE": str(folder), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    given = environment.allowed(folder, {}, *debugger.pass_environment)
    more["PATH"] = f"{given.get('PATH', '')}:{more['PATH']}"
    spec = ChildSpec(
        argv=argv,
        environment={**given, **more},
        folder=folder,
        events="stdout",
        soft_deadline_s=debugger.wall_s,
        memory_bytes=_MEMORY_BYTES,
    )
    try:
        ended = child.run(spec, cancelled=look)
    except ChildNotStarted as error:
        return SessionEnd(None, "", str(error))
    log = f"{ended.stdout.text}\n{ended.stderr.text}".strip().replace("\0", "")
    if ended.reason != "ended":  # what a debugger wrote that was ended is no report
        return SessionEnd(None, "", f"{child.describe(ended)}\n{log}")
    kind, report = workspace.report()
    return SessionEnd(kind, report, log)


def _end(database: Database, session: DebugSession, epoch: int, ended: SessionEnd) -> str:
    now = runtime.utc_now()
    with database.write() as connection:
        submissions.lock(connection, session.submission_id)
        values = ended._asdict()
        if debug_sessions.end(connection, session.id, epoch, now, **values):
            submission_settlement.settle(connection, session.submission_id, now)
    return ended.report_kind or "no report"


def _filled(text: str, places: dict[str, str]) -> str:
    for word, place in places.items():
        text = text.replace(word, place)
    return text
