"""Events of a run, as passed to callbacks, streams and pages."""

from datetime import datetime
from typing import Any

from schemas.record import Record


class RunEvent(Record):
    """A change in a run, or the current progress of the run.

    Attributes:
        id: Later events have greater ids; absent for ``progress``, which is not stored.
        kind: ``run_started``, ``stage``, ``document_finished``, ``run_paused``, ``run_finished``,
            ``progress`` and others.
        document_id: Id of the document that the event belongs to; absent for events of the whole
            run.
        data: Details of the event, by name.
    """

    id: int | None
    run_id: str
    kind: str
    document_id: str | None = None
    data: dict[str, Any]
    at: datetime
