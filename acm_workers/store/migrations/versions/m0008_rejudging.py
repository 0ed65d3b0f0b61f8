"""Runs that judge the candidates of another run again, and where their texts come from."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("rejudged_from", sa.String(32), nullable=True))
    op.add_column("artifacts", sa.Column("taken_from", sa.String(32), nullable=True))


def downgrade() -> None:
    op.drop_column("artifacts", "taken_from")
    op.drop_column("runs", "rejudged_from")
