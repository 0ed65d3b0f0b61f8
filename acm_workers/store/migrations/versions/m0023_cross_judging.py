"""Runs that compare the winners of two other runs."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("crossed_with", sa.String(32), nullable=True))


def downgrade() -> None:
    op.drop_column("runs", "crossed_with")
