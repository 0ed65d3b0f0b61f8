"""The tables of code submissions; migrations make them."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.tables import Base, Id, Json, TenantColumns, Utc, partial_index


class SubmissionTaskRow(Base, TenantColumns):
    """A task that code is submitted for.

    Attributes:
        spec: A ``SubmissionTask`` without its key.
    """

    __tablename__ = "submission_tasks"

    key: Mapped[str] = mapped_column("task_key", String(100), primary_key=True)
    spec: Mapped[dict[str, Any]] = mapped_column(Json)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class SubmissionRow(Base, TenantColumns):
    """Code that an author submitted.

    Attributes:
        imported_from: Name of the record of an older program from which the submission was
            imported.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("imported_from", name="submissions_once_imported"),
        Index("submissions_by_author", "author", "state"),
        Index("submissions_by_task", "task_key", "submission_id"),
        partial_index("submissions_open", "state = 'open'", "submission_id"),
    )

    id: Mapped[int] = mapped_column("submission_id", Integer, primary_key=True, autoincrement=True)
    task_key: Mapped[str] = mapped_column(ForeignKey("submission_tasks.task_key"))
    author: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(String(500), default="")
    tags: Mapped[list[Any]] = mapped_column(Json, default=list)
    abstract: Mapped[str] = mapped_column(Text, default="")
    tick: Mapped[int | None] = mapped_column(Integer)
    no_debugger: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    state: Mapped[str] = mapped_column(String(16), default="open")
    round: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    notified_version: Mapped[int | None] = mapped_column(Integer)
    imported_from: Mapped[str | None] = mapped_column(String(500))
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class SubmissionVersionRow(Base, TenantColumns):
    """One version of a submission: the unit that workers claim.

    Attributes:
        host: Machine of the worker that holds the version and its slots.
        queued_at: Time that determines the order of versions.
    """

    __tablename__ = "submission_versions"
    __table_args__ = (
        partial_index(
            "submission_versions_queued",
            "state = 'queued'",
            "task_key",
            "queued_at",
            "submission_id",
            "version",
        ),
        partial_index(
            "submission_versions_held", "state IN ('claimed', 'running')", "task_key", "lease_until"
        ),
    )

    submission_id: Mapped[int] = mapped_column(
        ForeignKey("submissions.submission_id"), primary_key=True
    )
    version: Mapped[int] = mapped_column(Integer, primary_key=True)
    task_key: Mapped[str] = mapped_column(String(100))
    round: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    source: Mapped[str] = mapped_column(String(16), default="author")
    content: Mapped[str] = mapped_column(Text)
    content_digest: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16), default="queued")
    epoch: Mapped[int] = mapped_column(Integer, default=0)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    lease_until: Mapped[datetime | None] = mapped_column(Utc)
    owner: Mapped[str | None] = mapped_column(String(128))
    score: Mapped[float | None] = mapped_column(Float)
    sort_key: Mapped[list[Any] | None] = mapped_column(Json)
    metrics: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    message: Mapped[str] = mapped_column(Text, default="")
    cause: Mapped[str | None] = mapped_column(String(32))
    error: Mapped[str | None] = mapped_column(Text)
    log: Mapped[str] = mapped_column(Text, default="")
    isolation: Mapped[str | None] = mapped_column(String(16))
    queued_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class VersionRunRow(Base, TenantColumns):
    """One attempt to run a version.

    Attributes:
        host: Name of the machine.
        process: Identity of the worker's process, by which its machine can detect that it has
            ended.
        slots: The slots that the version held.
        outcome: State of the version after the attempt; None while it runs.
    """

    __tablename__ = "version_runs"
    __table_args__ = (
        ForeignKeyConstraint(
            ["submission_id", "version"],
            ["submission_versions.submission_id", "submission_versions.version"],
        ),
    )

    submission_id: Mapped[int] = mapped_column(Integer, primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True)
    epoch: Mapped[int] = mapped_column(Integer, primary_key=True)
    owner: Mapped[str] = mapped_column(String(128))
    host: Mapped[str] = mapped_column(String(255))
    process: Mapped[str | None] = mapped_column(String(255))
    isolation: Mapped[str | None] = mapped_column(String(16))
    slots: Mapped[list[Any]] = mapped_column(Json, default=list)
    outcome: Mapped[str | None] = mapped_column(String(16))
    exit_code: Mapped[int | None] = mapped_column(Integer)
    log: Mapped[str] = mapped_column(Text, default="")
    claimed_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class ResourcePoolRow(Base, TenantColumns):
    """A kind of slot.

    Attributes:
        shared: Whether a slot may be used on any machine, such as a licence.
        variable: Environment variable that passes the names of the slots to the code.
    """

    __tablename__ = "resource_pools"

    name: Mapped[str] = mapped_column("pool", String(100), primary_key=True)
    shared: Mapped[bool] = mapped_column(Boolean)
    variable: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime]


class ResourceSlotRow(Base, TenantColumns):
    """One slot of a pool, and the run that holds it.

    Attributes:
        id: Name shown to people, as in ``gpu:0@box``; never parsed.
        host: Machine of the slot; None if the slot is shared.
        drained: Whether the slot is excluded from further claims.
        epoch: Epoch of the claim that holds the slot.
    """

    __tablename__ = "resource_slots"
    __table_args__ = (
        UniqueConstraint("pool", "name", "host", name="resource_slots_once"),
        Index("resource_slots_by_holder", "submission_id", "version"),
    )

    id: Mapped[str] = mapped_column("slot_id", String(400), primary_key=True)
    pool: Mapped[str] = mapped_column(ForeignKey("resource_pools.pool"))
    name: Mapped[str] = mapped_column(String(100))
    host: Mapped[str | None] = mapped_column(String(255))
    drained: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    submission_id: Mapped[int | None] = mapped_column(Integer)
    version: Mapped[int | None] = mapped_column(Integer)
    epoch: Mapped[int | None] = mapped_column(Integer)
    held_since: Mapped[datetime | None]


class DebugSessionRow(Base, TenantColumns):
    """A debugger's work on a submission."""

    __tablename__ = "debug_sessions"
    __table_args__ = (
        UniqueConstraint("submission_id", "round", name="debug_sessions_once"),
        partial_index("debug_sessions_open", "state <> 'ended'", "created_at"),
    )

    id: Mapped[str] = mapped_column("session_id", Id, primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.submission_id"))
    round: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(16), default="queued")
    kind: Mapped[str] = mapped_column(String(16))
    epoch: Mapped[int] = mapped_column(Integer, default=0)
    lease_until: Mapped[datetime | None] = mapped_column(Utc)
    owner: Mapped[str | None] = mapped_column(String(128))
    host: Mapped[str | None] = mapped_column(String(255))
    process: Mapped[str | None] = mapped_column(String(255))
    report_kind: Mapped[str | None] = mapped_column(String(16))
    report: Mapped[str] = mapped_column(Text, default="")
    log: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class OutboxRow(Base, TenantColumns):
    """A notice to a person or a program, stored in the transaction of the reported change.

    Attributes:
        dedup_key: Unique key that prevents duplicate notices.
        target: A ``NoticeTarget``.
        next_try_at: Time of the next attempt to send the notice.
        process: Identity of the process that sends the notice.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("dedup_key", name="outbox_once"),
        partial_index("outbox_to_send", "state IN ('pending', 'sending')", "next_try_at"),
        Index("outbox_by_submission", "submission_id"),
    )

    id: Mapped[str] = mapped_column("message_id", Id, primary_key=True)
    dedup_key: Mapped[str] = mapped_column(String(200))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.submission_id"))
    target: Mapped[dict[str, Any]] = mapped_column(Json)
    payload: Mapped[dict[str, Any]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(String(16), default="pending")
    epoch: Mapped[int] = mapped_column(Integer, default=0)
    tries: Mapped[int] = mapped_column(Integer, default=0)
    next_try_at: Mapped[datetime]
    process: Mapped[str | None] = mapped_column(String(255))
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
