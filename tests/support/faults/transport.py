"""T: what goes wrong between two machines, whatever they speak; see ``form``."""

from typing import Any

from tests.support.faults.form import (
    ALL,
    BUSY,
    GOOD,
    LIMITED,
    LOST,
    RESEARCH,
    Ask,
    Row,
    Stored,
    accepted,
    failed,
    waited,
)

STALL_S = 12.0
"""For how long the simulator keeps those waiting who wait; ``HURRIED`` do not."""

HURRIED = Ask(provider={"timeout_seconds": 8.0})
_NOBODY = Ask(provider={"timeout_seconds": 1.5}, at="nobody")
_DEAF = Ask(provider={"timeout_seconds": 0.3}, at="deaf")
_TOO_LONG = Stored("uncertain", "provider_rejected", "unknown")

_QUOTA = "a wait that exceeds the deadline of a unit (`retries.deadline_seconds`) counts as a quota"
_CLOUDFLARE = ("520", "500", "521", "522", "523", "524", "525", "526", "527", "530")


def _retried(wish: str, first: Stored = LOST, **more: Any) -> Row:
    return Row(wish, "retry", (first, GOOD), **more)


ROWS: tuple[Row, ...] = (
    Row("T1", "retry", (BUSY, BUSY, BUSY), "out_of_attempts", ask=_NOBODY),
    Row("T2", "retry", (BUSY, BUSY, BUSY), "out_of_attempts", ask=_DEAF),
    _retried("T3", ask=HURRIED, dialects=ALL),
    Row("T3.poll", "poll again", (GOOD,), ask=RESEARCH, dialects=("openai",)),
    _retried("T4", ask=HURRIED, dialects=ALL),
    _retried("T5", dialects=ALL),
    Row("T5*", "retry", (LOST, LOST, LOST), "out_of_attempts"),
    _retried("T6", dialects=ALL),
    _retried("T7", dialects=ALL),
    Row("T7*", "retry", (LOST, LOST, LOST), "out_of_attempts"),
    _retried("T8", dialects=ALL),
    _retried("T9.empty", dialects=ALL),
    _retried("T9.null"),
    _retried("T9.list"),
    _retried("T10.502", BUSY, dialects=ALL),
    _retried("T10.503", BUSY),
    _retried("T10.504", BUSY),
    Row("T10*.504", "retry", (BUSY, BUSY, BUSY), "out_of_attempts"),
    *(_retried(f"T11.{status}", BUSY) for status in _CLOUDFLARE),
    accepted("T12.bom", dialects=ALL),
    accepted("T12.comments"),
    accepted("T12.blank"),
    accepted("T12.utf8", dialects=ALL),
    Row("T13", "fail", (_TOO_LONG,), "provider_rejected"),
    failed("T14.301", dialects=ALL),
    failed("T14.302"),
    failed("T14.307"),
    failed("T14.308"),
    _retried("T15.wrong"),
    Row(
        "T15.bomb",
        "fail",
        (_TOO_LONG,),
        "provider_rejected",
        why="a second answer of that size would cost money and be discarded as well, as for T13",
    ),
    _retried("T16", ask=HURRIED, dialects=ALL),
    waited("T17.seconds", 1.0, dialects=ALL),
    waited("T17.date", 0.5),
    waited("T17.float", 0.5),
    waited("T17.zero", 0.0),
    waited("T17.negative", 0.0),
    waited("T17.nonsense", 0.0),
    Row("T17.day", "pause", (LIMITED,), "paused", why=_QUOTA),
    waited("T18", 0.0, dialects=ALL),
    failed("T19.false", dialects=("openai", "anthropic")),
    _retried("T19.true", BUSY, dialects=("openai", "anthropic")),
    waited("T20.behind", 0.5),
    waited("T20.ahead", 0.5),
)
