"""What is kept of child processes, and the files that they wrote beside their texts."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("artifacts", sa.Column("child", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "artifact_files",
        sa.Column(
            "artifact_id", sa.String(32), sa.ForeignKey("artifacts.artifact_id"), nullable=False
        ),
        sa.Column("extension", sa.String(16), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("artifact_id", "extension"),
    )


def downgrade() -> None:
    op.drop_table("artifact_files")
    op.drop_column("artifacts", "child")
