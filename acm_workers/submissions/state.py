"""The states of a version, as a table of transitions."""

from typing import Literal

from schemas.submissions import (
    DebuggerSpec,
    FailureCause,
    Submission,
    Version,
    VersionState,
)

Event = Literal[
    "claim",
    "start",
    "score",
    "reject",
    "fail",
    "time_out",
    "expire",
    "cancel",
    "restart",
    "release",
]

MOST_ATTEMPTS = 3
"""Number of workers' deaths after which a version is lost."""

ENDED: frozenset[VersionState] = frozenset(
    {"scored", "rejected", "failed", "timed_out", "cancelled", "lost"}
)

TRANSITIONS: dict[tuple[VersionState, Event], VersionState] = {
    ("queued", "claim"): "claimed",
    ("queued", "cancel"): "cancelled",
    ("claimed", "start"): "running",
    ("claimed", "release"): "queued",
    ("claimed", "fail"): "failed",
    ("claimed", "expire"): "queued",
    ("claimed", "cancel"): "cancelled",
    ("running", "release"): "queued",
    ("running", "score"): "scored",
    ("running", "reject"): "rejected",
    ("running", "fail"): "failed",
    ("running", "time_out"): "timed_out",
    ("running", "expire"): "queued",
    ("running", "cancel"): "cancelled",
    ("scored", "restart"): "queued",
    ("rejected", "restart"): "queued",
    ("failed", "restart"): "queued",
    ("timed_out", "restart"): "queued",
    ("cancelled", "restart"): "queued",
    ("lost", "restart"): "queued",
}

_EVENT_OF_CAUSE: dict[FailureCause, Event] = {
    "rejected": "reject",
    "timeout": "time_out",
    "cancelled": "cancel",
}


def after(state: VersionState, event: Event, attempts: int = 0) -> VersionState:
    """Return the next state.

    Args:
        attempts: Number of times that a worker started the version.

    Raises:
        ValueError: The event cannot happen in this state.
    """
    if (state, event) not in TRANSITIONS:
        raise ValueError(f"a version that is {state} cannot {event.replace('_', ' ')}")
    if event == "expire" and attempts >= MOST_ATTEMPTS:
        return "lost"
    return TRANSITIONS[state, event]


def sources(event: Event) -> tuple[VersionState, ...]:
    """Return the states in which an event can happen."""
    return tuple(state for state, of in TRANSITIONS if of == event)


def end_of(cause: FailureCause | None) -> Event:
    """Return the event that ends a version with a cause; the cause None means a score."""
    return "score" if cause is None else _EVENT_OF_CAUSE.get(cause, "fail")


def needs_debugger(
    submission: Submission, original: Version, debugger: DebuggerSpec | None
) -> bool:
    """Return whether a submission whose original has ended needs a debugger."""
    return (
        debugger is not None
        and not submission.no_debugger
        and submission.state == "open"
        and original.cause in debugger.on
    )
