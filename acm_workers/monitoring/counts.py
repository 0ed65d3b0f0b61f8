"""Counts all calls without rereading them each time."""

from datetime import datetime, timedelta

from acm_workers.store import call_metrics
from acm_workers.store.call_metrics import CallKind, CallSums
from acm_workers.store.connection.database import Database

_PAGE = 20_000
_PAGES = 10
"""Maximum number of pages per read; large stores are read in several reads."""

_OPEN_AT_ONCE = 500

_RECENT = timedelta(minutes=2)
"""Upper bound of the difference between machines' clocks, which determine the order of ids."""


class CallCounter:
    """Counts finished calls for metrics.

    Calls are recorded approximately in the order of their ids. Older calls are read once and kept
    as sums, the ids of older calls that have not ended are remembered, and only the latest calls
    are read each time.

    Args:
        page: Maximum number of calls that one query reads.
    """

    def __init__(self, database: Database, page: int = _PAGE) -> None:
        self._database = database
        self._page = page
        self._passed = ""
        self._sums: dict[CallKind, CallSums] = {}
        self._open: set[str] = set()

    def read(self, now: datetime) -> dict[CallKind, CallSums] | None:
        """Return the sums of all calls; None until all older calls have been read.

        Raises:
            StoreFailed: The store cannot be read.
        """
        if not self._catch_up(call_metrics.first_id_at(now - _RECENT)):
            return None
        self._look_at_open()
        with self._database.read() as connection:
            recent = call_metrics.page(connection, self._passed, None, self._page * _PAGES)
        return _together(self._sums, recent.tallies)

    def _catch_up(self, before: str) -> bool:
        for _ in range(_PAGES):
            with self._database.read() as connection:
                page = call_metrics.page(connection, self._passed, before, self._page)
            self._sums = _together(self._sums, page.tallies)
            self._open.update(page.started)
            self._passed = page.last or self._passed
            if page.rows < self._page:
                return True
        return False

    def _look_at_open(self) -> None:
        waiting = sorted(self._open)
        for start in range(0, len(waiting), _OPEN_AT_ONCE):
            some = waiting[start : start + _OPEN_AT_ONCE]
            with self._database.read() as connection:
                page = call_metrics.ended(connection, some)
            self._sums = _together(self._sums, page.tallies)
            self._open.difference_update(set(some) - set(page.started))


def _together(
    one: dict[CallKind, CallSums], other: dict[CallKind, CallSums]
) -> dict[CallKind, CallSums]:
    both = dict(one)
    for kind, tally in other.items():
        both[kind] = both[kind].plus(tally) if kind in both else tally
    return both
