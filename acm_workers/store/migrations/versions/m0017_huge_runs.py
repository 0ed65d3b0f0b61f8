"""Indexes by which the sweep and the lists find their way in runs of a million units."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_UNITS = {
    "artifacts": "artifact_id",
    "eval_results": "eval_id",
    "pairwise_comparisons": "comparison_id",
}


def upgrade() -> None:
    for table, key in _UNITS.items():
        op.drop_index(f"{table}_to_publish", table)
        unsent = "state = 'planned' AND published_at IS NULL"
        _index(f"{table}_to_publish", table, ["run_id", "lane", "document_id", key], unsent)
        sent = "state = 'planned' AND published_at IS NOT NULL"
        _index(f"{table}_published", table, ["run_id", "lane", "published_at"], sent)
        polled = "state = 'planned' AND not_before IS NOT NULL"
        _index(f"{table}_to_poll", table, ["run_id", "not_before"], polled)
    op.create_index("artifacts_listed", "artifacts", ["run_id", "artifact_id"])
    op.create_index("calls_listed", "calls", ["run_id", "call_id"])


def downgrade() -> None:
    op.drop_index("calls_listed", "calls")
    op.drop_index("artifacts_listed", "artifacts")
    for table in _UNITS:
        op.drop_index(f"{table}_to_poll", table)
        op.drop_index(f"{table}_published", table)
        op.drop_index(f"{table}_to_publish", table)
        _index(f"{table}_to_publish", table, ["run_id", "published_at"], "state = 'planned'")


def _index(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, postgresql_where=where, sqlite_where=where)
