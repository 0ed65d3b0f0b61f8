"""The runtime of a process that works on all runs of a store."""

import threading
from collections.abc import Iterable, Mapping, Sequence

import structlog

from acm_workers.errors import AcmError
from acm_workers.limits.interface import Limiter
from acm_workers.runtime import Runtime
from acm_workers.store import units
from acm_workers.store.connection.database import Database
from acm_workers.store.runs import ActiveRun
from acm_workers.store.units import UnitMessage
from schemas.config.provider import ModelLimits, Provider
from schemas.run import Run
from schemas.units import UnitKind

log = structlog.get_logger()

_RETRY_DELAYS_S = (0.2, 1.0, 3.0, *[5.0] * 120)
"""Delays of ten minutes in total: the time a store may need to restart before paid answers are
lost."""


class WorkerRuntime(Runtime):
    """The live objects of a worker process, for all runs.

    The process survives outages of its store and its broker: the sweep finds its unfinished units.
    """

    def __init__(self, database: Database, limiter: Limiter, owner: str) -> None:
        super().__init__(database, limiter, owner)
        database.retry_delays_s = _RETRY_DELAYS_S
        self._revisions: dict[str, int] = {}
        self._providers: dict[str, Mapping[str, Provider]] = {}
        self._reading = threading.Lock()

    def give_up(self, failure: AcmError) -> None:
        """Continue: the store will be available again, and the lease of the unit ends."""
        log.warning("the store is unavailable", error=str(failure))

    def give_up_on(self, error: BaseException) -> None:
        """Continue: the sweep sends lost messages again, and an ended Worker is restarted."""

    def put_back(self, kind: UnitKind, unit_id: str) -> None:
        """Have the sweep send the message of a unit again."""
        unit = UnitMessage(kind, unit_id, "", "")
        self.database.write_with_retries(lambda connection: units.mark_unsent(connection, [unit]))

    def see(self, going: Sequence[ActiveRun]) -> None:
        """Apply cancels, pauses and changed configs of the active runs."""
        super().see(going)
        revisions = {run.id: run.revision for run in going if not run.paused}
        if revisions == self._revisions:
            return
        # A run that is new here may be older than this look: it keeps its limits until the next.
        with self._reading:
            self._providers = {
                run_id: providers
                for run_id, providers in self._providers.items()
                if run_id in revisions or run_id not in self._revisions
            }
        self._revisions = revisions
        self.run.cache_clear()
        for run_id in revisions:
            self.run(run_id)

    def _run(self, run_id: str) -> Run:
        run = super()._run(run_id)
        scope = self.scope(run_id)
        own = {scope.qualified(name): provider for name, provider in run.config.providers.items()}
        with self._reading:
            self._providers[run_id] = own
            self.limiter.configure(merged_limits(self._providers.values()))
        return run


def merged_limits(of_runs: Iterable[Mapping[str, Provider]]) -> dict[str, Provider]:
    """Return the providers of runs by name, each with the lowest limits of any run.

    Args:
        of_runs: Providers of each run; names of tenants precede those of their providers.
    """
    found: dict[str, Provider] = {}
    for providers in of_runs:
        for name, provider in providers.items():
            found[name] = _merged(found[name], provider) if name in found else provider
    return found


def _merged(one: Provider, other: Provider) -> Provider:
    models = dict(one.models)
    for name, limits in other.models.items():
        models[name] = limits.model_copy(update=_limits(models.get(name, limits), limits))
    return other.model_copy(update={**_limits(one, other), "models": models})


def _limits(one: Provider | ModelLimits, other: Provider | ModelLimits) -> dict[str, object]:
    return {
        "requests_per_minute": _lowest([one.requests_per_minute, other.requests_per_minute]),
        "tokens_per_minute": _lowest([one.tokens_per_minute, other.tokens_per_minute]),
        "max_in_flight": _lowest([one.max_in_flight, other.max_in_flight]),
        "launch_delay_seconds": max(one.launch_delay_seconds, other.launch_delay_seconds),
    }


def _lowest(limits: Iterable[float | None]) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)
