"""The tables of a shared server: users, keys, sessions, idempotency and audit."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.tables import Base, Id, Json, TenantColumns


class UserRow(Base, TenantColumns):
    """A person or program of a tenant."""

    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("tenant_id", "name", name="users_once"),)

    id: Mapped[str] = mapped_column("user_id", Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]


class ApiKeyRow(Base, TenantColumns):
    """A key of a user; the key itself is shown once and stored nowhere.

    Attributes:
        digest: SHA-256 of the key, which is random and needs no slow hash.
        hint: Its first characters, by which people tell keys apart.
    """

    __tablename__ = "api_keys"
    __table_args__ = (UniqueConstraint("digest", name="api_keys_once"),)

    id: Mapped[str] = mapped_column("key_id", Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.user_id"))
    name: Mapped[str] = mapped_column(String(200))
    hint: Mapped[str] = mapped_column(String(16))
    digest: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[list[Any]] = mapped_column(Json)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SessionRow(Base, TenantColumns):
    """A login of a browser, started with a key and ended with it.

    Attributes:
        digest: SHA-256 of the cookie.
        csrf: Token that forms and scripts of the pages send along.
    """

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.key_id"))
    csrf: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class IdempotencyRow(Base, TenantColumns):
    """A creating request and its answer, which a repeated request gets again.

    Attributes:
        digest: Digest of route and body.
    """

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column("idempotency_key", String(255), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    answer: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime]


class UploadRow(Base, TenantColumns):
    """The text of a document of a run to come, by its SHA-256; kept for a day.

    Attributes:
        size: In bytes.
    """

    __tablename__ = "uploads"

    tenant_id: Mapped[str] = mapped_column(Id, primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime]


class AuditRow(Base, TenantColumns):
    """Something that a user did or tried: logins, keys, runs started and changed."""

    __tablename__ = "audit_events"
    __table_args__ = (Index("audit_events_by_tenant", "tenant_id", "audit_id"),)

    id: Mapped[int] = mapped_column("audit_id", Integer, primary_key=True, autoincrement=True)
    actor: Mapped[str] = mapped_column(String(200))
    action: Mapped[str] = mapped_column(String(64))
    target: Mapped[str | None] = mapped_column(String(200))
    at: Mapped[datetime]
