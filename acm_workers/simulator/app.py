"""The simulated provider as an ASGI application."""

import asyncio
import json
import os
import time
from asyncio import Transport
from collections.abc import Callable
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from acm_workers.simulator import connection
from acm_workers.simulator.batch_endpoints import (
    AnthropicBatches,
    GoogleBatches,
    OpenAIBatches,
    refusing,
)
from acm_workers.simulator.batches import Batches
from acm_workers.simulator.dialects import anthropic, embeddings, google, openai, openai_chat
from acm_workers.simulator.messages import Dialect, IncomingRequest, PlannedAnswer, RequestRefused
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.stats import RequestStats

Log = Callable[[str], object]
Decide = Callable[[IncomingRequest], PlannedAnswer]


_NAMES: Final = ("sim-small", "sim-large", "sim-think")
_CREATED: Final = 1_700_000_000


def build(service: SimulatedProvider, log: Log | None = None) -> Starlette:
    """Build the application; ``log`` is called with one line per request for a completion."""

    async def stats(_: Request) -> Response:
        batches.bill_results(time.monotonic())
        return JSONResponse(service.stats.snapshot())

    async def models(request: Request) -> Response:
        return _models_answer(service, request)

    async def unknown(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        service.stats.sent(status)
        refused = RequestRefused(f"Invalid URL ({request.method} {request.url.path})", status)
        return Response(openai.error(refused, ""), status, media_type="application/json")

    def calls(path: str, dialect: Dialect) -> Route:
        return Route(path, _Completions(service, dialect, log), methods=["POST"])

    def others(method: str, path: str, dialect: Dialect, decide: Decide) -> Route:
        return Route(path, _Endpoint(service.stats, dialect, refusing(decide)), methods=[method])

    def log_batched(incoming: IncomingRequest, answer: PlannedAnswer) -> None:
        if log is not None:
            log(_line(incoming, answer, gone=False))

    background, batches = service.background, Batches(service, log_batched)
    of_openai, of_google = OpenAIBatches(batches), GoogleBatches(batches)
    of_anthropic = AnthropicBatches(batches)
    generate = "/models/{model:path}" + google.METHOD
    batched = "/models/{model:path}:batchGenerateContent"
    return Starlette(
        routes=[
            calls("/v1/chat/completions", openai_chat),
            calls("/api/v1/chat/completions", openai_chat),
            calls("/v1/responses", openai),
            calls("/v1/embeddings", embeddings),
            others("GET", "/v1/responses/{id}", openai, background.poll),
            others("POST", "/v1/responses/{id}/cancel", openai, background.cancel),
            calls("/v1/messages", anthropic),
            others("POST", "/v1/messages/batches", anthropic, of_anthropic.create),
            others("GET", "/v1/messages/batches", anthropic, of_anthropic.list),
            others("GET", "/v1/messages/batches/{id}", anthropic, of_anthropic.show),
            others("POST", "/v1/messages/batches/{id}/cancel", anthropic, of_anthropic.cancel),
            others("GET", "/v1/messages/batches/{id}/results", anthropic, of_anthropic.results),
            others("POST", "/v1/files", openai, of_openai.upload),
            others("GET", "/v1/files/{id}/content", openai, of_openai.content),
            others("POST", "/v1/batches", openai, of_openai.create),
            others("GET", "/v1/batches", openai, of_openai.list),
            others("GET", "/v1/batches/{id}", openai, of_openai.show),
            others("POST", "/v1/batches/{id}/cancel", openai, of_openai.cancel),
            others("POST", "/v1beta" + batched, google, of_google.create),
            others("GET", "/v1beta/batches", google, of_google.list),
            others("GET", "/v1beta/batches/{id}", google, of_google.show),
            others("POST", "/v1beta/batches/{id}", google, of_google.cancel),
            calls("/v1beta" + generate, google),
            calls("/v1" + generate, google),
            *(
                Route(f"{base}/models{one}", models)
                for base in ("/v1", "/api/v1", "/v1beta")
                for one in ("", "/{model:path}")
            ),
            Route("/_stats", stats),
        ],
        exception_handlers={404: unknown, 405: unknown},
    )


class _Endpoint:
    """Answers one kind of request by plain ASGI, which is faster than Starlette's requests."""

    def __init__(self, stats: RequestStats, dialect: Dialect, decide: Decide) -> None:
        self._stats, self._dialect, self._decide = stats, dialect, decide

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        now, wall = time.monotonic(), time.time()
        body = await _body(receive)
        if body is None:
            self._stats.abandoned()
            return
        request_id = f"req_{os.urandom(12).hex()}"
        query = scope["query_string"].decode("latin-1")
        incoming = IncomingRequest(
            self._dialect, scope["path"], scope["headers"], body, now, wall, request_id, query
        )
        outcome = self._decide(incoming)
        left_s = now + outcome.delay_s + _late_s(outcome) - time.monotonic()
        if left_s > 0:
            await asyncio.sleep(left_s)
        transport: Transport = scope["state"][connection.TRANSPORT]
        gone = transport.is_closing()
        self._note(incoming, outcome, gone=gone)
        if not gone:
            await self._answer(incoming, outcome, transport, receive, send)

    def _note(self, incoming: IncomingRequest, outcome: PlannedAnswer, *, gone: bool) -> None:
        """Count how a request ended."""
        if outcome.fault is not None:
            self._stats.count_fault(outcome.fault)
        if gone:
            self._stats.abandoned()
            return
        self._stats.sent(outcome.status)
        if outcome.answer.billed:
            self._stats.billed(outcome.input_tokens, outcome.output_tokens, outcome.usd)
            if outcome.fault is None:
                self._stats.answered(outcome.digest)

    async def _answer(
        self,
        incoming: IncomingRequest,
        outcome: PlannedAnswer,
        transport: Transport,
        receive: Receive,
        send: Send,
    ) -> None:
        answer, took_s = outcome.answer, time.monotonic() - incoming.now
        if answer.manner.mode == "raw":
            headers = answer.headers
        else:
            headers = [
                (b"content-type", answer.content_type),
                *incoming.dialect.id_headers(incoming.request_id, took_s),
                *answer.headers,
            ]
        if answer.manner.mode == "stream":
            await connection.stream(answer, headers, transport, send)
            return
        if answer.manner.mode != "whole":
            await connection.play(answer, headers, transport, receive)
            return
        headers.append((b"content-length", b"%d" % (len(answer.body) * answer.repeats)))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        for _ in range(answer.repeats - 1):
            await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        await send({"type": "http.response.body", "body": answer.body})


class _Completions(_Endpoint):
    """Answers requests for completions, which are counted and logged."""

    def __init__(self, service: SimulatedProvider, dialect: Dialect, log: Log | None) -> None:
        super().__init__(service.stats, dialect, service.decide)
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._stats.start(time.monotonic())
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stats.end()

    def _note(self, incoming: IncomingRequest, outcome: PlannedAnswer, *, gone: bool) -> None:
        super()._note(incoming, outcome, gone=gone)
        if self._log is not None:
            self._log(_line(incoming, outcome, gone=gone))


def _late_s(outcome: PlannedAnswer) -> float:
    manner = outcome.answer.manner
    return manner.seconds if manner.mode == "whole" else 0.0


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body; absent if the client left before its end."""
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


def _line(incoming: IncomingRequest, outcome: PlannedAnswer, *, gone: bool) -> str:
    named = incoming.header(b"x-client-request-id")
    entry: dict[str, Any] = {
        "time": incoming.wall,
        "name": None if named is None else named.decode("latin-1"),
        "model": outcome.model,
        "path": incoming.path,
        "status": None if gone else outcome.status,
        "input_tokens": outcome.input_tokens,
        "output_tokens": outcome.output_tokens,
        "fault": outcome.fault,
    }
    return json.dumps(entry) + "\n"


def _models_answer(service: SimulatedProvider, request: Request) -> Response:
    """List example models, or show one model; any other name works as well."""
    headers = request.headers
    dialect: Dialect = openai
    if "x-goog-api-key" in headers or request.url.path.startswith("/v1beta/"):
        dialect = google
    elif "anthropic-version" in headers:
        dialect = anthropic
    name = request.path_params.get("model")
    try:
        service.check_models_request(dialect, headers.raw, name)
    except RequestRefused as refused:
        body = dialect.error(refused, "")
        return Response(body, refused.status, media_type="application/json")
    shown = _as_openai
    if dialect is not openai:
        shown = _as_google if dialect is google else _as_anthropic
    if name is not None:
        return JSONResponse(shown(name))
    entries = [shown(one) for one in _NAMES]
    if dialect is google:
        return JSONResponse({"models": entries})
    if dialect is anthropic:
        ends = {"first_id": _NAMES[0], "last_id": _NAMES[-1], "has_more": False}
        return JSONResponse({"data": entries, **ends})
    return JSONResponse({"object": "list", "data": entries})


def _as_openai(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "simulator"}


def _as_anthropic(name: str) -> dict[str, object]:
    created = "2023-11-14T22:13:20Z"
    return {"id": name, "type": "model", "display_name": name, "created_at": created}


def _as_google(name: str) -> dict[str, object]:
    methods = ["generateContent"]
    return {
        "name": f"models/{name}",
        "displayName": name,
        "supportedGenerationMethods": methods,
    }
