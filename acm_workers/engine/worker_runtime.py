"""The runtime of a process that works on whatever runs there are."""

import threading
from collections.abc import Sequence

import structlog

from acm_workers.engine import merged_limits
from acm_workers.errors import AcmError
from acm_workers.limits.interface import Limiter
from acm_workers.runtime import Runtime
from acm_workers.store import units
from acm_workers.store.connection.database import Database
from acm_workers.store.runs import ActiveRun
from acm_workers.store.units import UnitMessage
from schemas.config.config import Config
from schemas.run import Run
from schemas.units import UnitKind

log = structlog.get_logger()

_PATIENCE_S = (0.2, 1.0, 3.0, *[5.0] * 120)
"""Ten minutes: as long as a store may take to restart before paid answers are given up."""


class WorkerRuntime(Runtime):
    """The live things of a worker process, for all runs.

    It outlives its store and its broker: whatever it cannot finish, the sweep finds.
    """

    def __init__(self, database: Database, limiter: Limiter, owner: str) -> None:
        super().__init__(database, limiter, owner)
        database.retry_delays_s = _PATIENCE_S
        self._revisions: dict[str, int] = {}
        self._configs: dict[str, Config] = {}
        self._reading = threading.Lock()

    def give_up(self, failure: AcmError) -> None:
        """Go on: the store comes back, and the unit's lease ends."""
        log.warning("the store is away", error=str(failure))

    def put_back(self, kind: UnitKind, unit_id: str) -> None:
        """Let the sweep send the message of a unit again."""
        unit = UnitMessage(kind, unit_id, "", "")
        self.database.write_with_retries(lambda connection: units.mark_unsent(connection, [unit]))

    def see(self, going: Sequence[ActiveRun]) -> None:
        """Heed what is known of the runs that are under way: cancels, and configs that changed."""
        self._cancelled = frozenset(run.id for run in going if run.cancel_requested)
        revisions = {run.id: run.revision for run in going}
        if revisions == self._revisions:
            return
        # A run that is new to us may be older than the look: it keeps its limits until the next.
        with self._reading:
            self._configs = {
                run_id: config
                for run_id, config in self._configs.items()
                if run_id in revisions or run_id not in self._revisions
            }
        self._revisions = revisions
        self.run.cache_clear()
        for run_id in revisions:
            self.run(run_id)

    def _run(self, run_id: str) -> Run:
        run = super()._run(run_id)
        with self._reading:
            self._configs[run_id] = run.config
            self.limiter.configure(merged_limits.of(list(self._configs.values())))
        return run
