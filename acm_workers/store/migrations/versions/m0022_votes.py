"""Votes of people on pairs of candidates."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    time = sa.DateTime(timezone=True)
    op.create_table(
        "votes",
        sa.Column("vote_id", sa.String(32), primary_key=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column(
            "document_id", sa.String(32), sa.ForeignKey("documents.document_id"), nullable=False
        ),
        *(
            sa.Column(name, sa.String(32), sa.ForeignKey("artifacts.artifact_id"), nullable=False)
            for name in ("artifact_left_id", "artifact_right_id")
        ),
        sa.Column("voter", sa.String(200), nullable=False),
        sa.Column("choice", sa.String(16)),
        sa.Column("probability", sa.Float(53), nullable=False),
        sa.Column("eligible", sa.Integer(), nullable=False),
        sa.Column("shown_at", time, nullable=False),
        sa.Column("voted_at", time),
        sa.UniqueConstraint("voter", "artifact_left_id", "artifact_right_id", name="votes_once"),
    )
    op.create_index("votes_by_run", "votes", ["run_id", "vote_id"])


def downgrade() -> None:
    op.drop_table("votes")
