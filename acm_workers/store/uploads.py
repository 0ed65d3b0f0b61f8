"""Uploaded texts for later runs, by tenant and digest."""

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, select, update

from acm_workers.errors import NotFound, QuotaSpent
from acm_workers.store.account_tables import UploadRow
from acm_workers.store.rows import insert_once
from schemas.scope import Scope

KEPT = timedelta(days=1)
_LEFT = timedelta(hours=1)
"""Minimum remaining lifetime of an upload; a text with less is sent again."""

MOST_BYTES = 512 * 2**20
"""Maximum size of a tenant's uploads, in bytes."""


def add(
    connection: Connection, scope: Scope, digest: str, text: str, size: int, now: datetime
) -> None:
    """Store a text for a day, or extend the storage of an existing text by a day.

    Raises:
        QuotaSpent: The tenant has uploaded too much.
    """
    delete_old(connection, now)
    used = connection.scalar(
        select(func.sum(UploadRow.size)).where(
            UploadRow.tenant_id == scope.tenant_id, UploadRow.digest != digest
        )
    )
    if (used or 0) + size > MOST_BYTES:
        raise QuotaSpent(f"more than {MOST_BYTES // 2**20} MB of uploads wait to be used")
    values = {"tenant_id": scope.tenant_id, "digest": digest, "text": text, "size": size}
    insert_once(connection, UploadRow, [values | {"created_at": now}])
    this = (UploadRow.tenant_id == scope.tenant_id, UploadRow.digest == digest)
    connection.execute(update(UploadRow).where(*this).values(created_at=now))


def delete_old(connection: Connection, now: datetime) -> int:
    """Delete the texts of all tenants that were uploaded over a day ago; return their number."""
    return connection.execute(delete(UploadRow).where(UploadRow.created_at < now - KEPT)).rowcount


def missing(
    connection: Connection, scope: Scope, digests: Collection[str], now: datetime
) -> list[str]:
    """Return the digests of texts that a tenant has to upload, or to upload again, sorted."""
    there = connection.scalars(
        select(UploadRow.digest).where(
            UploadRow.tenant_id == scope.tenant_id,
            UploadRow.digest.in_(digests),
            UploadRow.created_at > now - KEPT + _LEFT,
        )
    )
    return sorted(set(digests) - set(there))


def texts(connection: Connection, scope: Scope, digests: Collection[str]) -> dict[str, str]:
    """Return uploaded texts by digest.

    Raises:
        NotFound: One of the texts does not exist.
    """
    rows = connection.execute(
        select(UploadRow.digest, UploadRow.text).where(
            UploadRow.tenant_id == scope.tenant_id, UploadRow.digest.in_(digests)
        )
    )
    found: dict[str, str] = dict(rows.all())
    for digest in sorted(set(digests) - set(found)):
        raise NotFound(f"no text with the digest {digest} was uploaded within a day")
    return found
