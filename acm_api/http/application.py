"""The application of `acm api`: the HTTP API, health and metrics."""

import asyncio
import hmac
import threading
import time
from collections.abc import Callable, Collection
from importlib import metadata
from typing import Any

import structlog
from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from acm_api.http import examples, problems
from acm_api.http.access import Guard
from acm_api.http.body_limit import BodyLimit
from acm_api.http.cross_origin import API_PATH, CrossOrigin
from acm_api.http.metrics import Metrics
from acm_api.http.pages import rendering, views
from acm_api.http.problems import HttpProblem
from acm_api.http.routes import (
    artifacts,
    audit,
    calls,
    comparing,
    documents,
    downloads,
    evaluation,
    events,
    logs,
    plans,
    providers,
    resources,
    runs,
    submissions,
    uploads,
    votes,
)
from acm_api.http.service import Service
from acm_workers import broker
from acm_workers.errors import AcmError
from acm_workers.settings import Settings
from acm_workers.store import schema
from acm_workers.store.connection.database import Database

log = structlog.get_logger()

_CHECK_TIMEOUT_S = 5.0
_MAX_AGE_S = 1.0
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


_ROUTES = (
    runs, uploads, evaluation, documents, artifacts, calls, votes, events, logs, plans, downloads,
    providers, submissions, resources, audit, comparing,
)  # fmt: skip


def make(
    database: Database,
    settings: Settings,
    token: str | None,
    *,
    single_user: bool = True,
    serves_runs: bool = True,
    origins: Collection[str] = (),
) -> FastAPI:
    """Return the application; the caller must start its ``state.service``.

    Args:
        token: Bearer token that ``/metrics`` requires. Without it only a single user may read the
            metrics, because they cover all tenants. ``/healthz`` requires no token; it reports only
            whether the store and the broker answer.
        single_user: Only this machine can connect, so no login is needed.
        serves_runs: Whether to serve runs as well as health and metrics.
        origins: Origins of pages of other sites that may call the API with keys of users.
    """
    app = FastAPI(
        title="ACM",
        version=metadata.version("acm"),
        summary="Finds the best of many texts that language models write.",
        openapi_url=f"{API_PATH}/openapi.json" if serves_runs else None,
        docs_url=None,  # its scripts come from elsewhere
        redoc_url=None,
        separate_input_output_schemas=False,
    )
    app.state.service = Service(database, settings, single_user=single_user)
    problems.install(app)
    allowed = _MetricsAccess(token, for_all=single_user)
    _add_monitoring(app, database, settings, allowed)
    if serves_runs:
        router = APIRouter(prefix=API_PATH, responses=problems.documented())
        for module in _ROUTES:
            router.include_router(module.router)
        app.include_router(router)
        app.include_router(views.router)
        app.state.problem_page = rendering.page
    app.openapi = lambda: _openapi(app, single_user=single_user)  # type: ignore[method-assign]
    app.add_middleware(BodyLimit)
    if origins:
        app.add_middleware(CrossOrigin, origins=origins)
    app.add_middleware(Guard, single_user=single_user and serves_runs, origins=origins)
    return app


def _openapi(app: FastAPI, *, single_user: bool) -> dict[str, Any]:
    """Return the OpenAPI document with problems and keys; it is created once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        parts = made.setdefault("components", {}).setdefault("schemas", {})
        schema = HttpProblem.model_json_schema(ref_template="#/components/schemas/{model}")
        parts |= schema.pop("$defs", {}) | {"Problem": schema}
        parts.pop("HTTPValidationError", None)
        parts.pop("ValidationError", None)
        examples.add(parts)
        made["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{}] if single_user else [{"key": []}]
        app.openapi_schema = made
    return app.openapi_schema


def _add_monitoring(
    app: FastAPI, database: Database, settings: Settings, allowed: "_MetricsAccess"
) -> None:
    cached_metrics = _ShortCache(Metrics(database, settings).text)

    async def health(_request: Request) -> Response:
        try:
            check = run_in_threadpool(_faults, database, settings)
            reasons = await asyncio.wait_for(check, _CHECK_TIMEOUT_S)
        except TimeoutError:
            reasons = [f"store or broker did not answer within {_CHECK_TIMEOUT_S:.0f} s"]
        return JSONResponse({"ok": not reasons, "reasons": reasons}, 503 if reasons else 200)

    def metrics(request: Request) -> Response:
        if not allowed(request):
            problem = {"title": allowed.refusal, "status": 401}
            headers = {"WWW-Authenticate": "Bearer"}
            return JSONResponse(problem, 401, headers, "application/problem+json")
        return Response(cached_metrics(), media_type=_METRICS_TYPE)

    app.add_route("/healthz", health)
    app.add_route("/metrics", metrics)


class _ShortCache:
    """Computes a value at most once a second, for any number of requests."""

    def __init__(self, compute: Callable[[], bytes]) -> None:
        self._compute = compute
        self._lock = threading.Lock()
        self._cached: tuple[bytes, float] | None = None

    def __call__(self) -> bytes:
        with self._lock:
            if self._cached is None or time.monotonic() - self._cached[1] >= _MAX_AGE_S:
                self._cached = (self._compute(), time.monotonic())
            return self._cached[0]


class _MetricsAccess:
    """Access to metrics: with the token, or for a single user if no token is set."""

    def __init__(self, token: str | None, *, for_all: bool) -> None:
        self._token = token
        self._for_all = for_all

    def __call__(self, request: Request) -> bool:
        """Return whether a request may read the metrics."""
        if self._token is None:
            return self._for_all
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode())

    @property
    def refusal(self) -> str:
        """Return the error message for a refused request."""
        if self._token is None:
            return "metrics cover all tenants: to read them, start the server with ACM_API_TOKEN"
        return "send the token of ACM_API_TOKEN"


def _faults(database: Database, settings: Settings) -> list[str]:
    """Return the services that do not answer.

    The reasons are only logged, because they name users, hosts and databases.
    """
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
