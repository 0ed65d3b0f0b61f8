"""Judges and writers that are paused in a run; kinds of errors as words, not as class names."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TABLES = ("artifacts", "eval_results", "pairwise_comparisons", "calls")


def upgrade() -> None:
    op.create_table(
        "circuit_breakers",
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("provider", sa.String(100), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "role", "name"),
    )
    connection = op.get_bind()
    for name in _TABLES:
        kind = sa.column("error_kind", sa.String())
        table = sa.table(name, kind)
        found = connection.scalars(sa.select(kind).where(kind.is_not(None)).distinct()).all()
        for old in found:
            new = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", old).lower()
            connection.execute(sa.update(table).where(kind == old).values(error_kind=new))


def downgrade() -> None:
    op.drop_table("circuit_breakers")
