"""Which faults are still to be given to whom."""

from typing import Final, NamedTuple

from acm_workers.simulator.faults.registry import Wish

_MOST: Final = 100_000


class Asking(NamedTuple):
    """A request as far as faults tell requests apart.

    Attributes:
        model: By its whole name.
        matter: Digest of what the request is about: the material in its prompt, or else all of it.
        body: Digest of all that it says.
        request: Digest of that and of the name the client gave to this request.
    """

    model: str
    matter: bytes
    body: bytes
    request: bytes


class Given:
    """The faults given so far; the oldest are forgotten beyond a hundred thousand."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, bytes], bytes] = {}
        self._requests: dict[tuple[str, bytes], None] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def due(self, wish: Wish, asking: Asking) -> bool:
        """Tell whether the request is to meet the fault.

        Once means: the first body that a model is sent about some matter, under each name that
        the client gives it. Another body about the same matter is what the client made of the
        fault (a larger budget, a parameter less, a turn that asks for repair), and goes well.
        """
        number = wish.fault.number
        if wish.times == "always":
            return True
        if isinstance(wish.times, int):
            return self._counts.get((number, asking.model), 0) < wish.times
        first = self._first.get((number, asking.model, asking.matter), asking.body)
        return first == asking.body and (number, asking.request) not in self._requests

    def give(self, wish: Wish, asking: Asking) -> None:
        """Note that the request meets the fault."""
        number = wish.fault.number
        if wish.times == "always":
            return
        if isinstance(wish.times, int):
            key = (number, asking.model)
            self._counts[key] = self._counts.get(key, 0) + 1
            return
        self._first.setdefault((number, asking.model, asking.matter), asking.body)
        self._requests[number, asking.request] = None
        if len(self._first) > _MOST:
            del self._first[next(iter(self._first))]
        if len(self._requests) > _MOST:
            del self._requests[next(iter(self._requests))]
