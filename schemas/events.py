"""Events of a run, as callbacks, streams and pages get them."""

from datetime import datetime
from typing import Any

from schemas.record import Record


class RunEvent(Record):
    """Something that happened in a run, or its progress so far.

    Attributes:
        id: Later events have greater ids; absent for ``progress``, which is not stored.
        kind: ``run_started``, ``stage``, ``document_finished``, ``run_paused``, ``run_finished``,
            ``progress`` and others.
        document_id: The document that it is about, if it is about one.
        data: Facts about it, by name.
    """

    id: int | None
    run_id: str
    kind: str
    document_id: str | None = None
    data: dict[str, Any]
    at: datetime
