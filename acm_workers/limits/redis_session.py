"""What is said between one process and Redis about one provider, and kept through losses.

What is never passed, in any 60 s: starts are spaced by 99 % of the rate, and turns are granted
``HORIZON_S`` ahead at the most. If Redis loses its state (a restart, FLUSHALL, an old copy read
from disk), the first who comes opens a new epoch: nobody starts for ``CAREFUL_S``, in which turns
that were granted before have begun, and every process, for it renews its leases more often than
that, finds that it does not know the epoch and adds its places in flight, its latest start and
the tokens of its last minute. Beside, the loss itself counts as a start. So the old starts and
the new ones are as far apart as any two. Only the tokens and places of a process that dies at
that very time remain unknown.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from acm_workers.errors import LimitsUnavailable
from acm_workers.limits import message
from acm_workers.limits.interface import Reason
from acm_workers.limits.local_state import LocalState
from acm_workers.limits.message import CAREFUL_S, Asked, Told
from acm_workers.limits.script_client import ScriptClient
from schemas.config.provider import Provider

_EPOCHS = 3
_Found = TypeVar("_Found")


class Place(NamedTuple):
    """Where the limits lie, and who we are.

    Attributes:
        owner: Names this process.
        careful_s: How long nobody starts where Redis does not know us.
        lease_s: A place whose process no longer renews it falls back after so long.
        patience_s: How long a thread waits for a Redis that is away.
    """

    prefix: str
    owner: str
    careful_s: float = CAREFUL_S
    lease_s: float = 20.0
    patience_s: float = 60.0

    @property
    def names(self) -> str:
        """Return the key of the names of all providers."""
        return f"{self.prefix}:limits"

    @property
    def waking(self) -> str:
        """Return how the channels begin on which processes are called."""
        return f"{self.names}:wake:"

    def key(self, provider: str) -> str:
        """Return the key of a provider's state; its other keys share the slot."""
        return f"{self.names}:{{{provider}}}"


class Answered(NamedTuple):
    """What became of a turn that was asked for.

    Attributes:
        at: When it starts, or when to hope for it, on the clock of Redis.
        local: The same on our clock; never too early.
    """

    id: str
    granted: bool
    why: Reason | None
    at: float
    local: float


class Answer(NamedTuple):
    """What Redis says.

    Attributes:
        turns: What became of the turns that were asked for, as far as they were looked at.
        again_s: When it may help to ask again for those that were not granted.
        keep_s: How long places may be passed on here without a word.
        shut: Whether nobody else needs to ask before.
        paused: Why the provider rests, if it does.
        about: Limits and use, if they were asked for.
    """

    turns: Sequence[Answered]
    again_s: float
    keep_s: float
    shut: bool
    paused: str | None
    about: dict[str, Any]


def open_epoch(name: str, wire: ScriptClient, place: Place) -> None:
    """Begin an epoch now if Redis knows none, so that nobody has to who wants a turn.

    Raises:
        LimitsUnavailable: Redis is out of reach.
    """
    with wire.lock:
        content = {"provider": name, "epoch": "", "careful_s": place.careful_s}
        wire.run(place.key(name), "", content)


class RedisSession:
    """Tells what happens here, and asks for turns; for several threads."""

    def __init__(self, name: str, provider: Provider, wire: ScriptClient, place: Place) -> None:
        self._name = name
        self._wire = wire
        self._place = place
        self._lock = threading.Lock()
        self._notes = LocalState()
        self._ahead_s = 0.0  # the clock of Redis, to ours
        self.configure(provider)

    def configure(self, provider: Provider) -> None:
        """Go by the limits of ``provider`` from the next question on."""
        self._limits = message.limits(provider)
        self._epoch = ""  # introduces us again, and with us the limits that others can read

    @property
    def idle(self) -> bool:
        """Return whether Redis needs nothing from us."""
        return self._noted(lambda notes: notes.idle)

    @property
    def has_news(self) -> bool:
        """Return whether something is still to be told."""
        return self._noted(lambda notes: bool(notes.pending))

    def id(self, number: int) -> str:
        """Return how Redis calls one of our turns."""
        return f"{self._place.owner}:{number}"

    def tell(self, told: Told) -> None:
        """Note an event, which goes out with the next question."""
        self._noted(lambda notes: notes.pending.append(told))

    def settle(self, turn: str, tokens: int) -> None:
        """Note what a turn really took."""
        self._noted(lambda notes: notes.settle(turn, tokens))

    def release(self, turn: str) -> bool:
        """Note that a turn has ended; return whether it had not before."""
        return self._noted(lambda notes: notes.release(turn))

    def holds(self, turn: str) -> bool:
        """Return whether a turn has a place that was not given back."""
        return self._noted(lambda notes: notes.holds(turn))

    def pass_on(self, turn: str, following: str, tokens: int) -> float:
        """Note that another turn of the same model starts in the place of one that ends.

        Returns:
            When, on the clock of Redis.
        """
        at = time.monotonic() + self._ahead_s
        self._noted(lambda notes: notes.pass_on(turn, following, tokens, at))
        return at

    def undo(self, turn: str, model: str) -> None:
        """Note that a turn was granted in vain."""
        self._noted(lambda notes: notes.undo(turn, model))

    def ask(
        self, asked: Sequence[Asked], horizon_s: float, *, renew: bool = False, **more: Any
    ) -> Answer:
        """Tell what has happened, and ask for turns within ``horizon_s``.

        Args:
            more: Further parts of the message: ``waiting`` (how many do, where all that want a
                turn are asked for), ``about``, ``tokens``.

        Raises:
            LimitsUnavailable: Redis is out of reach; what was to be told is kept.
        """
        with self._wire.lock:
            events = self._noted(lambda notes: list(notes.pending))
            renewals = self._noted(LocalState.renewals) if renew else []
            content = {
                "provider": self._name,
                "owner": self._place.owner,
                "wake": self._place.waking,
                "names": self._place.names,
                "careful_s": self._place.careful_s,
                "lease_s": self._place.lease_s,
                "told": message.told([*renewals, *events]),
                "asked": message.asked(asked),
                "horizon_s": horizon_s,
                **more,
            }
            try:
                found = self._run(content)
            except BaseException:
                for one in asked:
                    self.undo(one.id, one.model)  # it may have arrived all the same
                raise
            answer = _read(found)
            self._note(answer, asked, len(events), float(found["now"]))
        return answer

    def _run(self, content: dict[str, Any]) -> dict[str, Any]:
        key = self._place.key(self._name)
        for _ in range(_EPOCHS):
            found = self._wire.run(key, self._limits, content | {"epoch": self._epoch})
            if not found.get("stranger"):
                return found
            self._epoch = found["epoch"]
            content = self._introduced(content)
        raise LimitsUnavailable(f"Redis forgets the limits of {self._name} again and again")

    def _introduced(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return a message that also says all that Redis should know of us."""
        own = self._noted(LocalState.known)
        renewals = message.told(self._noted(LocalState.renewals))
        return content | {"known": message.known(own), "told": [*renewals, *content["told"]]}

    def _note(self, answer: Answer, asked: Sequence[Asked], told: int, now: float) -> None:
        by_id = {one.id: one for one in asked}
        self._ahead_s = now - time.monotonic()
        with self._lock:
            self._notes.heard(told, now)
            for turn in answer.turns:
                if turn.granted:
                    one = by_id[turn.id]
                    self._notes.grant(turn.id, one.model, one.tokens, turn.at)

    def _noted(self, do: Callable[[LocalState], _Found]) -> _Found:
        with self._lock:
            return do(self._notes)


def _read(found: dict[str, Any]) -> Answer:
    local = time.monotonic()
    turns = [
        Answered(
            one["id"],
            one["granted"],
            one.get("why"),
            float(one["at"]),
            local + max(one["in_s"], 0.0),
        )
        for one in found["turns"] or []
    ]
    return Answer(
        turns,
        found.get("again_s", 0.0),
        found.get("keep_s", 0.0),
        found.get("shut", False),
        found.get("paused"),
        found.get("about", {}),
    )
