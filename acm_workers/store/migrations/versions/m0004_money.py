"""What calls may cost at most, and why a run is paused."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("reserved_usd", sa.Float(precision=53), nullable=True))
    op.add_column("runs", sa.Column("reason", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("runs", "reason")
    op.drop_column("calls", "reserved_usd")
