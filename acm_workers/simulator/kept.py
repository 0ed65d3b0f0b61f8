"""Responses that are kept: those wanted later, and those somebody may ask for again."""

import math
from collections.abc import Mapping
from typing import Any, Final

from acm_workers.simulator.dialects import openai
from acm_workers.simulator.faults.fault import Life
from acm_workers.simulator.faults.registry import Wish

_MOST: Final = 5_000
_QUEUED_SHARE: Final = 0.2
_HIDDEN_POLLS: Final = 2
_DONE: Final = ("completed", "failed", "incomplete", "cancelled")


class Kept:
    """One response.

    Args:
        final: As it will be when it is done.
        began_at: When it was asked for, on the clock that requests are stamped with.
        ready_at: When it is done.
        wish: The fault it meets, if any.
    """

    def __init__(
        self, final: Mapping[str, Any], began_at: float, ready_at: float, wish: Wish | None = None
    ) -> None:
        self._final, self._ready_at = final, ready_at
        self._queued_until = began_at + (ready_at - began_at) * _QUEUED_SHARE
        self._life: Life | None = wish.fault.life if wish else None
        always = wish is not None and wish.times == "always"
        self._hidden = (math.inf if always else _HIDDEN_POLLS) if self._life == "hidden" else 0
        self._ended: dict[str, Any] | None = None
        self.background = bool(final["background"])

    def poll(self, now: float) -> dict[str, Any] | None:
        """Return what it looks like; absent where it cannot be found."""
        if self._hidden > 0:
            self._hidden -= 1
            return None
        return self.seen(now)

    def cancel(self, now: float) -> dict[str, Any]:
        """Cancel it unless it is done; return what it looks like then."""
        if self.seen(now)["status"] not in _DONE:
            self._ended = (
                dict(self._final)
                if self._life == "stubborn"
                else openai.pending(self._final, "cancelled")
            )
        return self.seen(now)

    def seen(self, now: float) -> dict[str, Any]:
        """Return what it looks like, found or not."""
        if self._ended is not None:
            return self._ended
        if self._life == "queued" or now < self._queued_until:
            return openai.pending(self._final, "queued")
        if self._life == "stubborn" or now < self._ready_at:
            return openai.pending(self._final, "in_progress")
        return dict(self._final)


class Shelf:
    """The responses kept, by id; the oldest are forgotten beyond five thousand."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def keep(self, id: str, kept: Kept) -> None:
        """Keep a response."""
        self._kept[id] = kept
        if len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]

    def find(self, id: str) -> Kept | None:
        """Return the response of that id, if there is one."""
        return self._kept.get(id)
