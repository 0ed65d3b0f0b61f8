"""Errors as problem+json (RFC 9457), with the same kinds as in commands."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException

from acm_workers.errors import (
    UNEXPECTED,
    AcmError,
    BrokerFailed,
    Conflict,
    NotAllowed,
    NotFound,
    QuotaSpent,
    RequestError,
    StoreFailed,
)
from schemas.record import Record

MEDIA_TYPE = "application/problem+json"

log = structlog.get_logger()


class ErrorDetail(Record):
    """One of several errors of a request.

    Attributes:
        where: The key, field or parameter with the error.
    """

    message: str
    where: str | None


class HttpProblem(Record):
    """An error in the form of RFC 9457.

    Attributes:
        type: ``urn:acm:problem:`` and the kind.
        title: The kind of problem as text.
        detail: The error message.
        kind: The name that commands and logs use, such as ``request_error``.
        errors: Each error, if the request has several.
    """

    type: str
    title: str
    status: int
    detail: str
    kind: str
    errors: tuple[ErrorDetail, ...] = ()


_STATUS: tuple[tuple[type[AcmError], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (NotAllowed, 403),
    (QuotaSpent, 429),
    (RequestError, 400),
    (StoreFailed, 503),
    (BrokerFailed, 503),
)
_TRY_LATER = {"Retry-After": "5"}


def install(app: FastAPI) -> None:
    """Make ``app`` answer every error as a problem."""
    app.add_exception_handler(AcmError, _of_our_own)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(DataError, _of_value)
    app.add_exception_handler(Exception, _unexpected)


def response(
    status: int,
    kind: str,
    detail: str,
    errors: tuple[ErrorDetail, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return a problem as a response."""
    problem = HttpProblem(
        type=f"urn:acm:problem:{kind}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        kind=kind,
        errors=errors,
    )
    return JSONResponse(problem.model_dump(mode="json"), status, headers, MEDIA_TYPE)


def documented() -> dict[int | str, dict[str, Any]]:
    """Return the errors that every route may answer with, for the OpenAPI document."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    about: dict[int | str, str] = {
        "4XX": "The request is not valid or cannot be fulfilled.",
        "5XX": "The server failed.",
        422: "A field or parameter is not valid.",
    }
    return {status: {"description": text, "content": content} for status, text in about.items()}


def _answer(request: Request, made: JSONResponse) -> Response:
    """Return the problem as an HTML page if the client accepts HTML, otherwise as JSON."""
    path = request.url.path
    has_pages = hasattr(request.app.state, "problem_page")
    if (
        not has_pages
        or path.startswith("/api/")
        or "text/html" not in request.headers.get("accept", "")
    ):
        return made
    if made.status_code in range(300, 400):
        return made
    problem = json.loads(bytes(made.body))
    page: Response = request.app.state.problem_page(
        request, "problem", None, made.status_code, title=problem["title"], detail=problem["detail"]
    )
    for name, value in made.headers.items():
        if name.lower() in ("retry-after", "www-authenticate", "allow"):
            page.headers[name] = value
    return page


async def _of_our_own(request: Request, error: Exception) -> Response:
    assert isinstance(error, AcmError)  # noqa: S101  tells the type checker
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    headers = _TRY_LATER if status in (429, 503) else None
    if isinstance(error, StoreFailed | BrokerFailed):
        # Why not is for the log: it names users, hosts and databases.
        log.warning("a request failed", kind=error.kind, why=str(error))
        detail = "store or broker does not answer; the log says why"
        return _answer(request, response(status, error.kind, detail, headers=headers))
    parts: tuple[ErrorDetail, ...] = ()
    if isinstance(error, RequestError) and (error.where is not None or error.more):
        parts = tuple(
            ErrorDetail(message=str(one), where=one.where) for one in (error, *error.more)
        )
    return _answer(request, response(status, error.kind, str(error), parts, headers))


async def _of_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  tells the type checker
    parts = tuple(
        ErrorDetail(message=one["msg"], where=".".join(str(part) for part in one["loc"]))
        for one in error.errors()
    )
    detail = f"{parts[0].where}: {parts[0].message}" if parts else "the request is not valid"
    return _answer(request, response(422, RequestError("").kind, detail, parts))


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  tells the type checker
    kind = NotFound("").kind if error.status_code == 404 else RequestError("").kind
    made = response(error.status_code, kind, str(error.detail), headers=error.headers)
    return _answer(request, made)


async def _of_value(request: Request, error: Exception) -> Response:
    assert isinstance(error, DataError)  # noqa: S101  tells the type checker
    log.warning("the store refuses a value of a request", why=" ".join(str(error.orig).split()))
    detail = "the store cannot hold a value of the request: a zero byte, or a number too large"
    return _answer(request, response(400, RequestError("").kind, detail))


async def _unexpected(_request: Request, error: Exception) -> JSONResponse:
    log.error("a request failed unexpectedly", error=type(error).__name__, exc_info=error)
    return response(500, UNEXPECTED, "the server failed; its log says why")
