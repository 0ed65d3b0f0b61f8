"""Login and logout of browsers."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from acm_api.http import access
from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.service import CurrentService, Service
from acm_workers import runtime
from acm_workers.store import accounts
from schemas.scope import Scope

router = APIRouter(include_in_schema=False)


@router.get("/login")
def login_page(request: Request) -> Response:
    """Show the login page."""
    return rendering.page(request, "login", None, error=None)


@router.post("/login")
async def log_in(request: Request, service: CurrentService) -> Response:
    """Begin a session with a key."""
    form = await forms.read(request)
    return await run_in_threadpool(_log_in, request, service, form)


def _log_in(request: Request, service: Service, form: SentForm) -> Response:
    address = request.client.host if request.client else ""
    service.logins.check(address)
    now = runtime.utc_now()
    with service.database.write() as connection:
        owner = accounts.key_owner(connection, form.one("key").strip(), now)
        if owner is None:
            service.logins.failed(address)
            error = "this key is wrong, expired or revoked"
            return rendering.page(request, "login", None, 401, error=error)
        session = accounts.begin_session(connection, owner, now)
        accounts.audit(connection, Scope(owner.tenant_id), owner.name, "login", now)
    answer = RedirectResponse("/runs", 303)
    answer.set_cookie(
        access.COOKIE,
        session.cookie,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        expires=session.expires_at,
    )
    return answer


@router.post("/logout")
async def log_out(request: Request, service: CurrentService) -> Response:
    """End the session."""
    form = await forms.read(request)
    forms.check_token(forms.caller(request), form)

    def end() -> None:
        with service.database.write() as connection:
            accounts.end_session(connection, request.cookies.get(access.COOKIE, ""))

    await run_in_threadpool(end)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(access.COOKIE)
    return answer
