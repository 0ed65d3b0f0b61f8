"""What answers prove of their making: on calls in full, on units in short."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_UNITS = ("artifacts", "eval_results", "pairwise_comparisons")


def upgrade() -> None:
    for column in (
        sa.Column("searches", sa.Integer(), nullable=True),
        sa.Column("grounding", sa.String(length=16), nullable=True),
        sa.Column("reasoning", sa.String(length=16), nullable=True),
        sa.Column("queries", sa.JSON(), nullable=True),
        sa.Column("sources", sa.JSON(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("so_far", sa.JSON(), nullable=True),
    ):
        op.add_column("calls", column)
    for table in _UNITS:
        op.add_column(table, sa.Column("proof", sa.JSON(), nullable=True))


def downgrade() -> None:
    for table in _UNITS:
        op.drop_column(table, "proof")
    for name in ("so_far", "summary", "sources", "queries", "reasoning", "grounding", "searches"):
        op.drop_column("calls", name)
