"""Cross-origin requests: pages of listed origins may call the API, always with an API key."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from acm_workers.errors import RequestError

API_PATH = "/api/v1"

_METHODS = ("GET", "POST", "PUT", "DELETE")
_SENT = ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID")
_SHOWN = ("Location", "RateLimit", "RateLimit-Policy", "Retry-After")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class CrossOrigin:
    """Middleware with the CORS headers for these origins; cookies are not allowed.

    ``access.Guard`` refuses requests of all other origins, and requests without a key.
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str]) -> None:
        self._app = app
        self._api = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_SENT,
            allow_credentials=False,
            expose_headers=_SHOWN,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        of_api = scope["type"] == "http" and is_api(scope["path"])
        await (self._api if of_api else self._app)(scope, receive, send)


def is_api(path: str) -> bool:
    """Return whether a path belongs to the API and not to a page."""
    return path.startswith(f"{API_PATH}/")


def checked(origins: Collection[str]) -> list[str]:
    """Return origins after checking that each is written as browsers send it.

    Raises:
        RequestError: An origin is a pattern, or has a path, a user or the default port.
    """
    for one in origins:
        if "*" in one:
            raise RequestError(
                f"--cors-origin names origins one by one, such as https://app.example:"
                f" {one} would allow pages of any site to call this server"
            )
        if not _is_exact(one):
            raise RequestError(
                "--cors-origin takes an origin as browsers send it, such as https://app.example or"
                f" http://localhost:3000, not {one}"
            )
    return list(origins)


def _is_exact(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if not host or parts.scheme not in _DEFAULT_PORTS or port == _DEFAULT_PORTS[parts.scheme]:
        return False
    return origin == f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")
