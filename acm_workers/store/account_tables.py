"""The tables of a shared server: users, keys, sessions, idempotency and audit."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.tables import Base, Id, Json, TenantColumns


class UserRow(Base, TenantColumns):
    """A user of a tenant: a person or a program."""

    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("tenant_id", "name", name="users_once"),)

    id: Mapped[str] = mapped_column("user_id", Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]


class ApiKeyRow(Base, TenantColumns):
    """An API key of a user, stored as a digest; the key is shown only once.

    Attributes:
        digest: SHA-256 of the key; random keys need no slow hash.
        hint: First characters of the key, to distinguish keys in lists.
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
    """A browser session, started with an API key and valid no longer than this key.

    Attributes:
        digest: SHA-256 of the cookie.
        csrf: CSRF token that forms and scripts of the pages send with each request.
    """

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.key_id"))
    csrf: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class IdempotencyRow(Base, TenantColumns):
    """A request that created something, with the answer that is returned to repetitions.

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
    """The uploaded text of a document for a later run, by SHA-256; stored for a day.

    Attributes:
        size: Size in bytes.
    """

    __tablename__ = "uploads"

    tenant_id: Mapped[str] = mapped_column(Id, primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime]


class AuditRow(Base, TenantColumns):
    """An entry of the audit log, such as a login, a new key, or the start or change of a run."""

    __tablename__ = "audit_events"
    __table_args__ = (Index("audit_events_by_tenant", "tenant_id", "audit_id"),)

    id: Mapped[int] = mapped_column("audit_id", Integer, primary_key=True, autoincrement=True)
    actor: Mapped[str] = mapped_column(String(200))
    action: Mapped[str] = mapped_column(String(64))
    target: Mapped[str | None] = mapped_column(String(200))
    at: Mapped[datetime]
