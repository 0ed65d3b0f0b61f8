"""The tables of the store, which are created by migrations."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

Json = JSON(none_as_null=True)
Id = String(32)


class Utc(TypeDecorator[datetime]):
    """A time in UTC, whose time zone is restored on reading because SQLite does not store it."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert the time to UTC, and refuse times without a time zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"time without time zone: {value}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with UTC as its time zone."""
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The declarative base of all tables."""

    type_annotation_map = {datetime: Utc, dict[str, Any]: Json, list[Any]: Json}  # noqa: RUF012


class TenantColumns:
    """The tenant column of all tables, for the owner of the row."""

    tenant_id: Mapped[str] = mapped_column(Id, default="default")


class UnitColumns:
    """The columns of all units: claim, lease, and state of the message.

    Attributes:
        lane: Queue of the unit's messages; polls of a background answer use another queue.
        epoch: Number of claims so far; a save with an older epoch is refused.
        attempts: Number of attempts that began; a unit whose attempts never end fails after a few.
        published_at: Time when a message for the unit was last sent.
        not_before: Time of the next poll of a background answer.
        failures: Number of failed background answers since the unit was planned.
        rests: Whether the unit is suspended because a provider is paused or the budget is
            exhausted; no message is sent until its run is resumed.
    """

    lane: Mapped[str] = mapped_column(String(120), server_default=text("''"))
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


def unit_indexes(table: str, key: str) -> tuple[Index, ...]:
    """Return the partial indexes on open units that the sweep uses.

    Args:
        key: Column of the units' ids.
    """
    unsent = "state = 'planned' AND published_at IS NULL"
    sent = "state = 'planned' AND published_at IS NOT NULL"
    polled = "state = 'planned' AND not_before IS NOT NULL"
    return (
        partial_index(f"{table}_to_publish", unsent, "run_id", "lane", "document_id", key),
        partial_index(f"{table}_published", sent, "run_id", "lane", "published_at"),
        partial_index(f"{table}_to_poll", polled, "run_id", "not_before"),
        partial_index(f"{table}_by_owner", "state = 'claimed'", "owner"),
    )


def partial_index(name: str, where: str, *columns: str) -> Index:
    """Return a partial index of the rows that match ``where``."""
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where))


class TenantRow(Base):
    """A tenant, whose rows are invisible to other tenants."""

    __tablename__ = "tenants"

    id: Mapped[str] = mapped_column("tenant_id", Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]
    usd_per_day: Mapped[float | None] = mapped_column(Float(53))
    runs_at_once: Mapped[int | None] = mapped_column(Integer)
    documents_per_run: Mapped[int | None] = mapped_column(Integer)


class RunRow(Base, TenantColumns):
    """One execution of a config over its documents.

    Attributes:
        distributed: Whether workers on any machine execute the run, instead of the process that
            started it.
        revision: Number that is increased whenever the config may have changed.
        requested_at: Time of the request over HTTP; absent for runs started by a command.
        settled: Whether the run is decided from the results so far; ``cancel_requested`` is set as
            well.
    """

    __tablename__ = "runs"
    __table_args__ = (
        Index("runs_by_key", "tenant_id", "key"),
        Index("runs_by_state", "state"),
        Index("runs_by_tenant", "tenant_id", "run_id"),
    )

    id: Mapped[str] = mapped_column("run_id", Id, primary_key=True)
    key: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(300))
    state: Mapped[str] = mapped_column(String(16))
    config: Mapped[dict[str, Any]]
    instructions: Mapped[str] = mapped_column(Text)
    guidelines: Mapped[str | None] = mapped_column(Text)
    skipped: Mapped[list[Any]] = mapped_column(Json, default=list)
    expected: Mapped[dict[str, Any] | None]
    cancel_requested: Mapped[bool] = mapped_column(Boolean, default=False)
    reason: Mapped[str | None] = mapped_column(Text)
    rejudged_from: Mapped[str | None] = mapped_column(Id)
    crossed_with: Mapped[str | None] = mapped_column(Id)
    distributed: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    revision: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    requested_at: Mapped[datetime | None]
    settled: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class DocumentRow(Base, TenantColumns):
    """An input document of a run; its stage is changed only by ``engine.advance``."""

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("run_id", "path", name="documents_once"),
        Index("documents_by_key", "tenant_id", "key", "state"),
        Index("documents_by_run", "run_id", "state"),
    )

    id: Mapped[str] = mapped_column("document_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    path: Mapped[str] = mapped_column(String(1024))
    key: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)
    stage: Mapped[str] = mapped_column(String(16), default="planned")
    state: Mapped[str] = mapped_column(String(16), default="running")
    reason: Mapped[str | None] = mapped_column(Text)
    winner_id: Mapped[str | None] = mapped_column(Id)
    standings: Mapped[list[Any] | None] = mapped_column(Json)
    fusions: Mapped[list[Any] | None] = mapped_column(Json)
    settled: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    published_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ArtifactRow(Base, TenantColumns, UnitColumns):
    """One candidate text; the unit of generating and combining."""

    __tablename__ = "artifacts"
    __table_args__ = (
        UniqueConstraint("document_id", "generator", "variant", "iteration", name="artifacts_once"),
        Index("artifacts_by_run", "run_id", "state"),
        Index("artifacts_listed", "run_id", "artifact_id"),
        *unit_indexes("artifacts", "artifact_id"),
    )

    id: Mapped[str] = mapped_column("artifact_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    generator: Mapped[str] = mapped_column(String(16))
    variant: Mapped[int] = mapped_column(Integer)
    iteration: Mapped[int] = mapped_column(Integer)
    number: Mapped[int] = mapped_column(Integer)
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    parents: Mapped[list[Any]] = mapped_column(Json, default=list)
    text: Mapped[str | None] = mapped_column(Text)
    proof: Mapped[dict[str, Any] | None] = mapped_column(Json)
    file: Mapped[str | None] = mapped_column(String(2048))
    taken_from: Mapped[str | None] = mapped_column(Id)
    child: Mapped[dict[str, Any] | None] = mapped_column(Json)
    checks: Mapped[list[Any]] = mapped_column(Json, default=list, server_default="[]")


class ArtifactFileRow(Base, TenantColumns):
    """A file that a child process wrote in addition to the text of an artifact."""

    __tablename__ = "artifact_files"

    artifact_id: Mapped[str] = mapped_column(ForeignKey("artifacts.artifact_id"), primary_key=True)
    extension: Mapped[str] = mapped_column(String(16), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class EvaluationRow(Base, TenantColumns, UnitColumns):
    """The scores of one artifact by one judge in one iteration; the unit of scoring."""

    __tablename__ = "eval_results"
    __table_args__ = (
        UniqueConstraint("artifact_id", "judge", "iteration", name="eval_results_once"),
        Index("eval_results_by_run", "run_id", "state"),
        Index("eval_results_by_document", "document_id", "state"),
        *unit_indexes("eval_results", "eval_id"),
    )

    id: Mapped[str] = mapped_column("eval_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    artifact_id: Mapped[str] = mapped_column(ForeignKey("artifacts.artifact_id"))
    judge: Mapped[str] = mapped_column(String(200))
    provider: Mapped[str] = mapped_column("judge_provider", String(100))
    model: Mapped[str] = mapped_column("judge_model", String(200))
    iteration: Mapped[int] = mapped_column(Integer)
    scores: Mapped[dict[str, Any]] = mapped_column("criteria_scores", Json, default=dict)
    filled: Mapped[list[Any]] = mapped_column(Json, default=list)
    overall: Mapped[float | None] = mapped_column("overall_score", Float(53))
    reasons: Mapped[dict[str, Any]] = mapped_column("reasoning", Json, default=dict)
    summary: Mapped[str | None] = mapped_column(Text)
    confidence: Mapped[float | None] = mapped_column(Float(53))
    proof: Mapped[dict[str, Any] | None] = mapped_column(Json)
    raw: Mapped[str | None] = mapped_column("raw_response", Text)
    input_tokens: Mapped[int | None] = mapped_column(Integer)
    output_tokens: Mapped[int | None] = mapped_column(Integer)
    duration_ms: Mapped[int | None] = mapped_column(Integer)


class ComparisonRow(Base, TenantColumns, UnitColumns):
    """The verdict of one judge on one pair in one order; the unit of comparing."""

    __tablename__ = "pairwise_comparisons"
    __table_args__ = (
        UniqueConstraint(
            "artifact_a_id", "artifact_b_id", "judge", "iteration", name="pairwise_comparisons_once"
        ),
        Index("pairwise_comparisons_by_run", "run_id", "state"),
        Index("pairwise_comparisons_by_document", "document_id", "state"),
        *unit_indexes("pairwise_comparisons", "comparison_id"),
    )

    id: Mapped[str] = mapped_column("comparison_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    a_id: Mapped[str] = mapped_column("artifact_a_id", ForeignKey("artifacts.artifact_id"))
    b_id: Mapped[str] = mapped_column("artifact_b_id", ForeignKey("artifacts.artifact_id"))
    judge: Mapped[str] = mapped_column(String(200))
    provider: Mapped[str] = mapped_column("judge_provider", String(100))
    model: Mapped[str] = mapped_column("judge_model", String(200))
    iteration: Mapped[int] = mapped_column(Integer)
    winner: Mapped[str | None] = mapped_column(String(8))
    confidence: Mapped[float | None] = mapped_column(Float)
    reason: Mapped[str | None] = mapped_column("reasoning", Text)
    proof: Mapped[dict[str, Any] | None] = mapped_column(Json)
    raw: Mapped[str | None] = mapped_column("raw_response", Text)
    input_tokens: Mapped[int | None] = mapped_column(Integer)
    output_tokens: Mapped[int | None] = mapped_column(Integer)
    duration_ms: Mapped[int | None] = mapped_column(Integer)


class RatingRow(Base, TenantColumns):
    """The Elo rating of one artifact after all games of its document."""

    __tablename__ = "elo_ratings"
    __table_args__ = (
        UniqueConstraint("run_id", "artifact_id", name="elo_ratings_once"),
        Index("elo_ratings_by_run", "run_id", "rating"),
    )

    id: Mapped[str] = mapped_column("rating_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    artifact_id: Mapped[str] = mapped_column(ForeignKey("artifacts.artifact_id"))
    points: Mapped[float] = mapped_column("rating", Float(53))
    games: Mapped[int] = mapped_column("games_played", Integer)
    wins: Mapped[int] = mapped_column(Integer)
    losses: Mapped[int] = mapped_column(Integer)
    ties: Mapped[int] = mapped_column(Integer)
    history: Mapped[list[Any]] = mapped_column("rating_history", Json)
    updated_at: Mapped[datetime] = mapped_column(Utc)


class CallRow(Base, TenantColumns):
    """An HTTP request to a provider, recorded before it is sent.

    Attributes:
        reusable: Whether identical requests may reuse the answer; false for unreadable answers.
        searches: Number of billed searches.
        grounding: Evidence of web search; see ``schemas.calls.Evidence``, also for the next four
            columns.
        so_far: The content to send back to continue a paused answer.
        response_id: The provider's id of the answer; for a call in state ``started``, the id of the
            background answer to poll.
        misses: Number of consecutive polls that did not find that answer.
        answer: The answer's text, zlib-compressed.
    """

    __tablename__ = "calls"
    __table_args__ = (
        Index("calls_by_digest", "tenant_id", "digest", "iteration"),
        Index("calls_by_run", "run_id", "state"),
        Index("calls_listed", "run_id", "call_id"),
        Index("calls_by_unit", "unit_id"),
        partial_index("calls_by_owner", "state = 'started'", "owner"),
    )

    id: Mapped[str] = mapped_column("call_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    unit_id: Mapped[str] = mapped_column(Id)
    unit_kind: Mapped[str] = mapped_column(String(16))
    stage: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int] = mapped_column(Integer)
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    digest: Mapped[str] = mapped_column(String(64))
    iteration: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(16))
    cached: Mapped[bool] = mapped_column(Boolean, default=False)
    reusable: Mapped[bool] = mapped_column(Boolean, default=False)
    status: Mapped[int | None] = mapped_column(Integer)
    finish_reason: Mapped[str | None] = mapped_column(String(16))
    input_tokens: Mapped[int | None] = mapped_column(Integer)
    output_tokens: Mapped[int | None] = mapped_column(Integer)
    cached_tokens: Mapped[int | None] = mapped_column(Integer)
    cache_write_tokens: Mapped[int | None] = mapped_column(Integer)
    reasoning_tokens: Mapped[int | None] = mapped_column(Integer)
    reserved_usd: Mapped[float | None] = mapped_column(Float(53))
    searches: Mapped[int | None] = mapped_column(Integer)
    search_tokens: Mapped[int | None] = mapped_column(Integer)
    service_tier: Mapped[str | None] = mapped_column(String(64))
    grounding: Mapped[str | None] = mapped_column(String(16))
    reasoning: Mapped[str | None] = mapped_column(String(16))
    queries: Mapped[list[Any] | None] = mapped_column(Json)
    sources: Mapped[list[Any] | None] = mapped_column(Json)
    summary: Mapped[str | None] = mapped_column(Text)
    so_far: Mapped[list[Any] | None] = mapped_column(Json)
    cost_usd: Mapped[float | None] = mapped_column(Float(53))
    price: Mapped[str | None] = mapped_column(String(300))
    response_id: Mapped[str | None] = mapped_column(String(200))
    misses: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    request_id: Mapped[str | None] = mapped_column(String(200))
    wait_s: Mapped[float] = mapped_column(Float(53), default=0.0)
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    error_kind: Mapped[str | None] = mapped_column(String(64))
    error: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    owner: Mapped[str] = mapped_column(String(128))


class BudgetRow(Base, TenantColumns):
    """The amount charged to the budget of a run; see ``store.budgets``.

    Attributes:
        closed: Reason why no further calls are sent; valid for budgets up to ``closed_usd``.
    """

    __tablename__ = "budgets"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)
    taken_usd: Mapped[float] = mapped_column(Float(53))
    closed: Mapped[str | None] = mapped_column(Text)
    closed_usd: Mapped[float | None] = mapped_column(Float(53))


class CircuitBreakerRow(Base, TenantColumns):
    """A judge or writer of a run that is paused; see ``schemas.run.PausedRole``."""

    __tablename__ = "circuit_breakers"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    reason: Mapped[str] = mapped_column(Text)
    failures: Mapped[int] = mapped_column(Integer)
    opened_at: Mapped[datetime]


class WaitingUnitsRow(Base, TenantColumns):
    """The number of units of a run that currently wait for a limit of one provider."""

    __tablename__ = "waits"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)
    provider: Mapped[str] = mapped_column(String(100), primary_key=True)
    reason: Mapped[str] = mapped_column(String(300))
    units: Mapped[int] = mapped_column(Integer)
    until: Mapped[datetime | None]


class ReportRow(Base, TenantColumns):
    """A report that was written."""

    __tablename__ = "reports"
    __table_args__ = (Index("reports_by_run", "run_id"),)

    id: Mapped[str] = mapped_column("report_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    type: Mapped[str] = mapped_column(String(16))
    format: Mapped[str] = mapped_column(String(16))
    storage_path: Mapped[str] = mapped_column(String(2048))
    created_at: Mapped[datetime]


class EventRow(Base, TenantColumns):
    """An event of a run."""

    __tablename__ = "events"
    __table_args__ = (Index("events_by_run", "run_id", "event_id"),)

    id: Mapped[int] = mapped_column("event_id", Integer, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str | None] = mapped_column(Id)
    kind: Mapped[str] = mapped_column(String(32))
    data: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    at: Mapped[datetime]


class WorkerRow(Base, TenantColumns):
    """A process that works for all runs.

    Attributes:
        owner: Name of the process in claims and calls.
        name: Name of the process in Celery.
        threads: Maximum number of units in progress.
        in_flight: Number of units in progress.
        seen_at: Time of its last heartbeat.
        last_task_at: Time when the process last began a unit.
        sweep_at: Time of the last sweep by this process; None if never.
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
