"""What the bill of a call is based on: tokens that searches brought, and the service tier."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("search_tokens", sa.Integer(), nullable=True))
    op.add_column("calls", sa.Column("service_tier", sa.String(64), nullable=True))


def downgrade() -> None:
    op.drop_column("calls", "service_tier")
    op.drop_column("calls", "search_tokens")
