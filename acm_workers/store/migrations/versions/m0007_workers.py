"""Workers on many machines: who they are, which runs they have, and how the sweep finds its way."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_UNITS = ("artifacts", "eval_results", "pairwise_comparisons")
_PLANNED = sa.text("state = 'planned'")
_CLAIMED = sa.text("state = 'claimed'")
_STARTED = sa.text("state = 'started'")


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("queues", sa.JSON(), nullable=False),
        sa.Column("threads", sa.Integer(), nullable=False),
        sa.Column("in_flight", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_task_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sweep_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("owner"),
    )
    op.create_index("workers_by_seen", "workers", ["seen_at"])
    op.add_column("runs", _flag("distributed"))
    op.add_column("runs", sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("runs_by_state", "runs", ["state"])
    op.create_index("documents_by_run", "documents", ["run_id", "state"])
    for table in _UNITS:
        op.add_column(table, _flag("rests"))
        _index(f"{table}_to_publish", table, ["run_id", "published_at"], _PLANNED)
        _index(f"{table}_by_owner", table, ["owner"], _CLAIMED)
    _index("calls_by_owner", "calls", ["owner"], _STARTED)


def downgrade() -> None:
    op.drop_index("calls_by_owner", "calls")
    for table in _UNITS:
        op.drop_index(f"{table}_by_owner", table)
        op.drop_index(f"{table}_to_publish", table)
        op.drop_column(table, "rests")
    op.drop_index("documents_by_run", "documents")
    op.drop_index("runs_by_state", "runs")
    op.drop_column("runs", "revision")
    op.drop_column("runs", "distributed")
    op.drop_table("workers")


def _flag(name: str) -> "sa.Column[bool]":
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())


def _index(name: str, table: str, columns: list[str], where: "sa.TextClause") -> None:
    op.create_index(name, table, columns, postgresql_where=where, sqlite_where=where)
