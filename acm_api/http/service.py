"""What the routes of one server share."""

import threading
import time
from collections import OrderedDict
from typing import Annotated

from fastapi import Depends, Request

from acm_api import execution
from acm_api.http.access import LoginLimit
from acm_api.http.dispatcher import Dispatcher
from acm_api.http.retention import Retention
from acm_workers.settings import Settings
from acm_workers.store import results
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress

_FRESH_S = 0.5
_MOST_RUNS = 256


class Service:
    """The store, and who executes the runs.

    Attributes:
        single_user: Nobody has to log in: only this machine can connect.
    """

    def __init__(self, database: Database, settings: Settings, *, single_user: bool = True) -> None:
        self.database = database
        self.settings = settings
        self.single_user = single_user
        self.dispatcher = Dispatcher(database, settings)
        self.retention = Retention(database, settings.retention_days)
        self.progress = SharedProgress(database)
        self.logins = LoginLimit()


class SharedProgress:
    """Counts the progress of a run once for all that follow it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._locks: OrderedDict[str, threading.Lock] = OrderedDict()
        self._known: dict[str, tuple[Progress, float]] = {}

    def of(self, run_id: str) -> Progress:
        """Return the progress of a run, half a second old at most; of huge runs it is older."""
        with self._lock:
            lock = self._locks.setdefault(run_id, threading.Lock())
            self._locks.move_to_end(run_id)
            while len(self._locks) > _MOST_RUNS:
                old, _ = self._locks.popitem(last=False)
                self._known.pop(old, None)
        with lock:
            known = self._known.get(run_id)
            if known is not None and time.monotonic() < known[1]:
                return known[0]
            began = time.monotonic()
            with self._database.read() as connection:
                progress = results.progress(connection, run_id)
            pause_s = max(_FRESH_S, execution.poll_interval_s(time.monotonic() - began))
            self._known[run_id] = progress, time.monotonic() + pause_s
            return progress

    def forget(self, run_id: str) -> None:
        """Count anew: the run was just changed."""
        self._known.pop(run_id, None)


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


CurrentService = Annotated[Service, Depends(_service)]
