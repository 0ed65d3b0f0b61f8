"""Which of all worker processes leads: the one that can do all of it, soonest.

Whoever has just begun must not free leases for a while (``renewals``). If it led because it came
first, and were killed as soon as another, what the dead had in hand would never be freed. So who
has lived for longer goes before it. And because a sweep takes time from the work of a process that
serves a provider, such a one leads only while nobody who serves ``control`` can.
"""

import math
from collections.abc import Callable
from datetime import timedelta

from acm_workers import app, runtime
from acm_workers.engine.lease_health import LeaseHealth
from acm_workers.store import locks, workers
from acm_workers.store.connection.database import Database

_PATIENCE_S = {
    # serves control, can free leases
    (True, True): 0.0,
    (False, True): 1.0,
    (True, False): 3.0,
    (False, False): 5.0,
}
"""How long the lead must have been free until a process takes it; each looks every second."""

_SETTLED = timedelta(seconds=20)
"""A process of this age can free leases unless the store was away, and then nobody can."""


class LeaderElection:
    """The lead, as one process sees it.

    Args:
        renewals: Those of this process, by the same clock.
        clock: Seconds that pass, from whenever.
    """

    def __init__(
        self,
        database: Database,
        renewals: LeaseHealth,
        *,
        serves_control: bool,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._lock = locks.Leadership(database, "the sweep")
        self._renewals = renewals
        self._serves_control = serves_control
        self._clock = clock
        self._free_since: float | None = None
        self._left_at = -math.inf

    def is_ours(self) -> bool:
        """Return whether this process leads; take the lead if it is free and nobody goes before.

        Raises:
            StoreFailed: The store is away.
        """
        if not self._lock.held and not self._may_take():
            return False
        self._free_since = None  # whoever does not get it, or loses it, waits anew
        return self._lock.is_ours()

    def leave(self) -> None:
        """Let another process lead."""
        self._free_since = None
        self._lock.leave()

    def leave_to_others(self) -> None:
        """Let a process for ``control`` lead, if this is none and there is one that can.

        Not soon again if that was in vain: it may be dead, or have its own trouble with the store.

        Raises:
            StoreFailed: The store is away.
        """
        lately = self._clock() - self._left_at < _SETTLED.total_seconds()
        if self._serves_control or lately:
            return
        now = runtime.utc_now()
        with self._database.read() as connection:
            alive = workers.alive(connection, now)
        if any(app.CONTROL in one.queues and one.started_at <= now - _SETTLED for one in alive):
            self._left_at = self._clock()
            self.leave()

    def _may_take(self) -> bool:
        now = self._clock()
        patience_s = _PATIENCE_S[self._serves_control, self._renewals.speak_for_others(now)]
        if patience_s and self._lock.is_taken():
            self._free_since = None
            return False
        if self._free_since is None:
            self._free_since = now
        return now - self._free_since >= patience_s
