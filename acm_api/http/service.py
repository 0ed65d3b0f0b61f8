"""The objects that the routes of one server share."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, NamedTuple

import structlog
from fastapi import Depends, Request

from acm_api import execution
from acm_api.http.access import LoginLimit
from acm_api.http.dispatcher import Dispatcher
from acm_api.http.request_limit import RequestLimit
from acm_api.http.retention import Retention
from acm_workers.errors import AcmError
from acm_workers.settings import Settings
from acm_workers.store import results, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from acm_workers.store.runs import RunStanding

log = structlog.get_logger()

_FRESH_S = 0.5
_LONG_S = 0.025
"""If a count takes longer, callers get a count of the last minute instead."""

_OLDEST_S = 60.0
_MOST_RUNS = 256


class Service:
    """The store, and the executor of runs.

    Attributes:
        single_user: No login is needed, because only this machine can connect.
    """

    def __init__(self, database: Database, settings: Settings, *, single_user: bool = True) -> None:
        self.database = database
        self.settings = settings
        self.single_user = single_user
        self.dispatcher = Dispatcher(database, settings)
        self.retention = Retention(database, settings.retention_days)
        self.progress = SharedProgress(self._progress, self._standing)
        self.logins = LoginLimit()
        self.requests = RequestLimit(round(settings.requests_per_minute))

    def _progress(self, run_id: str) -> Progress:
        with self.database.read() as connection:
            return results.progress(connection, run_id)

    def _standing(self, run_id: str) -> RunStanding | None:
        with self.database.read() as connection:
            return runs.standing(connection, run_id)


class CountedProgress(NamedTuple):
    """Progress, and the time of its count.

    Attributes:
        standing: State of the run before the count.
        at: End of the count, in monotonic seconds.
        took_s: Duration of the count.
    """

    progress: Progress
    standing: RunStanding | None
    at: float
    took_s: float


class SharedProgress:
    """Counts the progress of a run once for all its followers.

    Counting the units of a huge run takes time. Callers receive the last count while a thread
    counts again; counting takes at most 5 % of the time. Only the counts may be old: the state of
    the run is read for each answer. If the run was paused, cancelled, resumed or deleted by any
    server, or has ended, it is counted at once.

    Args:
        count: Counts the progress of a run.
        standing: Reads the state of a run.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        count: Callable[[str], Progress],
        standing: Callable[[str], RunStanding | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._standing = standing
        self._clock = clock
        self._lock = threading.Lock()
        self._locks: OrderedDict[str, threading.Lock] = OrderedDict()
        self._known: dict[str, CountedProgress] = {}
        self._recounted: set[str] = set()
        self._counter = ThreadPoolExecutor(1, "acm-progress")

    def of(self, run_id: str) -> Progress:
        """Return the progress of a run, with counts of the last half second (huge runs: minute)."""
        with self._lock:
            lock = self._locks.setdefault(run_id, threading.Lock())
            self._locks.move_to_end(run_id)
            while len(self._locks) > _MOST_RUNS:
                old, _ = self._locks.popitem(last=False)
                self._known.pop(old, None)
        with lock:
            known = self._known.get(run_id)
            if known is not None and known.standing != self._standing(run_id):
                known = None
            age_s = math.inf if known is None else self._clock() - known.at
            if known is None or age_s > (_FRESH_S if known.took_s < _LONG_S else _OLDEST_S):
                known = self._known[run_id] = self._counted(run_id)
            elif age_s > max(_FRESH_S, execution.poll_interval_s(known.took_s)):
                self._count_soon(run_id, known)
            return known.progress

    def _count_soon(self, run_id: str, known: CountedProgress) -> None:
        if run_id in self._recounted:
            return
        self._recounted.add(run_id)

        def recount() -> None:
            try:
                found = self._counted(run_id)
                if self._known.get(run_id) is known:  # else it was counted meanwhile
                    self._known[run_id] = found
            except AcmError as error:
                log.warning("progress not counted", run=run_id, error=str(error))
            finally:
                self._recounted.discard(run_id)

        self._counter.submit(recount)

    def _counted(self, run_id: str) -> CountedProgress:
        standing = self._standing(run_id)
        began = self._clock()
        progress = self._count(run_id)
        ended = self._clock()
        return CountedProgress(progress, standing, ended, ended - began)


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


CurrentService = Annotated[Service, Depends(_service)]
