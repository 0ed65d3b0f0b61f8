"""Which processes a machine is to have: a pure decision from what was asked and what runs need."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from schemas.config.provider import KNOWN, Provider

CONTROL = "control"

_USUAL_THREADS = 32
"""Threads for a provider that no run has named yet."""

_CONTROL_THREADS = 4
_LOOKING_THREADS = 4
"""Answers in the background do not count as in flight, but looking for them takes threads too."""


class Wish(NamedTuple):
    """What was asked of this machine.

    Attributes:
        queues: Served by one process of their own, as they are.
        everything: Control, and every provider that a run needs now or later.
        threads: For each process but that of control; as many as the provider allows where absent.
    """

    providers: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    control: bool = False
    everything: bool = False
    threads: int | None = None


class Group(NamedTuple):
    """One process that is to be: which queues it serves, with how many threads."""

    name: str
    queues: tuple[str, ...]
    threads: int


class Plan(NamedTuple):
    """What this machine is to do.

    Attributes:
        lacking: Why a provider is not served here, by its name.
    """

    groups: tuple[Group, ...]
    lacking: Mapping[str, str]


def plan(
    wish: Wish,
    named: Mapping[str, Sequence[Provider]],
    lack: Callable[[str, Provider], str | None],
) -> Plan:
    """Return the processes that this machine is to have.

    A provider is served only where the keys of all runs that use it are: whoever takes a unit
    without the key could only fail it.

    Args:
        named: How runs define a provider, by its name.
        lack: Says why this machine cannot speak to a provider; None if it can.
    """
    control = wish.control or wish.everything
    groups = [Group(CONTROL, (CONTROL,), _CONTROL_THREADS)] if control else []
    if wish.queues:
        groups.append(Group(wish.queues[0], wish.queues, wish.threads or _USUAL_THREADS))
    lacking: dict[str, str] = {}
    also = sorted(set(named) - set(wish.providers)) if wish.everything else []
    for name in [*wish.providers, *also]:
        known = named.get(name) or _shipped(name)
        reasons = [lack(name, provider) for provider in known]
        if any(reasons):
            lacking[name] = next(reason for reason in reasons if reason)
            continue
        queues = (f"generate.{name}", f"judge.{name}", f"poll.{name}")
        groups.append(Group(name, queues, wish.threads or _threads(named.get(name, []))))
    return Plan(tuple(groups), lacking)


def _shipped(name: str) -> list[Provider]:
    return [KNOWN[name]] if name in KNOWN else []


def _threads(named: Sequence[Provider]) -> int:
    if not named:
        return _USUAL_THREADS
    looking = any(_answers_in_background(provider) for provider in named)
    most = max(provider.max_in_flight for provider in named)
    return most + (_LOOKING_THREADS if looking else 0)


def _answers_in_background(provider: Provider) -> bool:
    return provider.background or any(own.background for own in provider.capabilities.values())
