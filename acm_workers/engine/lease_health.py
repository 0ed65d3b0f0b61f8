"""What the renewals of this process tell about those of others; no clock.

A store that takes ours takes those of every living worker. So where ours went through all the
time, a lease that has run out is that of a dead one. Where one did not, because the store was
away, hung, or took no writes, living workers may be late as well, and get time to renew theirs.
"""

_EVERY_S = 10.0
"""Ours are due every five seconds. Whoever the store holds up for as long as this, and at the next
renewal once more, still comes before its lease of 30 s ends."""

_LATE_S = 12.0
"""So long after a gap everybody who lives has renewed, at the second try if the first failed."""


class LeaseHealth:
    """When this process renewed its leases; all times are in seconds of one clock.

    It makes no difference whether the process led meanwhile, or stood by.

    Args:
        now: When it began; what was before, nobody here knows.
    """

    def __init__(self, now: float) -> None:
        self._unbroken_since = self._latest = now

    def went_through(self, now: float) -> None:
        """Note a renewal that the store has taken."""
        if now - self._latest > _EVERY_S:
            self._unbroken_since = now
        self._latest = now

    def speak_for_others(self, now: float) -> bool:
        """Return whether a lease that has run out is that of a dead worker."""
        return now - self._latest <= _EVERY_S and now - self._unbroken_since >= _LATE_S
