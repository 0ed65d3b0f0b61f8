"""Leader election: one worker process sweeps, cancels, polls and pauses the runs of a store.

A process that has just started must not free expired leases for a while (``LeaseHealth``). If such
processes became leaders and were each killed during that time, the units of dead workers would
never be freed. A process that can free leases therefore has priority. A sweep also slows down the
calls of a process that serves a provider, so such a process leads only while no process for
``control`` can.
"""

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

from acm_workers import broker, runtime
from acm_workers.store import locks, workers
from acm_workers.store.connection.database import Database

_RENEWED_EVERY_S = 10.0
"""Leases are renewed every five seconds. A process whose renewal the store delays for this long,
and the next one again, still renews before its lease of 30 s ends."""

_RENEWED_AFTER_GAP_S = 12.0
"""Time after a gap in which every live process renews, even if its first attempt fails."""

_PATIENCE_S = {
    # serves control, can free leases
    (True, True): 0.0,
    (False, True): 1.0,
    (True, False): 3.0,
    (False, False): 5.0,
}
"""Time for which the lead must be free before a process takes it; all check every second."""

_SETTLED = timedelta(seconds=20)
"""Age from which a process can free leases, unless the store was unavailable."""


class LeaseHealth:
    """Infers from the lease renewals of this process whether other processes could renew leases.

    A store that accepts the renewals of this process accepts the renewals of every living worker.
    If all renewals of this process succeeded, an expired lease therefore belongs to a dead worker.
    If a renewal failed because the store was unavailable, hung or refused writes, living workers
    may be late as well and get additional time.

    Args:
        now: Start time of this process, in seconds of the clock used for all times.
    """

    def __init__(self, now: float) -> None:
        self._unbroken_since = self._latest = now

    def renewed(self, now: float) -> None:
        """Record a successful renewal."""
        if now - self._latest > _RENEWED_EVERY_S:
            self._unbroken_since = now
        self._latest = now

    def expired_means_dead(self, now: float) -> bool:
        """Return whether an expired lease belongs to a dead worker."""
        unbroken_s = now - self._unbroken_since
        return now - self._latest <= _RENEWED_EVERY_S and unbroken_s >= _RENEWED_AFTER_GAP_S


class LeaderRole(Protocol):
    """The interface of the leader role."""

    def is_ours(self) -> bool:
        """Return whether this process is the leader; become the leader if there is none."""

    def can_free_leases(self) -> bool:
        """Return whether an expired lease belongs to a dead worker."""

    def swept(self) -> None:
        """Record that this process has swept all runs."""

    def leave(self) -> None:
        """Give up the leadership."""


class SoleProcess:
    """The leader role in a store that is used by a single process."""

    def is_ours(self) -> bool:
        """See ``LeaderRole.is_ours``."""
        return True

    def can_free_leases(self) -> bool:
        """See ``LeaderRole.can_free_leases``."""
        return True

    def swept(self) -> None:
        """See ``LeaderRole.swept``."""

    def leave(self) -> None:
        """See ``LeaderRole.leave``."""


class LeaderElection:
    """Leader election among the processes of one store.

    Args:
        owner: Name of this process in the store.
        leases: State of the lease renewals of this process, measured with the same clock.
        clock: Function that returns monotonic seconds.
    """

    def __init__(
        self,
        database: Database,
        owner: str,
        leases: LeaseHealth,
        *,
        serves_control: bool,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._owner = owner
        self._lock = locks.Leadership(database, "the sweep")
        self._leases = leases
        self._serves_control = serves_control
        self._clock = clock
        self._free_since: float | None = None
        self._left_at = -math.inf

    def is_ours(self) -> bool:
        """Return whether this process is the leader; become the leader if possible.

        Raises:
            StoreFailed: The store is unavailable.
        """
        if not self._lock.held and not self._may_take():
            return False
        self._free_since = None  # a process that does not get the lead, or loses it, waits again
        return self._lock.is_ours()

    def can_free_leases(self) -> bool:
        """See ``LeaderRole.can_free_leases``."""
        return self._leases.expired_means_dead(self._clock())

    def swept(self) -> None:
        """Record a sweep, and hand over leadership to a process for ``control``, if any.

        Raises:
            StoreFailed: The store is unavailable.
        """
        now = runtime.utc_now()
        with self._database.write() as connection:
            workers.remove_old(connection, now)
            workers.mark_swept(connection, self._owner, now)
        self.leave_to_control()

    def leave(self) -> None:
        """Give up leadership, so that another process can lead."""
        self._free_since = None
        self._lock.leave()

    def leave_to_control(self) -> None:
        """Hand over leadership to a process for ``control``, unless this process serves it too.

        After a failure the next attempt is delayed, since the other process may be dead or unable
        to reach the store.

        Raises:
            StoreFailed: The store is unavailable.
        """
        recently = self._clock() - self._left_at < _SETTLED.total_seconds()
        if self._serves_control or recently:
            return
        now = runtime.utc_now()
        with self._database.read() as connection:
            alive = workers.alive(connection, now)
        if any(broker.CONTROL in one.queues and one.started_at <= now - _SETTLED for one in alive):
            self._left_at = self._clock()
            self.leave()

    def _may_take(self) -> bool:
        now = self._clock()
        patience_s = _PATIENCE_S[self._serves_control, self.can_free_leases()]
        if patience_s and self._lock.is_taken():
            self._free_since = None
            return False
        if self._free_since is None:
            self._free_since = now
        return now - self._free_since >= patience_s
