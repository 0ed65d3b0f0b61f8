"""The tables of runs, documents and their units."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.columns import Base, Id, Json, Owned, UnitColumns, Utc, unit_indexes


class TenantRow(Base):
    """Somebody whose rows nobody else sees."""

    __tablename__ = "tenants"

    id: Mapped[str] = mapped_column("tenant_id", Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]


class RunRow(Base, Owned):
    """One execution of a config over its documents.

    Attributes:
        distributed: Workers on any machine work on it, not the process that started it.
        revision: Grows whenever its config may have changed.
    """

    __tablename__ = "runs"
    __table_args__ = (
        Index("runs_by_key", "tenant_id", "key"),
        Index("runs_by_state", "state"),
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
    distributed: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    revision: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class DocumentRow(Base, Owned):
    """One input of a run; its stage moves only in ``pipeline.advance``."""

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
    published_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ArtifactRow(Base, Owned, UnitColumns):
    """One candidate text; the unit of generating and combining."""

    __tablename__ = "artifacts"
    __table_args__ = (
        UniqueConstraint("document_id", "generator", "variant", "iteration", name="artifacts_once"),
        Index("artifacts_by_run", "run_id", "state"),
        *unit_indexes("artifacts"),
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


class EvaluationRow(Base, Owned, UnitColumns):
    """One judge's scores of one artifact, once; the unit of scoring."""

    __tablename__ = "eval_results"
    __table_args__ = (
        UniqueConstraint("artifact_id", "judge", "iteration", name="eval_results_once"),
        Index("eval_results_by_run", "run_id", "state"),
        Index("eval_results_by_document", "document_id", "state"),
        *unit_indexes("eval_results"),
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
    proof: Mapped[dict[str, Any] | None] = mapped_column(Json)
    raw: Mapped[str | None] = mapped_column("raw_response", Text)
    input_tokens: Mapped[int | None] = mapped_column(Integer)
    output_tokens: Mapped[int | None] = mapped_column(Integer)
    duration_ms: Mapped[int | None] = mapped_column(Integer)


class ComparisonRow(Base, Owned, UnitColumns):
    """One judge's verdict on one pair in one order; the unit of comparing."""

    __tablename__ = "pairwise_comparisons"
    __table_args__ = (
        UniqueConstraint(
            "artifact_a_id", "artifact_b_id", "judge", "iteration", name="pairwise_comparisons_once"
        ),
        Index("pairwise_comparisons_by_run", "run_id", "state"),
        Index("pairwise_comparisons_by_document", "document_id", "state"),
        *unit_indexes("pairwise_comparisons"),
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


class RatingRow(Base, Owned):
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
