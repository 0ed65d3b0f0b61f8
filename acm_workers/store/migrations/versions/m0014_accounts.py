"""Users, keys, sessions, repeated requests, audit, quotas; runs that a server is to execute."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("runs", sa.Column("requested_at", _TIME, nullable=True))
    op.create_index("runs_by_tenant", "runs", ["tenant_id", "run_id"])
    for name, kind in (
        ("usd_per_day", sa.Float(53)),
        ("runs_at_once", sa.Integer()),
        ("documents_per_run", sa.Integer()),
    ):
        op.add_column("tenants", sa.Column(name, kind, nullable=True))
    op.create_table(
        "users",
        sa.Column("user_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("disabled_at", _TIME, nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("user_id"),
        sa.UniqueConstraint("tenant_id", "name", name="users_once"),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.user_id"), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("hint", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=True),
        sa.Column("revoked_at", _TIME, nullable=True),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("key_id"),
        sa.UniqueConstraint("digest", name="api_keys_once"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(32), sa.ForeignKey("api_keys.key_id"), nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.Column("idempotency_key", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "idempotency_key"),
    )
    op.create_table(
        "audit_events",
        sa.Column("audit_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("target", sa.String(200), nullable=True),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("tenant_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("audit_id"),
    )
    op.create_index("audit_events_by_tenant", "audit_events", ["tenant_id", "audit_id"])


def downgrade() -> None:
    op.drop_table("audit_events")
    op.drop_table("idempotency_keys")
    op.drop_table("sessions")
    op.drop_table("api_keys")
    op.drop_table("users")
    for name in ("usd_per_day", "runs_at_once", "documents_per_run"):
        op.drop_column("tenants", name)
    op.drop_index("runs_by_tenant", "runs")
    op.drop_column("runs", "requested_at")
