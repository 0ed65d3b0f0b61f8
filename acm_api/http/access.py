"""Access control: the local user without a login, or users with keys and sessions."""

import hmac
import threading
import time
from collections.abc import Collection
from typing import Annotated, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from fastapi import Depends, Request
from sqlalchemy import Connection
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from acm_api.http import cross_origin, problems
from acm_workers import runtime
from acm_workers.errors import NotAllowed
from acm_workers.store import accounts, quotas
from acm_workers.store.accounts import KeyScope
from schemas.scope import LOCAL, Scope

COOKIE = "acm_session"
CSRF_HEADER = "x-csrf-token"
_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}
_OPEN = {"/healthz", "/metrics"}
"""Process managers and Prometheus may use any host name."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" browsers send forms with Origin: null
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'"
    " data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_MOST_FAILURES = 10
_FAILURES_S = 60.0


class Requester(NamedTuple):
    """The sender of a request.

    Attributes:
        name: Name in the audit log.
        csrf: Token that forms must contain; absent if the sender uses no cookie.
    """

    scope: Scope
    name: str
    may: frozenset[KeyScope]
    csrf: str | None = None

    def check_quota(self, connection: Connection, documents: int) -> None:
        """Check that a run is within the quotas of the tenant.

        Raises:
            QuotaSpent: Too many documents, too many runs at once, or too much spent today.
        """
        quotas.check(connection, self.scope, documents, runtime.utc_now())

    def budget_usd(
        self, connection: Connection, asked: float | None, run_id: str | None = None
    ) -> float | None:
        """Return the budget of a run, limited by the tenant's quota of the day.

        Raises:
            QuotaSpent: Nothing is left of the quota.
        """
        return quotas.budget_usd(connection, self.scope, asked, runtime.utc_now(), run_id)


EVERYTHING: frozenset[KeyScope] = frozenset({"read", "run", "admin"})
_THIS_USER = Requester(LOCAL, "local", EVERYTHING)


class Guard:
    """Passes only requests of the local user or with a key, and adds security headers to answers.

    A page of another site must not be able to start runs from the user's browser. Therefore
    ``Host`` must name this machine, which prevents DNS rebinding, and ``Origin``, if the browser
    sends it, must be that of this server. Pages of ``origins`` may call the API if there are users,
    and only with a key: their session cookies are ignored.
    """

    def __init__(self, app: ASGIApp, *, single_user: bool, origins: Collection[str] = ()) -> None:
        self._app = app
        self._single_user = single_user
        self._origins = () if single_user else origins

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                left = scope.get("state", {}).get("requests_left")
                for name, value in left.headers().items() if left is not None else ():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", _PAGE_POLICY)
                headers.setdefault("Cache-Control", "no-store")
                message["headers"] = headers.raw
            await send(message)

        refusal = None if scope["path"] in _OPEN else self._refusal(scope, Headers(scope=scope))
        if refusal is not None:
            answer = problems.response(403, NotAllowed("").kind, refusal)
            await answer(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: AsgiScope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if self._single_user and _name_of(host) not in _LOOPBACK:
            return "this server is for the local user: use the address 127.0.0.1 or localhost"
        origin = headers.get("origin")
        if origin is None or urlsplit(origin).netloc == host:
            return None
        if origin not in self._origins or not cross_origin.is_api(scope["path"]):
            return "requests from pages of other sites are not allowed"
        asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
        if asks or "authorization" in headers:  # which ``caller_of`` prefers to a cookie
            return None
        return "pages of other sites must send a key: Authorization: Bearer KEY"


def _name_of(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdigit() else host.lower()


class LoginLimit:
    """Counts failed logins by address, so that keys cannot be guessed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: dict[str, list[float]] = {}

    def check(self, address: str) -> None:
        """Check that an address has not failed too often in the last minute.

        Raises:
            starlette.exceptions.HTTPException: 429.
        """
        with self._lock:
            recent = [at for at in self._failures.get(address, []) if at > _now() - _FAILURES_S]
            self._failures[address] = recent
            if len(self._failures) > 10_000:
                self._failures.clear()
        if len(recent) >= _MOST_FAILURES:
            headers = {"Retry-After": str(int(_FAILURES_S))}
            raise HTTPException(429, "too many wrong keys from this address", headers)

    def failed(self, address: str) -> None:
        """Count a failed login."""
        with self._lock:
            self._failures.setdefault(address, []).append(_now())


def _now() -> float:
    return time.monotonic()


def caller_of(request: Request) -> Requester | None:
    """Return the sender of a request; None if the sender is unknown.

    Raises:
        starlette.exceptions.HTTPException: The key or the session is not valid, or there were too
        many failed attempts.
    """
    service = request.app.state.service
    if service.single_user:
        return _THIS_USER
    address = request.client.host if request.client else ""
    given = request.headers.get("authorization")
    cookie = request.cookies.get(COOKIE)
    if given is None and cookie is None:
        return None
    service.logins.check(address)
    now = runtime.utc_now()
    with service.database.read() as connection:
        if given is not None:
            kind, _, key = given.partition(" ")
            found = accounts.key_owner(connection, key.strip(), now) if kind == "Bearer" else None
        else:
            found = accounts.session_owner(connection, cookie or "", now)
    if found is None:
        if given is None:
            return None
        service.logins.failed(address)
        raise _unknown("the key is wrong, expired or revoked")
    request.state.requests_left = service.requests.count(found.key_id)
    return Requester(Scope(found.tenant_id), found.name, found.scopes, found.csrf)


def allowed(request: Request, scope: KeyScope) -> Requester:
    """Return the sender of a request after checking that it has the scope ``scope``.

    Raises:
        starlette.exceptions.HTTPException: 401: the sender is unknown.
        NotAllowed: The key does not have the scope, or the token of the form is missing.
    """
    caller = caller_of(request)
    if caller is None:
        raise _unknown("send a key: Authorization: Bearer KEY")
    if scope not in caller.may:
        raise NotAllowed(f"this key does not have the scope {scope}")
    if caller.csrf is not None and request.method not in _SAFE:
        sent = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(sent.encode(), caller.csrf.encode()):
            raise NotAllowed("the token of the session is missing; load the page again")
    return caller


def _unknown(why: str) -> HTTPException:
    return HTTPException(401, why, {"WWW-Authenticate": "Bearer"})


def _read(request: Request) -> Requester:
    return allowed(request, "read")


def _run(request: Request) -> Requester:
    return allowed(request, "run")


def _admin(request: Request) -> Requester:
    return allowed(request, "admin")


class Authorized:
    """Annotations of route parameters: the caller, who must have the scope of that name."""

    read: TypeAlias = Annotated[Requester, Depends(_read)]
    run: TypeAlias = Annotated[Requester, Depends(_run)]
    admin: TypeAlias = Annotated[Requester, Depends(_admin)]
