"""Column types and groups of columns that several tables share."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Boolean, DateTime, Dialect, Index, Integer, String, Text, false, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

Json = JSON(none_as_null=True)
Id = String(32)


class Utc(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets time zones, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse times without a zone, for they are guesses."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"time without time zone: {value}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with its zone."""
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The base of every table."""

    type_annotation_map = {datetime: Utc, dict[str, Any]: Json, list[Any]: Json}  # noqa: RUF012


class Owned:
    """Every row belongs to a tenant."""

    tenant_id: Mapped[str] = mapped_column(Id, default="default")


class UnitColumns:
    """What claims, leases and the sweep need to know of a unit of work.

    Attributes:
        epoch: Counts claims; a save with an older epoch is refused.
        attempts: Deliveries that began; a unit that never comes back is failed after a few.
        published_at: When a message for it was last sent.
        not_before: When it is to be worked on again, while an answer is made in the background.
        failures: How many answers in the background have failed since it was planned.
        rests: It was left because a provider rests or money is short; nothing is sent for it
            until its run is resumed.
    """

    state: Mapped[str] = mapped_column(String(16), default="planned")
    epoch: Mapped[int] = mapped_column(Integer, default=0)
    lease_until: Mapped[datetime | None] = mapped_column(Utc)
    owner: Mapped[str | None] = mapped_column(String(128))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    published_at: Mapped[datetime | None] = mapped_column(Utc)
    not_before: Mapped[datetime | None] = mapped_column(Utc)
    failures: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    rests: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    error_kind: Mapped[str | None] = mapped_column(String(64))
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(Utc)
    finished_at: Mapped[datetime | None] = mapped_column(Utc)


def unit_indexes(table: str) -> tuple[Index, Index]:
    """Return the indexes by which the sweep finds units; they hold only those that are open."""
    return (
        partial_index(f"{table}_to_publish", "state = 'planned'", "run_id", "published_at"),
        partial_index(f"{table}_by_owner", "state = 'claimed'", "owner"),
    )


def partial_index(name: str, where: str, *columns: str) -> Index:
    """Return an index of the rows for which ``where`` holds."""
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where))
