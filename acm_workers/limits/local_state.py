"""What one process knows of its own turns with one provider, and what Redis has yet to hear."""

from typing import NamedTuple

from acm_workers.limits.message import Known, Past, Told
from acm_workers.limits.rates import WINDOW_S


class _Taken(NamedTuple):
    model: str
    tokens: int
    at: float


class LocalState:
    """Turns that were granted here; not for several threads at once.

    Redis may lose its state, or take a message whose answer is lost on the way. So everything
    that counts there is kept here until it counts no longer, and events are told until an answer
    confirms them; telling one twice changes nothing but how many starts are counted.
    """

    def __init__(self) -> None:
        self.pending: list[Told] = []
        self._held: dict[str, str] = {}  # id, model
        self._recent: dict[str, _Taken] = {}
        self._last: dict[str, float] = {}

    @property
    def idle(self) -> bool:
        """Return whether nothing here counts any more."""
        return not (self.pending or self._held or self._recent)

    def grant(self, turn: str, model: str, tokens: int, at: float) -> None:
        """Note a turn that was granted."""
        self._held[turn] = model
        self._recent[turn] = _Taken(model, tokens, at)
        for name in ("", model):
            self._last[name] = max(self._last.get(name, 0.0), at)

    def settle(self, turn: str, tokens: int) -> None:
        """Note what a turn really took."""
        taken = self._recent.get(turn)
        if taken is not None and tokens != taken.tokens:
            self._recent[turn] = taken._replace(tokens=tokens)
            self.pending.append(Told("settle", turn, taken.model, tokens))

    def release(self, turn: str) -> bool:
        """Note that a place is free; return whether it was taken."""
        model = self._held.pop(turn, None)
        if model is None:
            return False
        self.pending.append(Told("release", turn, model))
        return True

    def holds(self, turn: str) -> bool:
        """Return whether a turn has a place that was not given back."""
        return turn in self._held

    def pass_on(self, turn: str, following: str, tokens: int, at: float) -> None:
        """Note that another turn starts in the place of one that is held and ends."""
        model = self._held[turn]
        self.grant(following, model, tokens, at)
        self.pending.append(Told("start", following, model, tokens, at=at))
        self.release(turn)

    def undo(self, turn: str, model: str) -> None:
        """Note that a turn was or may have been granted, and is not made use of."""
        self._held.pop(turn, None)
        self._recent.pop(turn, None)
        self.pending += [Told("settle", turn, model, 0), Told("release", turn, model)]

    def renewals(self) -> list[Told]:
        """Return what renews every place that is held here."""
        return [Told("renew", turn, model) for turn, model in self._held.items()]

    def known(self) -> Known:
        """Return what Redis needs to hear if it has lost its state."""
        recent = self._recent.items()
        window = [Past(turn, one.model, one.at, one.tokens) for turn, one in recent if one.tokens]
        return Known(dict(self._last), window)

    def heard(self, number: int, now: float) -> None:
        """Drop so many events that were told, and what has ceased to count at ``now``."""
        del self.pending[:number]
        while self._recent:
            turn = next(iter(self._recent))
            if self._recent[turn].at + WINDOW_S > now:
                break
            del self._recent[turn]
