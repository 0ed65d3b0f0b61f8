"""What a judge says of the whole beside its scores, and how sure it is of them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("eval_results", sa.Column("summary", sa.Text(), nullable=True))
    op.add_column("eval_results", sa.Column("confidence", sa.Float(53), nullable=True))


def downgrade() -> None:
    op.drop_column("eval_results", "confidence")
    op.drop_column("eval_results", "summary")
