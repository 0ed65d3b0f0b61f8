"""Plans the Workers of an `acm worker` process from its options, the active runs and its keys."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers import broker
from acm_workers.engine.host import QueueGroup
from acm_workers.errors import ProviderRejected, RequestError
from acm_workers.generators import programs
from acm_workers.processes import slots
from acm_workers.providers.http import endpoints
from acm_workers.store import runs
from acm_workers.store.runs import ActiveRun
from schemas import lanes
from schemas.config.config import Config
from schemas.config.provider import KNOWN, Provider
from schemas.scope import Scope, unqualified

_USUAL_THREADS = 32
"""Threads for a provider that no run has named yet."""

_SERVED_S = 3600.0
"""How long providers are served that no active run needs."""

_CONTROL_THREADS = 4
_POLL_THREADS = 4
"""Background answers do not count as in flight, but looks for them take threads too."""


class WorkerOptions(NamedTuple):
    """The options of `acm worker`.

    Attributes:
        queues: Literal names of queues that one Worker serves.
        everything: Whether to serve control and every provider and kind of child process that any
            run needs, now or later.
        generators: Kinds of child processes to serve.
        threads: Number of threads of each Worker except the Worker for control; the limit of the
            provider if absent.
        machine: Machine name in the names of processes; the host's name if absent.
        watchdog_s: Seconds after which a process that receives no tasks is ended; 0 for never.
        stop_within_s: Maximum number of seconds for calls in flight after the first signal; no
            limit if absent.
        submissions: Maximum number of code submissions that run at the same time.
    """

    providers: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    control: bool = False
    everything: bool = False
    threads: int | None = None
    machine: str | None = None
    watchdog_s: float = 60.0
    stop_within_s: float | None = None
    submissions: int = 0

    @property
    def serves_control(self) -> bool:
        """Return whether the process serves ``control``."""
        return self.control or self.everything or broker.CONTROL in self.queues


class WorkerPlan(NamedTuple):
    """The Workers of a process.

    Attributes:
        lacking: Reasons why providers or lanes of child processes are not served here, by name.
    """

    groups: tuple[QueueGroup, ...]
    lacking: Mapping[str, str]


class Planner:
    """Plans the Workers for the active runs, and rereads only configs that have changed."""

    def __init__(self, options: WorkerOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._clock = clock
        self._configs: dict[ActiveRun, tuple[Scope, Config]] = {}
        self._named: dict[str, list[Provider]] = {}
        self._children: dict[str, tuple[str, ...]] = {}
        self._needed_at: dict[str, float] = {}

    def plan(self, connection: Connection) -> WorkerPlan:
        """Return the current plan."""
        self._configs = {
            run: self._configs.get(run)
            or (runs.tenant_of(connection, run.id), runs.get(connection, run.id).config)
            for run in runs.given_to_workers(connection)
        }
        named: dict[str, list[Provider]] = {}
        needed: set[str] = set()
        for scope, config in self._configs.values():
            for name, provider in config.providers.items():
                named.setdefault(scope.qualified(name), []).append(provider)
            for kind, names in config.child_kinds.items():
                kind_here = scope.qualified(kind)
                known = (*self._children.get(kind_here, ()), *map(scope.qualified, names))
                self._children[kind_here] = tuple(dict.fromkeys(known))
                needed.add(kind_here)
        self._named |= named
        self._forget({*named, *needed})
        return plan(self._options, self._named, self._children, missing_key, missing_environment)

    def _forget(self, needed: Collection[str]) -> None:
        """Forget what no run has needed for some time: the next run is likely to need the rest."""
        now = self._clock()
        self._needed_at |= dict.fromkeys(needed, now)
        for name, at in list(self._needed_at.items()):
            if now - at > _SERVED_S:
                del self._needed_at[name]
                self._named.pop(name, None)
                self._children.pop(name, None)


def missing_key(name: str, provider: Provider) -> str | None:
    """Return why this machine cannot call a provider, without revealing the key."""
    try:
        endpoints.api_key(provider, name)
    except RequestError as error:
        return str(error)
    except ProviderRejected:
        return None  # its units fail with the reason, and those of other runs go on
    return None


def missing_environment(kind: str) -> str | None:
    """Return why this machine cannot start a kind of child process."""
    try:
        programs.require(kind)
    except RequestError as error:
        return str(error)
    return None


def plan(
    options: WorkerOptions,
    named: Mapping[str, Sequence[Provider]],
    children: Mapping[str, Sequence[str]],
    missing: Callable[[str, Provider], str | None],
    unable: Callable[[str], str | None],
) -> WorkerPlan:
    """Return the Workers of a process.

    A provider is served only if this machine has the keys for all runs that use the provider, since
    units without a key can only fail. A kind of child process is served only if this machine has
    the program and the keys of all providers that these processes call.

    Each tenant has separate Workers, by qualified names; see ``Scope.qualified``.

    Args:
        named: Definitions of each provider in the active runs, by name.
        children: Names of the providers that child processes of the active runs call, by kind.
        missing: Function that returns why this machine cannot call a provider, or None.
        unable: Function that returns why this machine cannot start a kind of child process, or
            None.
    """
    groups = []
    if options.control or options.everything:
        groups.append(QueueGroup(broker.CONTROL, (broker.CONTROL,), _CONTROL_THREADS))
    if options.queues:
        threads = options.threads or _USUAL_THREADS
        groups.append(QueueGroup(options.queues[0], options.queues, threads))
    lacking: dict[str, str] = {}

    def missing_at(name: str) -> str | None:
        known = named.get(name) or ([KNOWN[name]] if name in KNOWN else [])
        return next((why for one in known if (why := missing(name, one))), None)

    for name in _served(options.providers, named, everything=options.everything):
        if (why := missing_at(name)) is not None:
            lacking[name] = why
            continue
        queues = lanes.generate(name), lanes.judge(name), lanes.poll(name)
        threads = options.threads or _threads(named.get(name, []))
        groups.append(QueueGroup(name, queues, threads))
    for name in _served(options.generators, children, everything=options.everything):
        lane, kind = lanes.child(name), unqualified(name)
        needed = map(missing_at, children.get(name, ()))
        why = unable(kind) or next(filter(None, needed), None)
        if why is not None:
            lacking[lane] = why
            continue
        groups.append(QueueGroup(lane, (lane,), options.threads or slots.at_once(kind)))
    return WorkerPlan(tuple(groups), lacking)


def _served(options: Sequence[str], needed: Collection[str], *, everything: bool) -> Iterator[str]:
    """Yield the names in ``options``, and what tenants need by these names or by any name."""
    yield from options
    for name in sorted(needed):
        if name not in options and (everything or unqualified(name) in options):
            yield name


def _threads(named: Sequence[Provider]) -> int:
    if not named:
        return _USUAL_THREADS
    polling = any(
        provider.background or any(own.background for own in provider.capabilities.values())
        for provider in named
    )
    most = max(provider.max_in_flight for provider in named)
    return most + (_POLL_THREADS if polling else 0)
