"""Tenants, users, keys, sessions and the audit log."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from acm_workers.errors import Conflict, NotFound
from acm_workers.store.account_tables import ApiKeyRow, AuditRow, SessionRow, UserRow
from acm_workers.store.ids import new_id
from acm_workers.store.tables import TenantRow
from schemas.scope import Scope

KeyScope = Literal["read", "run", "admin"]
SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)

_PREFIX = "acm_"
_SESSION = timedelta(hours=12)


class Tenant(NamedTuple):
    """An owner of runs, with its quotas; absent quotas are unlimited.

    Attributes:
        usd_per_day: Maximum cost of calls in the last 24 hours; beyond it no run starts.
        runs_at_once: Maximum number of active runs.
    """

    id: str
    name: str
    usd_per_day: float | None
    runs_at_once: int | None
    documents_per_run: int | None


class User(NamedTuple):
    """A user of a tenant: a person or a program."""

    id: str
    tenant_id: str
    name: str
    created_at: datetime
    disabled_at: datetime | None


class ApiKey(NamedTuple):
    """A key without its secret."""

    id: str
    tenant_id: str
    user: str
    name: str
    hint: str
    scopes: tuple[KeyScope, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewKey(NamedTuple):
    """A newly created key; ``secret`` is shown once and not stored."""

    id: str
    secret: str


class KeyOwner(NamedTuple):
    """The owner of a key or session.

    Attributes:
        csrf: CSRF token of a session.
    """

    key_id: str
    tenant_id: str
    name: str
    scopes: frozenset[KeyScope]
    csrf: str | None


class NewSession(NamedTuple):
    """A newly started session; ``cookie`` is not stored."""

    cookie: str
    csrf: str
    expires_at: datetime


class AuditEntry(NamedTuple):
    """An entry of the audit log; later entries have greater ids."""

    id: int
    at: datetime
    actor: str
    action: str
    target: str | None


def any_user(connection: Connection) -> bool:
    """Return whether the store has users."""
    return connection.scalar(select(UserRow.id).limit(1)) is not None


def add_tenant(connection: Connection, name: str, now: datetime) -> Tenant:
    """Add a tenant.

    Raises:
        Conflict: The name is taken.
    """
    if connection.scalar(select(TenantRow.id).where(TenantRow.name == name)) is not None:
        raise Conflict(f"there is a tenant {name} already")
    tenant_id = new_id()
    connection.execute(insert(TenantRow).values(id=tenant_id, name=name, created_at=now))
    return tenant(connection, tenant_id)


def tenants(connection: Connection) -> list[Tenant]:
    """Return all tenants by name."""
    return [Tenant(*row) for row in connection.execute(_TENANTS.order_by(TenantRow.name))]


def tenant(connection: Connection, name: str) -> Tenant:
    """Return a tenant by name or id.

    Raises:
        NotFound: The name or id does not exist.
    """
    query = _TENANTS.where((TenantRow.name == name) | (TenantRow.id == name))
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(f'there is no tenant "{name}"; `acm tenants list` shows those there are')
    return Tenant(*row)


def set_quotas(connection: Connection, tenant_id: str, **quotas: float | None) -> None:
    """Set quotas of a tenant by column; None removes a quota."""
    connection.execute(update(TenantRow).where(TenantRow.id == tenant_id).values(**quotas))


def add_user(connection: Connection, tenant_id: str, name: str, now: datetime) -> User:
    """Add a user.

    Raises:
        Conflict: The name is taken.
    """
    if connection.scalar(select(UserRow.id).where(UserRow.name == name)) is not None:
        raise Conflict(f"there is a user {name} already")
    values = {"id": new_id(), "tenant_id": tenant_id, "name": name, "created_at": now}
    connection.execute(insert(UserRow).values(**values))
    return user(connection, name)


def users(connection: Connection, scope: Scope | None = None) -> list[User]:
    """Return the users of one tenant or of all tenants, sorted by name."""
    query = _USERS.where(*_of_tenant(UserRow.tenant_id, scope)).order_by(UserRow.name)
    return [User(*row) for row in connection.execute(query)]


def user(connection: Connection, name: str, scope: Scope | None = None) -> User:
    """Return a user by name, within the tenant ``scope`` if given.

    Raises:
        NotFound: The name or id does not exist.
    """
    query = _USERS.where(UserRow.name == name, *_of_tenant(UserRow.tenant_id, scope))
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(f'there is no user "{name}"; `acm users list` shows those there are')
    return User(*row)


def disable_user(connection: Connection, name: str, now: datetime) -> None:
    """Disable a user and thereby all its keys and sessions."""
    found = user(connection, name)
    connection.execute(update(UserRow).where(UserRow.id == found.id).values(disabled_at=now))


def add_key(
    connection: Connection,
    owner: User,
    name: str,
    scopes: Collection[KeyScope],
    now: datetime,
    expires_at: datetime | None = None,
) -> NewKey:
    """Create a key of 256 random bits for a user."""
    secret = _PREFIX + secrets.token_urlsafe(32)
    values: dict[str, Any] = {
        "id": new_id(),
        "tenant_id": owner.tenant_id,
        "user_id": owner.id,
        "name": name,
        "hint": secret[:10],
        "digest": _digest(secret),
        "scopes": [scope for scope in SCOPES if scope in scopes],
        "created_at": now,
        "expires_at": expires_at,
    }
    connection.execute(insert(ApiKeyRow).values(**values))
    return NewKey(values["id"], secret)


def keys(connection: Connection, scope: Scope | None = None) -> list[ApiKey]:
    """Return the keys of one tenant or of all tenants, newest first, without secrets."""
    query = (
        select(
            ApiKeyRow.id,
            ApiKeyRow.tenant_id,
            UserRow.name,
            ApiKeyRow.name.label("key_name"),
            ApiKeyRow.hint,
            ApiKeyRow.scopes,
            ApiKeyRow.created_at,
            ApiKeyRow.expires_at,
            ApiKeyRow.revoked_at,
        )
        .join(UserRow, UserRow.id == ApiKeyRow.user_id)
        .where(*_of_tenant(ApiKeyRow.tenant_id, scope))
        .order_by(ApiKeyRow.id.desc())
    )
    return [ApiKey(*row) for row in connection.execute(query)]


def revoke_key(
    connection: Connection, key_id: str, now: datetime, scope: Scope | None = None
) -> None:
    """Revoke a key, and end all sessions that were started with this key.

    Raises:
        NotFound: There is no such key, or ``scope`` is another tenant.
    """
    query = select(ApiKeyRow.id).where(
        ApiKeyRow.id == key_id, *_of_tenant(ApiKeyRow.tenant_id, scope)
    )
    found = connection.scalar(query)
    if found is None:
        raise NotFound(f'there is no key "{key_id}"; `acm keys list` shows those there are')
    connection.execute(update(ApiKeyRow).where(ApiKeyRow.id == key_id).values(revoked_at=now))
    connection.execute(delete(SessionRow).where(SessionRow.key_id == key_id))


def key_owner(connection: Connection, secret: str, now: datetime) -> KeyOwner | None:
    """Return the owner of a key; None if the key is not valid."""
    row = connection.execute(_valid(now).where(ApiKeyRow.digest == _digest(secret))).first()
    return None if row is None else KeyOwner(row[0], row[1], row[2], frozenset(row[3]), None)


def begin_session(connection: Connection, owner: KeyOwner, now: datetime) -> NewSession:
    """Start a browser session."""
    cookie, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    session = NewSession(cookie, csrf, now + _SESSION)
    connection.execute(delete(SessionRow).where(SessionRow.expires_at < now))
    connection.execute(
        insert(SessionRow).values(
            digest=_digest(cookie),
            tenant_id=owner.tenant_id,
            key_id=owner.key_id,
            csrf=csrf,
            created_at=now,
            expires_at=session.expires_at,
        )
    )
    return session


def session_owner(connection: Connection, cookie: str, now: datetime) -> KeyOwner | None:
    """Return the owner of a session; None if it has ended."""
    query = (
        _valid(now)
        .add_columns(SessionRow.csrf)
        .join(SessionRow, SessionRow.key_id == ApiKeyRow.id)
        .where(SessionRow.digest == _digest(cookie), SessionRow.expires_at > now)
    )
    row = connection.execute(query).first()
    return None if row is None else KeyOwner(row[0], row[1], row[2], frozenset(row[3]), row[4])


def end_session(connection: Connection, cookie: str) -> None:
    """End a session."""
    connection.execute(delete(SessionRow).where(SessionRow.digest == _digest(cookie)))


def audit(
    connection: Connection,
    scope: Scope,
    actor: str,
    action: str,
    now: datetime,
    target: str | None = None,
) -> None:
    """Add an entry to the audit log."""
    connection.execute(
        insert(AuditRow).values(
            tenant_id=scope.tenant_id, actor=actor, action=action, target=target, at=now
        )
    )


def audited(
    connection: Connection, scope: Scope, limit: int, before: int | None = None
) -> list[AuditEntry]:
    """Return audit log entries of a tenant with ids below ``before``, newest first."""
    query = select(AuditRow.id, AuditRow.at, AuditRow.actor, AuditRow.action, AuditRow.target)
    query = query.where(AuditRow.tenant_id == scope.tenant_id).order_by(AuditRow.id.desc())
    if before is not None:
        query = query.where(AuditRow.id < before)
    return [AuditEntry(*row) for row in connection.execute(query.limit(limit))]


def _of_tenant(tenant_id: Any, scope: Scope | None) -> list[ColumnElement[bool]]:
    return [] if scope is None else [tenant_id == scope.tenant_id]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _valid(now: datetime) -> Any:
    return (
        select(ApiKeyRow.id, ApiKeyRow.tenant_id, UserRow.name, ApiKeyRow.scopes)
        .join(UserRow, UserRow.id == ApiKeyRow.user_id)
        .where(
            UserRow.disabled_at.is_(None),
            ApiKeyRow.revoked_at.is_(None),
            func.coalesce(ApiKeyRow.expires_at, now + timedelta(days=1)) > now,
        )
    )


_TENANTS = select(
    TenantRow.id,
    TenantRow.name,
    TenantRow.usd_per_day,
    TenantRow.runs_at_once,
    TenantRow.documents_per_run,
)
_USERS = select(
    UserRow.id, UserRow.tenant_id, UserRow.name, UserRow.created_at, UserRow.disabled_at
)
