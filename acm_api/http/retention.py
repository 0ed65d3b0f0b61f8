"""Deletion of runs' texts after the server's retention time, and of uploads after a day."""

import threading
from datetime import timedelta

import structlog

from acm_workers import runtime, submit
from acm_workers.errors import Conflict, StoreFailed
from acm_workers.store import deletion, uploads
from acm_workers.store.connection.database import Database

log = structlog.get_logger()

_LOOK_S = 3600.0
_AT_ONCE = 100
_ACTOR = "retention"


class Retention:
    """Deletes old uploads and texts of old runs, at the start and every hour.

    Several servers may do so concurrently.

    Args:
        days: Days for which texts are kept after the end of their run; forever by default.
    """

    def __init__(self, database: Database, days: float | None) -> None:
        self._database = database
        self._days = days
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="acm-retention", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current deletion."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self.delete_uploads()
                deleted = self.delete_due()
            except StoreFailed as error:
                log.warning("old texts cannot be deleted", why=str(error))
                deleted = 0
            self._stopping.wait(0 if deleted == _AT_ONCE else _LOOK_S)

    def delete_uploads(self) -> int:
        """Delete texts that were uploaded more than a day ago; return their number."""
        with self._database.write() as connection:
            return uploads.delete_old(connection, runtime.utc_now())

    def delete_due(self) -> int:
        """Delete the texts of the oldest runs that are due; return the number of runs."""
        if self._days is None:
            return 0
        before = runtime.utc_now() - timedelta(days=self._days)
        with self._database.read() as connection:
            due = deletion.ended_before(connection, before, _AT_ONCE)
        deleted = 0
        for run_id in due:
            if self._stopping.is_set():
                break
            try:
                submit.delete(self._database, run_id, runtime.making(), _ACTOR)
            except Conflict as error:  # its candidates are just being judged again
                log.info("an old run cannot be deleted yet", why=str(error))
                continue
            deleted += 1
            log.info("the texts of an old run were deleted", run=run_id)
        return deleted
