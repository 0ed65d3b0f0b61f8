"""Compares the calls in the store with the requests that the simulated provider received."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from schemas.calls import Call


class CallReckoning(NamedTuple):
    """The calls of a run as recorded by ACM and by the provider.

    Attributes:
        requests: Requests that the provider received.
        uncertain: Calls whose worker died and that may have been answered.
        cut: Calls that failed because the provider was unreachable.
        repeated: Requests that the provider received again after the death of a worker; each is an
            uncertain call.
        unsent: Uncertain calls that the provider did not receive, because their worker died before
            sending.
        paid_again: Requests that were sent although the store had their answer.
        unexplained: Requests without a call in the store.
    """

    requests: int
    done: int
    uncertain: int
    cut: int
    repeated: int
    unsent: int
    paid_again: int
    unexplained: int


def arrived(log: Path) -> Counter[str]:
    """Return the number of received requests by the client's name for the request."""
    lines = (json.loads(line) for line in log.read_text().splitlines())
    return Counter(str(line["name"]) for line in lines)


def reckon(calls: Sequence[Call], came: Counter[str]) -> CallReckoning:
    """Compare the calls of a run with the received requests."""
    by_name: dict[str, list[Call]] = {}
    for call in calls:
        if not call.cached:
            by_name.setdefault(f"{call.digest[:32]}-{call.iteration}", []).append(call)
    found: Counter[str] = Counter()
    for name, sent in by_name.items():
        found.update(_one(sent, came[name]))
    found["unexplained"] += sum(number for name, number in came.items() if name not in by_name)
    values: dict[str, Any] = {field: found[field] for field in CallReckoning._fields}
    return CallReckoning(**{**values, "requests": came.total()})


def _one(sent: Sequence[Call], came: int) -> dict[str, int]:
    """Compare the calls of one name with the number of received requests.

    An answered call was received. Other calls may be missing if their connection was refused, or if
    their worker died before sending.
    """
    states = Counter(call.state for call in sent)
    done, uncertain, cut = states["done"], states["uncertain"], states["failed"]
    cut_later = min(cut, max(0, came - done - uncertain))
    repeated = min(uncertain, max(0, came - done - cut_later))
    return {
        "done": done,
        "uncertain": uncertain,
        "cut": cut,
        "repeated": repeated,
        "unsent": uncertain - repeated,
        "paid_again": _paid_again(sent),
        "unexplained": max(0, came - done - uncertain - cut),
    }


def _paid_again(sent: Iterable[Call]) -> int:
    answered = [call.ended_at for call in sent if call.state == "done" and call.ended_at]
    first = min(answered, default=None)
    return 0 if first is None else sum(call.started_at > first for call in sent)
