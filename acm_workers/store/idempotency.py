"""Idempotency keys: repeated requests that create something get the answer to the first request."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, select, update

from acm_workers.errors import Conflict
from acm_workers.store.account_tables import IdempotencyRow
from acm_workers.store.rows import insert_once
from schemas.scope import Scope

KEPT = timedelta(days=7)


def begin(
    connection: Connection, scope: Scope, key: str, digest: str, now: datetime
) -> dict[str, Any] | None:
    """Return the answer to an earlier request with the same key; None for the first request.

    On Postgres a request waits here while another request with the same key is in progress.

    Raises:
        Conflict: The key belongs to another request.
    """
    connection.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < now - KEPT))
    values = {
        "tenant_id": scope.tenant_id,
        "key": key,
        "digest": digest,
        "answer": None,
        "created_at": now,
    }
    insert_once(connection, IdempotencyRow, [values])
    found = connection.execute(
        select(IdempotencyRow.digest, IdempotencyRow.answer).where(*_matching_row(scope, key))
    ).one()
    if found.digest != digest:
        raise Conflict(f'the Idempotency-Key "{key}" was used for another request')
    answer: dict[str, Any] | None = found.answer
    return answer


def save(connection: Connection, scope: Scope, key: str, answer: dict[str, Any]) -> None:
    """Store the answer to the first request with a key."""
    connection.execute(
        update(IdempotencyRow).where(*_matching_row(scope, key)).values(answer=answer)
    )


def _matching_row(scope: Scope, key: str) -> tuple[Any, Any]:
    return IdempotencyRow.tenant_id == scope.tenant_id, IdempotencyRow.key == key
