"""The application of `acm api`: health for process managers, metrics for Prometheus."""

import asyncio
import hmac
import threading
import time
from collections.abc import Callable

import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acm_api.http.metrics import Metrics
from acm_workers import broker
from acm_workers.errors import AcmError
from acm_workers.settings import Settings
from acm_workers.store import schema
from acm_workers.store.connection.database import Database

log = structlog.get_logger()

_CHECK_TIMEOUT_S = 5.0
_MAX_AGE_S = 1.0
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def make(database: Database, settings: Settings, token: str | None) -> Starlette:
    """Return the application.

    Args:
        token: Bearer token that ``/metrics`` requires, if it is set. ``/healthz`` requires none; it
            says only whether store and broker answer.
    """
    cached_metrics = _ShortCache(Metrics(database, settings).text)

    async def health(_request: Request) -> Response:
        try:
            check = run_in_threadpool(_faults, database, settings)
            reasons = await asyncio.wait_for(check, _CHECK_TIMEOUT_S)
        except TimeoutError:
            reasons = [f"store or broker did not answer within {_CHECK_TIMEOUT_S:.0f} s"]
        return JSONResponse({"ok": not reasons, "reasons": reasons}, 503 if reasons else 200)

    def metrics(request: Request) -> Response:
        if not _is_authorized(request, token):
            problem = {"title": "the token of ACM_API_TOKEN is needed", "status": 401}
            headers = {"WWW-Authenticate": "Bearer"}
            return JSONResponse(problem, 401, headers, "application/problem+json")
        return Response(cached_metrics(), media_type=_METRICS_TYPE)

    return Starlette(routes=[Route("/healthz", health), Route("/metrics", metrics)])


class _ShortCache:
    """Computes a value at most once a second, however many requests ask for it."""

    def __init__(self, compute: Callable[[], bytes]) -> None:
        self._compute = compute
        self._lock = threading.Lock()
        self._cached: tuple[bytes, float] | None = None

    def __call__(self) -> bytes:
        with self._lock:
            if self._cached is None or time.monotonic() - self._cached[1] >= _MAX_AGE_S:
                self._cached = (self._compute(), time.monotonic())
            return self._cached[0]


def _is_authorized(request: Request, token: str | None) -> bool:
    if token is None:
        return True
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _faults(database: Database, settings: Settings) -> list[str]:
    """Return what does not answer. Why not is for the log: it names users, hosts and databases."""
    faults = []
    try:
        schema.version(database)
    except AcmError as error:
        faults.append("the store does not answer; the log says why")
        log.warning("the store does not answer", why=str(error))
    if settings.broker_url is not None:
        try:
            broker.check(settings)
        except AcmError as error:
            faults.append("the broker does not answer; the log says why")
            log.warning("the broker does not answer", why=str(error))
    return faults
