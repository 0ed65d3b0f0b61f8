"""What the store says was sent, against what the simulated provider says came in; pure."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from schemas.calls import Call


class CallReckoning(NamedTuple):
    """The calls of a run as recorded by ACM and by the provider.

    Attributes:
        requests: That came in at the provider.
        uncertain: Calls whose worker died; they may have been answered.
        cut: Calls that failed for their worker, for the provider was away.
        repeated: Requests that came in again because a worker had died: each an uncertain call.
        unsent: Uncertain calls that never came in: their worker died just before sending.
        paid_again: Requests that were sent although their answer was in the store.
        unexplained: Requests that the store knows nothing of.
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
    """Return how often each request came in, by the name its client gave it."""
    lines = (json.loads(line) for line in log.read_text().splitlines())
    return Counter(str(line["name"]) for line in lines)


def reckon(calls: Sequence[Call], came: Counter[str]) -> CallReckoning:
    """Compare the calls of a run with the requests that came in."""
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
    """Compare the calls of one name with how often it came in.

    A call that was answered came in. Of the others, those may be missing that were refused a
    connection, and those whose worker died before it sent anything.
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
