"""The page of a tenant's users and keys, for administrators."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from acm_api.http.access import Requester
from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.service import CurrentService, Service
from acm_workers import runtime
from acm_workers.errors import AcmError, RequestError
from acm_workers.store import accounts
from acm_workers.store.accounts import NewKey

router = APIRouter(include_in_schema=False)

_MOST_DAYS = 3650
_MOST_NAME = 100
_MOST_AUDITED = 50


@router.get("/users")
def show_users(request: Request, service: CurrentService) -> Response:
    """Show the users and keys of the tenant, and the result of the last change."""
    return _page(request, service, _admin(request, service))


@router.post("/users/{action}")
async def change(
    request: Request, action: Annotated[str, Path(max_length=20)], service: CurrentService
) -> Response:
    """Add or disable a user, or create or revoke a key."""
    form = await forms.read(request)
    return await run_in_threadpool(_change, request, action, service, form)


def _change(request: Request, action: str, service: Service, form: SentForm) -> Response:
    caller = _admin(request, service)
    forms.check_token(caller, form)
    if action not in _ACTIONS:
        raise HTTPException(404, "there is no such page")
    try:
        with service.database.write() as connection:
            made = _ACTIONS[action](connection, caller, form)
    except AcmError as error:
        return _page(request, service, caller, error=str(error), status=400)
    if made is not None:  # its secret is shown by this answer and never again
        return _page(request, service, caller, made=made)
    return RedirectResponse("/users", 303)


def _admin(request: Request, service: Service) -> Requester:
    """Return the caller after checking that it is an administrator.

    Raises:
        starlette.exceptions.HTTPException: 403, or 404 if no login is needed.
    """
    if service.single_user:
        raise HTTPException(404, "this server is for the local user: no login is needed")
    return forms.caller(request, "admin")


def _add_user(connection: Connection, caller: Requester, form: SentForm) -> None:
    name, now = _name(form.one("name")), runtime.utc_now()
    accounts.add_user(connection, caller.scope.tenant_id, name, now)
    accounts.audit(connection, caller.scope, caller.name, "add user", now, name)


def _disable_user(connection: Connection, caller: Requester, form: SentForm) -> None:
    found, now = accounts.user(connection, form.one("name"), caller.scope), runtime.utc_now()
    if found.name == caller.name:
        raise RequestError("you cannot disable yourself: another admin can")
    accounts.disable_user(connection, found.name, now)
    accounts.audit(connection, caller.scope, caller.name, "disable user", now, found.name)


def _add_key(connection: Connection, caller: Requester, form: SentForm) -> NewKey:
    owner, now = accounts.user(connection, form.one("user"), caller.scope), runtime.utc_now()
    scopes = [one for one in accounts.SCOPES if one in form.fields.get("scope", [])]
    if not scopes:
        raise RequestError("a key has at least one scope")
    days = form.one("days")
    if not days.isdecimal() or not 1 <= int(days[:6]) <= _MOST_DAYS:
        raise RequestError(f"a key is valid for 1 to {_MOST_DAYS} days")
    expires = now + timedelta(days=int(days[:6]))
    made = accounts.add_key(connection, owner, _name(form.one("name")), scopes, now, expires)
    accounts.audit(connection, caller.scope, caller.name, "add key", now, made.id)
    return made


def _revoke_key(connection: Connection, caller: Requester, form: SentForm) -> None:
    now = runtime.utc_now()
    accounts.revoke_key(connection, form.one("key"), now, caller.scope)
    accounts.audit(connection, caller.scope, caller.name, "revoke key", now, form.one("key"))


_ACTIONS = {
    "add": _add_user,
    "disable": _disable_user,
    "add-key": _add_key,
    "revoke-key": _revoke_key,
}


def _name(given: str) -> str:
    name = given.strip()
    if not name or len(name) > _MOST_NAME or not name.isprintable():
        raise RequestError(f"a name has 1 to {_MOST_NAME} letters")
    return name


def _page(
    request: Request,
    service: Service,
    caller: Requester,
    *,
    made: NewKey | None = None,
    error: str | None = None,
    status: int = 200,
) -> Response:
    with service.database.read() as connection:
        return rendering.page(
            request,
            "users",
            caller,
            status,
            users=accounts.users(connection, caller.scope),
            keys=accounts.keys(connection, caller.scope),
            audited=accounts.audited(connection, caller.scope, _MOST_AUDITED),
            scopes=accounts.SCOPES,
            now=runtime.utc_now(),
            made=made,
            error=error,
        )
