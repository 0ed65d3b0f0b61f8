"""Code submissions: tasks, versions, runs, resource slots, debuggers, messages."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "resource_pools",
        sa.Column("pool", sa.String(100), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("variable", sa.String(100), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("pool"),
    )
    op.create_table(
        "submission_tasks",
        sa.Column("task_key", sa.String(100), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("task_key"),
    )
    op.create_table(
        "resource_slots",
        sa.Column("slot_id", sa.String(400), nullable=False),
        sa.Column("pool", sa.String(100), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("host", sa.String(255), nullable=True),
        sa.Column("drained", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.Column("held_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["pool"], ["resource_pools.pool"]),
        sa.PrimaryKeyConstraint("slot_id"),
        sa.UniqueConstraint("pool", "name", "host", name="resource_slots_once"),
    )
    op.create_index("resource_slots_by_holder", "resource_slots", ["submission_id", "version"])
    op.create_table(
        "submissions",
        sa.Column("submission_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("task_key", sa.String(100), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("title", sa.String(500), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("tick", sa.Integer(), nullable=True),
        sa.Column("no_debugger", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("round", sa.Integer(), server_default="1", nullable=False),
        sa.Column("notified_version", sa.Integer(), nullable=True),
        sa.Column("imported_from", sa.String(500), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["task_key"], ["submission_tasks.task_key"]),
        sa.PrimaryKeyConstraint("submission_id"),
        sa.UniqueConstraint("imported_from", name="submissions_once_imported"),
    )
    op.create_index("submissions_by_author", "submissions", ["author", "state"])
    op.create_index("submissions_by_task", "submissions", ["task_key", "submission_id"])
    op.create_index(
        "submissions_open",
        "submissions",
        ["submission_id"],
        postgresql_where=sa.text("state = 'open'"),
        sqlite_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "debug_sessions",
        sa.Column("session_id", sa.String(32), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner", sa.String(128), nullable=True),
        sa.Column("host", sa.String(255), nullable=True),
        sa.Column("process", sa.String(255), nullable=True),
        sa.Column("report_kind", sa.String(16), nullable=True),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.submission_id"]),
        sa.PrimaryKeyConstraint("session_id"),
        sa.UniqueConstraint("submission_id", "round", name="debug_sessions_once"),
    )
    op.create_index(
        "debug_sessions_open",
        "debug_sessions",
        ["created_at"],
        postgresql_where=sa.text("state <> 'ended'"),
        sqlite_where=sa.text("state <> 'ended'"),
    )
    op.create_table(
        "outbox",
        sa.Column("message_id", sa.String(32), nullable=False),
        sa.Column("dedup_key", sa.String(200), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("target", sa.JSON(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("process", sa.String(255), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.submission_id"]),
        sa.PrimaryKeyConstraint("message_id"),
        sa.UniqueConstraint("dedup_key", name="outbox_once"),
    )
    op.create_index("outbox_by_submission", "outbox", ["submission_id"])
    op.create_index(
        "outbox_to_send",
        "outbox",
        ["next_try_at"],
        postgresql_where=sa.text("state IN ('pending', 'sending')"),
        sqlite_where=sa.text("state IN ('pending', 'sending')"),
    )
    op.create_table(
        "submission_versions",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("task_key", sa.String(100), nullable=False),
        sa.Column("round", sa.Integer(), server_default="1", nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner", sa.String(128), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("sort_key", sa.JSON(), nullable=True),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("cause", sa.String(32), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("isolation", sa.String(16), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id", "version"),
    )
    op.create_index(
        "submission_versions_held",
        "submission_versions",
        ["task_key", "lease_until"],
        postgresql_where=sa.text("state IN ('claimed', 'running')"),
        sqlite_where=sa.text("state IN ('claimed', 'running')"),
    )
    op.create_index(
        "submission_versions_queued",
        "submission_versions",
        ["task_key", "queued_at", "submission_id", "version"],
        postgresql_where=sa.text("state = 'queued'"),
        sqlite_where=sa.text("state = 'queued'"),
    )
    op.create_table(
        "version_runs",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("process", sa.String(255), nullable=True),
        sa.Column("isolation", sa.String(16), nullable=True),
        sa.Column("slots", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id", "version"],
            ["submission_versions.submission_id", "submission_versions.version"],
        ),
        sa.PrimaryKeyConstraint("submission_id", "version", "epoch"),
    )


def downgrade() -> None:
    for table in (
        "version_runs",
        "submission_versions",
        "outbox",
        "debug_sessions",
        "submissions",
        "resource_slots",
        "submission_tasks",
        "resource_pools",
    ):
        op.drop_table(table)
