"""Events of runs: stored events, and the progress between them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from acm_workers import runtime
from acm_workers.store import events, results
from acm_workers.store.calls import CallTotals
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from acm_workers.store.waits import WaitingUnits
from schemas.events import RunEvent
from schemas.plan import ExpectedTotals
from schemas.run import FailureCause, PausedRole

OnEvent = Callable[[RunEvent], None]


class EventFeed:
    """Reads the new events of a run at each call, with each stored event once and in order.

    Args:
        after: Id of the last event that was already read.
        progress: Function that returns the progress of a run; read from the store by default.
    """

    def __init__(
        self,
        database: Database,
        run_id: str,
        after: int = 0,
        progress: Callable[[str], Progress] | None = None,
    ) -> None:
        self._database = database
        self._run_id = run_id
        self._after = after
        self._progress = progress
        self._shown: dict[str, Any] | None = None
        self.ended = False

    def read(self) -> list[RunEvent]:
        """Return the new events, and the progress if changed; the end of the run is always last.

        Afterwards the attribute ``ended`` is true if the run has ended or is paused.
        """
        # Progress first: of a run that has ended by then, no event is missing.
        progress = self._read_progress()
        self.ended = progress.state != "running"
        with self._database.autocommit() as connection:
            new = events.since(connection, self._run_id, self._after)
        found = [
            RunEvent(
                id=one.id,
                run_id=self._run_id,
                kind=one.kind,
                document_id=one.document_id,
                data=without_places(one.kind, one.data),
                at=one.at,
            )
            for one in new
        ]
        if new:
            self._after = new[-1].id
        values = as_values(progress)
        if values != self._shown:
            self._shown = values
            now = runtime.utc_now()
            found.append(
                RunEvent(id=None, run_id=self._run_id, kind="progress", data=values, at=now)
            )
        return found

    def _read_progress(self) -> Progress:
        if self._progress is not None:
            return self._progress(self._run_id)
        with self._database.read() as connection:
            return results.progress(connection, self._run_id)


def without_places(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an event without local paths."""
    return {} if kind == "run_started" else data


def as_values(progress: Progress) -> dict[str, Any]:
    """Return progress as values for JSON."""
    waiting = [
        {**wait._asdict(), "until": None if wait.until is None else wait.until.isoformat()}
        for wait in progress.waits
    ]
    expected = None if progress.expected is None else progress.expected.model_dump()
    return {
        "state": progress.state,
        "phase": progress.phase,
        "percent": progress.percent,
        "units": progress.units,
        "documents": progress.stages,
        "calls": progress.calls._asdict(),
        "reason": progress.reason,
        "waits": waiting,
        "failures": [cause.model_dump() for cause in progress.failures],
        "children": list(progress.children),
        "paused": [paused.model_dump() for paused in progress.paused],
        "expected": expected,
    }


def as_progress(values: Mapping[str, Any]) -> Progress:
    """Return progress from the values that ``as_values`` returned."""
    waiting = [
        WaitingUnits(
            one["provider"],
            one["reason"],
            one["units"],
            None if one["until"] is None else datetime.fromisoformat(one["until"]),
        )
        for one in values["waits"]
    ]
    expected = values["expected"]
    return Progress(
        values["state"],
        values["units"],
        values["documents"],
        CallTotals(**values["calls"]),
        waiting,
        None if expected is None else ExpectedTotals.model_validate(expected),
        values["reason"],
        tuple(FailureCause.model_validate(one) for one in values["failures"]),
        tuple(PausedRole.model_validate(one) for one in values["paused"]),
        tuple(values["children"]),
    )
