"""The header Idempotency-Key: a repeated request receives the answer to the first one."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from pydantic import BaseModel
from sqlalchemy import Connection

from acm_api.http.access import Authorized
from acm_workers import runtime
from acm_workers.store import idempotency
from acm_workers.store.connection.database import Database


class RepeatedRequest:
    """A request that creates something, and that may be a repetition."""

    def __init__(self, caller: Authorized.run, key: str | None, digest: str) -> None:
        self._scope = caller.scope
        self._key = key
        self._digest = digest

    @contextmanager
    def write(self, database: Database) -> Iterator[tuple[Connection, dict[str, Any] | None]]:
        """Open a transaction, and yield it with the earlier answer, if any.

        The created rows and the answer are committed together.
        """
        with database.write() as connection:
            earlier = None
            if self._key is not None:
                earlier = idempotency.begin(
                    connection, self._scope, self._key, self._digest, runtime.utc_now()
                )
            yield connection, earlier

    def save(self, connection: Connection, answer: BaseModel) -> None:
        """Save the answer for requests with the same key."""
        if self._key is not None:
            idempotency.save(connection, self._scope, self._key, answer.model_dump(mode="json"))


async def _repeated(
    request: Request,
    caller: Authorized.run,
    idempotency_key: Annotated[
        str | None,
        Header(
            pattern=r"^[!-~]{1,255}$",
            description="A request with the same key within a week gets the same answer.",
        ),
    ] = None,
) -> RepeatedRequest:
    body = await request.body()
    route = f"{request.method} {request.url.path}\n".encode()
    return RepeatedRequest(caller, idempotency_key, hashlib.sha256(route + body).hexdigest())


Once = Annotated[RepeatedRequest, Depends(_repeated)]
