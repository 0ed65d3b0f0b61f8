"""Routes of uploads: each text is one request, so a lost connection repeats only one text."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Body, Path
from pydantic import Field

from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_workers import runtime
from acm_workers.errors import Conflict, RequestError
from acm_workers.store import uploads
from schemas.record import Record

router = APIRouter(tags=["uploads"])

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_MOST = 10_000


class TextDigests(Record):
    """SHA-256 digests of texts in UTF-8."""

    digests: Annotated[list[Digest], Field(max_length=_MOST)]


@router.post("/uploads/missing")
def find_missing(body: TextDigests, service: CurrentService, caller: Authorized.run) -> TextDigests:
    """Return the digests of texts that were not uploaded in the last 23 hours."""
    now = runtime.utc_now()
    with service.database.read() as connection:
        return TextDigests(digests=uploads.missing(connection, caller.scope, body.digests, now))


@router.put("/uploads/{digest}", status_code=204)
def upload(
    digest: Annotated[
        str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the text in UTF-8.")
    ],
    service: CurrentService,
    caller: Authorized.run,
    body: Annotated[bytes, Body(media_type="text/plain", examples=["# Heat pumps\n"])] = b"",
) -> None:
    """Store a text for a day, for the ``uploads`` of a run; a repeated upload has no effect."""
    if hashlib.sha256(body).hexdigest() != digest:
        raise Conflict("the body is not the text of that digest; send it again", "digest")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError("the text is not UTF-8", "body") from error
    if "\0" in text:
        raise RequestError("the body contains NUL bytes, so it is not text", "body")
    with service.database.write() as connection:
        uploads.add(connection, caller.scope, digest, text, len(body), runtime.utc_now())
