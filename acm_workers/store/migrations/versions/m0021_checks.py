"""What checks found in the text of a candidate."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("artifacts", sa.Column("checks", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("artifacts", "checks")
