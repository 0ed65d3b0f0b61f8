"""Requests that are sent in batches."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    time = sa.DateTime(timezone=True)
    op.create_table(
        "batches",
        sa.Column("batch_id", sa.String(32), primary_key=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("provider", sa.String(100), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("there_id", sa.String(200)),
        sa.Column("adopted", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("others", sa.JSON(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("cancelled", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("misses", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("epoch", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("owner", sa.String(128)),
        sa.Column("lease_until", time),
        sa.Column("due_at", time, nullable=False),
        sa.Column("sent_at", time),
        sa.Column("created_at", time, nullable=False),
        sa.Column("ended_at", time),
        sa.Column("error", sa.Text()),
    )
    is_open = sa.text("state <> 'ended'")
    op.create_index(
        "batches_open",
        "batches",
        ["run_id", "due_at"],
        postgresql_where=is_open,
        sqlite_where=is_open,
    )
    op.create_table(
        "batched_requests",
        sa.Column("call_id", sa.String(32), sa.ForeignKey("calls.call_id"), primary_key=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("provider", sa.String(100), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("batch_id", sa.String(32)),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("reason", sa.String(16)),
        sa.Column("result", sa.LargeBinary()),
        sa.Column("answered_at", time),
        sa.Column("created_at", time, nullable=False),
    )
    op.create_index("batched_requests_by_batch", "batched_requests", ["batch_id"])
    op.create_index("batched_requests_by_run", "batched_requests", ["run_id", "batch_id"])


def downgrade() -> None:
    op.drop_table("batched_requests")
    op.drop_table("batches")
