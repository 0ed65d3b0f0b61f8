"""The lane of each unit: the queue that its messages go to."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLES = {
    "artifacts": ("generate.", "provider"),
    "eval_results": ("judge.", "judge_provider"),
    "pairwise_comparisons": ("judge.", "judge_provider"),
}


def upgrade() -> None:
    for name, (work, provider) in _TABLES.items():
        # A column that is added to rows needs a default, which no new row relies on.
        column = sa.Column("lane", sa.String(120), nullable=False, server_default=sa.text("''"))
        op.add_column(name, column)
        lane, of = sa.column("lane", sa.String()), sa.column(provider, sa.String())
        op.execute(sa.update(sa.table(name, lane, of)).values(lane=sa.literal(work).concat(of)))


def downgrade() -> None:
    for name in _TABLES:
        op.drop_column(name, "lane")
