"""Names of lanes, the queues that units wait in; each unit's row stores its lane."""

from typing import Literal, get_args

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


def provider_of(lane: str) -> str | None:
    """Return the provider of a lane; None for the lane of a kind of child process."""
    work, _, name = lane.partition(".")
    return name if work != "child" and name else None


def child_kind_of(lane: str) -> str | None:
    """Return the kind of child process of a lane; None for the lane of a provider."""
    work, _, name = lane.partition(".")
    return name if work == "child" and name else None
