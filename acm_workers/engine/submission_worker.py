"""The worker for code submissions: claims and runs versions, recovers claims, sends notices.

The queue is in the database and polled twice a second by each worker, so no message can be lost.
"""

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import structlog

from acm_workers import runtime
from acm_workers.engine import submission_debugging, submission_models, submission_settlement
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import (
    AcmError,
    AlreadyClaimed,
    BudgetSpent,
    Cancelled,
    ProviderPaused,
    SandboxFailed,
    StoreFailed,
)
from acm_workers.limits import factory
from acm_workers.processes import identity, sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.runtime import Runtime
from acm_workers.settings import Settings
from acm_workers.store import (
    claims,
    debug_sessions,
    outbox,
    resource_pools,
    submission_versions,
    submissions,
    workers,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.resource_pools import ClaimedVersion, ClaimingWorker, WaitingTask
from acm_workers.store.submission_versions import VersionKey
from acm_workers.submissions import delivery, execution, notices, state
from acm_workers.submissions.execution import ExecutionHost
from schemas.submissions import DebugSession

log = structlog.get_logger()

_LOOK_EVERY_S = 0.5
_RENEW_EVERY_S = 5.0
_RECOVER_EVERY_S = 2.0
_LOST_LEASE_S = 20.0
_BUSY_PAUSE_S = 0.05


class SubmissionOptions(NamedTuple):
    """The options of a worker for submissions.

    Attributes:
        jobs: Maximum number of versions that run at the same time.
        debuggers: Maximum number of debuggers that run at the same time.
        until_empty: Whether to end when this worker has nothing left to do.
        host: Name of the machine, which determines the usable slots.
    """

    jobs: int = 1
    debuggers: int = 1
    until_empty: bool = False
    host: str | None = None


class SubmissionWorker:
    """Processes submissions until it is stopped.

    Args:
        show: Callback that receives a line for each event.
        live: Runtime for calls to models; created by default.

    Attributes:
        waiting: Reason why queued versions are not started here.
        failure: The error that ended it, if any.
    """

    def __init__(
        self,
        database: Database,
        options: SubmissionOptions,
        show: Callable[[str], None] = lambda line: None,
        live: Runtime | None = None,
    ) -> None:
        self._database = database
        self._is_own = live is None
        self._live = live or _own_runtime(database)
        self._options = options
        self._show = show
        self._owner = self._live.owner
        self._host = options.host or socket.gethostname()
        self._isolation = sandbox.strongest()
        self._folders = WorkFolders(Path(tempfile.gettempdir()) / f"acm-submissions-{os.getuid()}")
        self._held: dict[VersionKey, int] = {}
        self._sessions: dict[str, int] = {}
        self._unwanted: set[int] = set()
        self._renewed_at = time.monotonic()
        self._changed = threading.Event()
        self._ended = threading.Event()
        self.stopping = threading.Event()
        self.waiting: tuple[WaitingTask, ...] = ()
        self.failure: AcmError | None = None

    @property
    def claiming(self) -> ClaimingWorker:
        """Return the identity of this worker for claims."""
        return ClaimingWorker(self._owner, self._host, identity.own(), self._isolation)

    def run(self) -> None:
        """Work until ``stopping`` is set, or until nothing is left if that was requested.

        Raises:
            StoreFailed: The store failed for longer than a lease lasts.
        """
        self._folders.remove_left_behind()
        others = [
            threading.Thread(target=work, name=f"acm-{name}", daemon=True)
            for name, work in (("leases", self._keep_leases), ("notices", self._send_notices))
        ]
        for thread in others:
            thread.start()
        try:
            with (
                ThreadPoolExecutor(self._options.jobs, "acm-run") as jobs,
                ThreadPoolExecutor(self._options.debuggers, "acm-debug") as debuggers,
            ):
                self._loop(jobs, debuggers)
        finally:
            self.stopping.set()
            self._ended.set()
            for thread in others:
                thread.join()
            self._folders.close()
            if self._is_own:
                self._live.close()
                self._live.limiter.close()
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """Start no further version; running versions are ended and queued again."""
        self.stopping.set()
        if self._is_own:
            self._live.stopping.set()
        self._changed.set()

    def _loop(self, jobs: ThreadPoolExecutor, debuggers: ThreadPoolExecutor) -> None:
        recovered_at = -_RECOVER_EVERY_S
        failing_since: float | None = None
        while not self.stopping.is_set():
            self._changed.clear()
            try:
                if time.monotonic() - recovered_at >= _RECOVER_EVERY_S:
                    submission_settlement.recover(self._database, runtime.utc_now)
                    recovered_at = time.monotonic()
                begun = self._begin(jobs, debuggers)
                if not begun and self._options.until_empty and self._is_empty():
                    return
                failing_since = None
            except StoreFailed as error:
                now = time.monotonic()
                failing_since = failing_since or now
                log.warning("the store is unavailable", error=str(error))
                if now - failing_since > _LOST_LEASE_S:
                    self._give_up(error)
                    return
                begun = False
            if not begun:
                self._changed.wait(_LOOK_EVERY_S)

    def _begin(self, jobs: ThreadPoolExecutor, debuggers: ThreadPoolExecutor) -> bool:
        """Start one queued version and one queued debugger; return whether either was started."""
        begun = False
        if len(self._held) < self._options.jobs:
            with self._database.write() as connection:
                found = resource_pools.claim(connection, self.claiming, runtime.utc_now())
            self.waiting = found.waiting
            if found.version is not None:
                claimed = found.version
                self._held[claimed.key] = claimed.epoch
                self._start(jobs, lambda: self._run(claimed))
                begun = True
        if len(self._sessions) < self._options.debuggers:
            with self._database.write() as connection:
                session = debug_sessions.claim(
                    connection, self._owner, self._host, identity.own(), runtime.utc_now()
                )
            if session is not None:
                self._sessions[session[0].id] = session[1]
                self._start(debuggers, lambda: self._debug(*session))
                begun = True
        return begun

    def _start(self, pool: ThreadPoolExecutor, work: Callable[[], None]) -> None:
        def ended(future: "Future[None]") -> None:
            error = future.exception()
            if isinstance(error, AcmError):
                self._give_up(error)
            elif error is not None:
                log.error("a fault of ACM", exc_info=error)
            self._changed.set()

        pool.submit(work).add_done_callback(ended)

    def _run(self, claimed: ClaimedVersion) -> None:
        key, epoch = claimed.key, claimed.epoch
        shown = notices.display_id(*key)
        try:
            with self._database.write() as connection:
                submission = submissions.get(connection, key.submission_id)
                version = submission_versions.get(connection, key)
                judged = claimed.task.evaluator.kind == "judge"
                isolation = None if judged else self._isolation
                if not submission_versions.mark_running(
                    connection, key, epoch, runtime.utc_now(), isolation
                ):
                    return
            self._show(f"{shown}: runs for {claimed.task.key}")
            host = ExecutionHost(
                self._folders,
                self._isolation,
                claimed.variables,
                lambda text: self._follow(key, epoch, text),
                lambda: self._is_to_end(key),
            )
            try:
                if judged:
                    ended = submission_models.judge(
                        self._live, claimed.task, submission, version, host.cancelled
                    )
                else:
                    ended = execution.execute(claimed.task, submission, version, host)
            except (ProviderPaused, BudgetSpent, Cancelled):
                self._put_back(key, epoch, None, version.attempts)
                return
            except (SandboxFailed, AlreadyClaimed, OSError) as error:
                self._put_back(key, epoch, str(error), version.attempts)
                return
            if ended.cause == "cancelled" and key.submission_id not in self._unwanted:
                self._put_back(key, epoch, None, version.attempts)  # this process stops
                return
            self._database.write_with_retries(
                lambda connection: submission_settlement.save(
                    connection, key, epoch, ended, runtime.utc_now()
                )
            )
            score = ended.score.value if ended.score is not None else None
            self._show(f"{shown}: {ended.cause or f'scored {score:g}'}{_because(ended.error)}")
        finally:
            del self._held[key]

    def _put_back(self, key: VersionKey, epoch: int, why: str | None, attempts: int) -> None:
        """Queue a version again that could not be run, or fail it after several attempts."""
        if why is not None:
            log.warning("a submission could not be run", error=why)
        now = runtime.utc_now()
        with self._database.write() as connection:
            if why is not None and state.after("running", "expire", attempts) == "lost":
                submission_settlement.lose(connection, key, epoch, why, now)
                return
            submission_versions.queue_again(
                connection,
                key,
                epoch,
                now,
                outcome="failed" if why is not None else "given back",
                keep_attempt=why is not None,
            )

    def _debug(self, session: DebugSession, epoch: int) -> None:
        try:
            self._show(f"{session.submission_id}: a debugger works on it")
            ended = submission_debugging.run(
                self._live,
                session,
                epoch,
                self._folders,
                lambda: self.stopping.is_set() or session.submission_id in self._unwanted,
            )
            self._show(f"{session.submission_id}: the debugger ended ({ended})")
        finally:
            del self._sessions[session.id]

    def _follow(self, key: VersionKey, epoch: int, text: str) -> None:
        with self._database.write(single_statement=True) as connection:
            submission_versions.follow_log(connection, key, epoch, text)

    def _is_to_end(self, key: VersionKey) -> bool:
        # Without leases this worker counts as dead, and another one may have begun the version.
        late = time.monotonic() - self._renewed_at > _LOST_LEASE_S
        return self.stopping.is_set() or late or key.submission_id in self._unwanted

    def _keep_leases(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            try:
                if not self._database.is_sqlite:
                    self._follow_clock()
                self._look_for_cancels()
                if time.monotonic() - self._renewed_at >= _RENEW_EVERY_S:
                    self._renew()
            except StoreFailed as error:
                log.warning("leases cannot be renewed", error=str(error))

    def _follow_clock(self) -> None:
        from datetime import UTC, datetime

        with self._database.autocommit() as connection:
            asked_at = datetime.now(UTC)
            told = workers.server_time(connection)
            answered_at = datetime.now(UTC)
        runtime.set_clock(told - answered_at, told - asked_at)

    def _look_for_cancels(self) -> None:
        held = {key.submission_id for key in list(self._held)}
        if not held and not self._sessions:
            return
        with self._database.autocommit() as connection:
            ids = held | set(debug_sessions.submissions_of(connection, list(self._sessions)))
            wanted = submissions.in_state(connection, sorted(ids), "open")
        self._unwanted |= ids - wanted

    def _renew(self) -> None:
        begun_at = time.monotonic()
        held, sessions = dict(self._held), dict(self._sessions)
        with self._database.write() as connection:
            now = runtime.utc_now()
            submission_versions.renew(connection, self._owner, held, now)
            claims.renew(connection, self._owner, dict(self._live.held), now)
            debug_sessions.renew(connection, self._owner, sorted(sessions), now)
        self._renewed_at = begun_at

    def _send_notices(self) -> None:
        while not self._ended.is_set():
            try:
                if send_one_notice(self._database, self._show):
                    self._changed.set()
                    continue
            except StoreFailed as error:
                log.warning("notices cannot be read", error=str(error))
            self._ended.wait(_LOOK_EVERY_S if not self._options.until_empty else _BUSY_PAUSE_S)

    def _is_empty(self) -> bool:
        """Return whether nothing is left that this worker can do now or soon."""
        if self._held or self._sessions:
            return False
        with self._database.read() as connection:
            return not (
                submission_versions.held(connection)
                or debug_sessions.open_count(connection)
                or outbox.is_due(connection, runtime.utc_now())
            )

    def _give_up(self, error: AcmError) -> None:
        self.failure = self.failure or error
        self.stop()


def _own_runtime(database: Database) -> Runtime:
    settings = Settings()
    owner = runtime.new_owner()
    prefix = settings.key_prefix.rstrip(":")
    limiter = factory.limiter({}, settings.broker_url, prefix=prefix, owner=owner)
    return WorkerRuntime(database, limiter, owner)


def send_one_notice(database: Database, show: Callable[[str], None] = lambda line: None) -> bool:
    """Send the next due notice; return whether there was one."""
    now = runtime.utc_now()
    with database.autocommit() as connection:
        if not outbox.is_due(connection, now):
            return False
    with database.write() as connection:
        message = outbox.claim(connection, identity.own(), now)
    if message is None:
        return False
    try:
        delivery.deliver(message.target, message.id, message.payload, now)
    except AcmError as error:
        log.warning("a notice was not sent", submission=message.submission_id, error=str(error))
        with database.write() as connection:
            outbox.failed(connection, message, str(error), runtime.utc_now())
        return True
    database.write_with_retries(
        lambda connection: outbox.sent(connection, message, runtime.utc_now())
    )
    notice = message.payload
    show(f"{message.submission_id}: notice to {notice['author']}: {notice['text']}")
    return True


def _because(error: str | None) -> str:
    return "" if error is None else f" ({error.splitlines()[0][:200] if error else ''})"
