"""The table of worker processes."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.columns import Base, Owned


class WorkerRow(Base, Owned):
    """A process that works for all runs.

    Attributes:
        owner: Names it in claims and calls.
        name: Its name in Celery.
        threads: How many units it may work on at a time.
        in_flight: How many it has in hand.
        seen_at: When it last told that it is alive.
        last_task_at: When it last began one.
        sweep_at: When it last swept, if it ever did.
    """

    __tablename__ = "workers"
    __table_args__ = (Index("workers_by_seen", "seen_at"),)

    owner: Mapped[str] = mapped_column(String(128), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    pid: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(255))
    queues: Mapped[list[Any]]
    threads: Mapped[int] = mapped_column(Integer)
    in_flight: Mapped[int] = mapped_column(Integer, default=0)
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    last_task_at: Mapped[datetime | None]
    sweep_at: Mapped[datetime | None]
    version: Mapped[str] = mapped_column(String(32))
