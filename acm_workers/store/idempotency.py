"""Creating requests that are sent again: the first one acts, the others get its answer."""

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
    """Return the answer to an earlier request with that key; None if this is the first one.

    On Postgres a request waits here while another one with its key is under way.

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
        select(IdempotencyRow.digest, IdempotencyRow.answer).where(*_of(scope, key))
    ).one()
    if found.digest != digest:
        raise Conflict(f'the Idempotency-Key "{key}" was used for another request')
    answer: dict[str, Any] | None = found.answer
    return answer


def save(connection: Connection, scope: Scope, key: str, answer: dict[str, Any]) -> None:
    """Keep the answer to the first request with that key."""
    connection.execute(update(IdempotencyRow).where(*_of(scope, key)).values(answer=answer))


def _of(scope: Scope, key: str) -> tuple[Any, Any]:
    return IdempotencyRow.tenant_id == scope.tenant_id, IdempotencyRow.key == key
