"""The tables of the store; migrations make them."""

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


class TenantColumns:
    """The column that every table has: the tenant that owns the row."""

    tenant_id: Mapped[str] = mapped_column(Id, default="default")


class UnitColumns:
    """The columns of every unit: claim, lease, and state of its message.

    Attributes:
        lane: Queue of its messages; looks at its background answer have one of their own.
        epoch: Counts claims; a save with an older epoch is refused.
        attempts: Deliveries that began; a unit that never comes back is failed after a few.
        published_at: When a message for it was last sent.
        not_before: When it is to be processed again, while an answer is made in the background.
        failures: How many background answers have failed since it was planned.
        rests: It was left because a provider is paused or money is short; nothing is sent for it
            until its run is resumed.
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
    """Return the indexes by which the sweep finds units; they hold only those that are open.

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
    """Return an index of the rows for which ``where`` holds."""
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where))


class TenantRow(Base):
    """An owner of rows that no other tenant sees."""

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
        distributed: Workers on any machine work on it, not the process that started it.
        revision: Grows whenever its config may have changed.
        requested_at: When it was requested over HTTP, so that a server has it executed.
        settled: It is being decided from the results so far; ``cancel_requested`` is set as well.
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
    """One input of a run; its stage moves only in ``engine.advance``."""

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
    """A file that a child process wrote beside the text of an artifact."""

    __tablename__ = "artifact_files"

    artifact_id: Mapped[str] = mapped_column(ForeignKey("artifacts.artifact_id"), primary_key=True)
    extension: Mapped[str] = mapped_column(String(16), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class EvaluationRow(Base, TenantColumns, UnitColumns):
    """One judge's scores of one artifact, once; the unit of scoring."""

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
    """One judge's verdict on one pair in one order; the unit of comparing."""

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
    """One HTTP request to a provider, written before it is sent.

    Attributes:
        reusable: Whether the answer may serve a later identical request; not if it was unreadable.
        searches: Searches that are billed.
        grounding: What the answer proves; see ``schemas.calls.Evidence``, also for the next four.
        so_far: What continues a paused answer.
        response_id: The provider's name for the answer; while the call is ``started``, that of a
            background answer which is looked for.
        misses: How often in a row that answer was not found.
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
    """The amounts that calls have charged to the budget of a run; see ``store.budgets``.

    Attributes:
        closed: Why nothing more is sent; it holds for budgets up to ``closed_usd``.
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
    """Something that happened in a run."""

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
        owner: Names it in claims and calls.
        name: Its name in Celery.
        threads: How many units it may work on at a time.
        in_flight: How many it works on.
        seen_at: Time of its last heartbeat.
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
