"""Runs and documents that were decided early."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_TABLES = ("runs", "documents")


def upgrade() -> None:
    for name in _TABLES:
        # A column that is added to rows needs a default.
        op.add_column(
            name, sa.Column("settled", sa.Boolean(), nullable=False, server_default=sa.false())
        )


def downgrade() -> None:
    for name in _TABLES:
        op.drop_column(name, "settled")
