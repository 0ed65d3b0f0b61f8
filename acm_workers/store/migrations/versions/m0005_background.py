"""Background answers: when to look for them, and how often that brought nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_UNITS = ("artifacts", "eval_results", "pairwise_comparisons")


def upgrade() -> None:
    for table in _UNITS:
        op.add_column(table, sa.Column("not_before", sa.DateTime(timezone=True), nullable=True))
        op.add_column(table, _counter("failures"))
    op.add_column("calls", _counter("misses"))


def downgrade() -> None:
    op.drop_column("calls", "misses")
    for table in _UNITS:
        op.drop_column(table, "failures")
        op.drop_column(table, "not_before")


def _counter(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer(), nullable=False, server_default="0")
