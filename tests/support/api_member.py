"""A user of a server, with an API key."""

from datetime import timedelta
from typing import NamedTuple

from acm_workers import runtime
from acm_workers.store import accounts
from acm_workers.store.accounts import KeyScope
from acm_workers.store.connection.database import Database


class Member(NamedTuple):
    """A user of a tenant of its own, and a key."""

    tenant_id: str
    name: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of a request."""
        return {"Authorization": f"Bearer {self.key}"}


def add(
    database: Database,
    name: str,
    *scopes: KeyScope,
    days: int = 1,
    tenant_id: str | None = None,
) -> Member:
    """Add a user with a key, in a new tenant or in one that is there."""
    now = runtime.utc_now()
    with database.write() as connection:
        tenant = tenant_id or accounts.add_tenant(connection, f"{name}s", now).id
        user = accounts.add_user(connection, tenant, name, now)
        expires = now + timedelta(days=days)
        key = accounts.add_key(connection, user, "test", scopes or ("read", "run"), now, expires)
    return Member(tenant, name, key.secret)
