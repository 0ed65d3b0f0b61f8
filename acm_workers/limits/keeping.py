"""Places that come free in one process, and go to its next thread without a word to Redis.

A thread that has an answer saves it and comes back: most places that come free are wanted here
again before others could hear of them. Redis says for how long none of those has a claim.
"""

import math
import time

from acm_workers.limits.interface import Permit
from acm_workers.limits.redis_session import RedisSession
from acm_workers.limits.waiter import Waiter

_UNUSED_S = 0.1
_EARLY_S = 0.05


class Keeping:
    """Which places nobody here uses, and how long they may be kept; not for several threads."""

    def __init__(self, dialogue: RedisSession) -> None:
        self._dialogue = dialogue
        self._until = self._ask_at = -math.inf
        self._allowed = False
        self._unused: dict[int, tuple[Permit, float]] = {}

    @property
    def ask_at(self) -> float:
        """Return when to talk to Redis: for more time, or to give back a place."""
        asked_at = self._ask_at if self.may else math.inf
        return min([asked_at, *(since + _UNUSED_S for _, since in self._unused.values())])

    @property
    def may(self) -> bool:
        """Return whether places may be kept and passed on now."""
        return time.monotonic() < self._until

    @property
    def may_hope(self) -> bool:
        """Return whether it is worth asking for more time."""
        return self._allowed

    def allow(self, since: float, keep_s: float) -> None:
        """Let them be for so long, as Redis has been asked for at a time."""
        self._until, self._ask_at = since + keep_s, math.inf
        self._allowed = keep_s > 0

    def has(self, turn: Permit) -> bool:
        """Return whether the place of a turn that has ended is kept."""
        return turn.id in self._unused

    def keep(self, turn: Permit) -> None:
        """Keep the place of a turn that has ended."""
        self._unused[turn.id] = turn, time.monotonic()
        self._ask_at = self._until - _EARLY_S

    def take(self, model: str) -> Permit | None:
        """Return an ended turn in whose place one with that model may follow, if there is any."""
        found = next((turn for turn, _ in self._unused.values() if turn.model == model), None)
        if found is not None:
            del self._unused[found.id]
        return found

    def follow(self, ended: Permit, waiter: Waiter, number: int) -> Permit:
        """Let the turn of a waiter start in the place of one that ends."""
        dialogue = self._dialogue
        at = dialogue.pass_on(dialogue.id(ended.id), dialogue.id(number), waiter.tokens)
        self._ask_at = self._until - _EARLY_S
        return Permit(number, ended.provider, waiter.model, waiter.tokens, at, waiter.reason)

    def give_back(self, now: float = math.inf) -> int:
        """Give back places that are unused for long enough at ``now``, or all; return how many."""
        old = [turn for turn, since in self._unused.values() if since + _UNUSED_S <= now]
        for turn in old:
            del self._unused[turn.id]
            self._dialogue.release(self._dialogue.id(turn.id))
        return len(old)
