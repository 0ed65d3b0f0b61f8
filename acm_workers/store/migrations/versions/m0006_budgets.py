"""What runs with a budget have taken of it, kept up to date by whoever records a call."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_FILL = """
INSERT INTO budgets (run_id, tenant_id, taken_usd)
SELECT run_id, 'default', SUM(COALESCE(
    cost_usd, CASE WHEN state = 'failed' THEN 0.0 ELSE reserved_usd END, 0.0))
FROM calls
WHERE run_id IN (SELECT run_id FROM calls WHERE reserved_usd IS NOT NULL)
GROUP BY run_id
"""


def upgrade() -> None:
    op.create_table(
        "budgets",
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("taken_usd", sa.Float(53), nullable=False),
        sa.Column("closed", sa.Text(), nullable=True),
        sa.Column("closed_usd", sa.Float(53), nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
    )
    op.execute(_FILL)


def downgrade() -> None:
    op.drop_table("budgets")
