"""Names of lanes and queues: a unit's row stores its lane, and each tenant has a queue for it."""

from typing import Literal, get_args

from schemas.scope import Scope, unqualified

ChildKind = Literal["gptr", "dr", "ma", "fpf"]
"""What a child process of a worker writes candidates with."""

CHILD_KINDS: tuple[ChildKind, ...] = get_args(ChildKind)

LaneWork = Literal["generate", "judge", "poll", "child"]

WORK: tuple[LaneWork, ...] = get_args(LaneWork)
"""What the first part of a lane's name can be."""


def generate(provider: str) -> str:
    """Return the lane of generation at a provider."""
    return f"generate.{provider}"


def judge(provider: str) -> str:
    """Return the lane of judging at a provider."""
    return f"judge.{provider}"


def poll(provider: str) -> str:
    """Return the lane for polling the background answers of a provider."""
    return f"poll.{provider}"


def child(kind: str) -> str:
    """Return the lane of generation by child processes of one kind."""
    return f"child.{kind}"


def queue(lane: str, scope: Scope) -> str:
    """Return the queue in which units of a tenant wait; see ``Scope.qualified``."""
    work, _, name = lane.partition(".")
    return f"{work}.{scope.qualified(name)}"


def lane_of(queue: str) -> str:
    """Return the lane of a queue."""
    work, dot, name = queue.partition(".")
    return f"{work}{dot}{unqualified(name)}"


def provider_of(queue: str) -> str | None:
    """Return the provider of a lane, or the qualified one of a queue; None for child processes."""
    work, _, name = queue.partition(".")
    return name if work != "child" and name else None


def child_kind_of(queue: str) -> str | None:
    """Return the kind of child process of a lane or queue; None for those of a provider."""
    work, _, name = lane_of(queue).partition(".")
    return name if work == "child" and name else None
