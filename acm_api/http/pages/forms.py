"""The user of a page, and forms from browsers."""

import hashlib
import secrets
from typing import NamedTuple
from urllib.parse import parse_qs

from fastapi import Request
from starlette.exceptions import HTTPException

from acm_api.http import access
from acm_api.http.access import Requester
from acm_workers.store.accounts import KeyScope

_MOST_FIELDS = 20_000


class SentForm(NamedTuple):
    """A form that was sent.

    Attributes:
        digest: Digest of the whole form.
    """

    fields: dict[str, list[str]]
    digest: str

    def one(self, name: str) -> str:
        """Return the first value of a field; empty if it is absent."""
        return self.fields.get(name, [""])[0]


def caller(request: Request, scope: KeyScope = "read") -> Requester:
    """Return the user of a page.

    Raises:
        starlette.exceptions.HTTPException: No user is logged in, so the browser is redirected to
        the login; or the key does not have the scope.
    """
    found = access.caller_of(request)
    if found is None:
        raise HTTPException(303, "log in first", {"Location": "/login"})
    if scope not in found.may:
        raise HTTPException(403, f"your key has not the scope {scope}")
    return found


async def read(request: Request) -> SentForm:
    """Return the form in the body of a request.

    Raises:
        starlette.exceptions.HTTPException: It cannot be read.
    """
    body = await request.body()
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "the form cannot be read") from error
    return SentForm(fields, hashlib.sha256(body).hexdigest())


def check_token(sender: Requester, form: SentForm) -> None:
    """Check that a form was not sent by a page of another site.

    Raises:
        starlette.exceptions.HTTPException: The token of the session is missing.
    """
    if sender.csrf is not None and not secrets.compare_digest(
        form.one("csrf").encode(), sender.csrf.encode()
    ):
        raise HTTPException(403, "the token of the session is missing; load the page again")
