"""The tables of runs, documents and their units."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _unit_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("tenant_id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner", sa.String(length=128), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_kind", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
    ]


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=True),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("expected", sa.JSON(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index("runs_by_key", "runs", ["tenant_id", "key"])

    op.create_table(
        "tenants",
        sa.Column("tenant_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id"),
    )
    op.create_table(
        "documents",
        sa.Column("document_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("winner_id", sa.String(length=32), nullable=True),
        sa.Column("standings", sa.JSON(), nullable=True),
        sa.Column("fusions", sa.JSON(), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.run_id"],
        ),
        sa.PrimaryKeyConstraint("document_id"),
        sa.UniqueConstraint("run_id", "path", name="documents_once"),
    )
    op.create_index("documents_by_key", "documents", ["tenant_id", "key", "state"])

    op.create_table(
        "artifacts",
        sa.Column("artifact_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("document_id", sa.String(length=32), nullable=False),
        sa.Column("generator", sa.String(length=16), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("iteration", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("provider", sa.String(length=100), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("parents", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("file", sa.String(length=2048), nullable=True),
        *_unit_columns(),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.run_id"],
        ),
        sa.PrimaryKeyConstraint("artifact_id"),
        sa.UniqueConstraint(
            "document_id", "generator", "variant", "iteration", name="artifacts_once"
        ),
    )
    op.create_index("artifacts_by_run", "artifacts", ["run_id", "state"])

    op.create_table(
        "elo_ratings",
        sa.Column("rating_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("document_id", sa.String(length=32), nullable=False),
        sa.Column("artifact_id", sa.String(length=32), nullable=False),
        sa.Column("rating", sa.Float(precision=53), nullable=False),
        sa.Column("games_played", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("ties", sa.Integer(), nullable=False),
        sa.Column("rating_history", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tenant_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"],
            ["artifacts.artifact_id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.run_id"],
        ),
        sa.PrimaryKeyConstraint("rating_id"),
        sa.UniqueConstraint("run_id", "artifact_id", name="elo_ratings_once"),
    )
    op.create_index("elo_ratings_by_run", "elo_ratings", ["run_id", "rating"])

    op.create_table(
        "eval_results",
        sa.Column("eval_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("document_id", sa.String(length=32), nullable=False),
        sa.Column("artifact_id", sa.String(length=32), nullable=False),
        sa.Column("judge", sa.String(length=200), nullable=False),
        sa.Column("judge_provider", sa.String(length=100), nullable=False),
        sa.Column("judge_model", sa.String(length=200), nullable=False),
        sa.Column("iteration", sa.Integer(), nullable=False),
        sa.Column("criteria_scores", sa.JSON(), nullable=False),
        sa.Column("filled", sa.JSON(), nullable=False),
        sa.Column("overall_score", sa.Float(precision=53), nullable=True),
        sa.Column("reasoning", sa.JSON(), nullable=False),
        sa.Column("raw_response", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        *_unit_columns(),
        sa.ForeignKeyConstraint(
            ["artifact_id"],
            ["artifacts.artifact_id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.run_id"],
        ),
        sa.PrimaryKeyConstraint("eval_id"),
        sa.UniqueConstraint("artifact_id", "judge", "iteration", name="eval_results_once"),
    )
    op.create_index("eval_results_by_document", "eval_results", ["document_id", "state"])
    op.create_index("eval_results_by_run", "eval_results", ["run_id", "state"])

    op.create_table(
        "pairwise_comparisons",
        sa.Column("comparison_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("document_id", sa.String(length=32), nullable=False),
        sa.Column("artifact_a_id", sa.String(length=32), nullable=False),
        sa.Column("artifact_b_id", sa.String(length=32), nullable=False),
        sa.Column("judge", sa.String(length=200), nullable=False),
        sa.Column("judge_provider", sa.String(length=100), nullable=False),
        sa.Column("judge_model", sa.String(length=200), nullable=False),
        sa.Column("iteration", sa.Integer(), nullable=False),
        sa.Column("winner", sa.String(length=8), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("reasoning", sa.Text(), nullable=True),
        sa.Column("raw_response", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        *_unit_columns(),
        sa.ForeignKeyConstraint(
            ["artifact_a_id"],
            ["artifacts.artifact_id"],
        ),
        sa.ForeignKeyConstraint(
            ["artifact_b_id"],
            ["artifacts.artifact_id"],
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.document_id"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.run_id"],
        ),
        sa.PrimaryKeyConstraint("comparison_id"),
        sa.UniqueConstraint(
            "artifact_a_id", "artifact_b_id", "judge", "iteration", name="pairwise_comparisons_once"
        ),
    )
    op.create_index(
        "pairwise_comparisons_by_document", "pairwise_comparisons", ["document_id", "state"]
    )
    op.create_index("pairwise_comparisons_by_run", "pairwise_comparisons", ["run_id", "state"])
    op.execute(
        "INSERT INTO tenants (tenant_id, name, created_at)"
        " VALUES ('default', 'default', CURRENT_TIMESTAMP)"
    )


def downgrade() -> None:
    for table in (
        "pairwise_comparisons",
        "eval_results",
        "elo_ratings",
        "artifacts",
        "documents",
        "tenants",
        "runs",
    ):
        op.drop_table(table)
