"""Searches for children: in a folder, with a SearXNG server, or with Tavily.

Every result contains its text (``raw_content``), so the child does not fetch pages. A search
outside this machine is recorded as a call in the ledger. It is recorded with its price before it is
sent, and its stored answer is reused if the unit is tried again.
"""

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import structlog

from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.retry_policy import RetryPolicy
from acm_workers.errors import (
    AcmError,
    CallLimitReached,
    PermanentError,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    TransientError,
    kind_of,
)
from acm_workers.gateway import folder_search, page_text
from acm_workers.gateway.access import GatewayAccess
from acm_workers.gateway.folder_search import RetrievedText
from acm_workers.providers.http import failures, pages, transport
from acm_workers.store import calls
from acm_workers.store.ids import new_id
from schemas.calls import Call, Completion, Request, Usage
from schemas.config.provider import Provider
from schemas.config.research import RETRIEVER, Retriever

LONGEST_QUERY = 400
_MOST_CHARACTERS = 20_000
_MOST_PAGE_BYTES = 1024 * 1024
_MOST_ANSWER_BYTES = 4 * 1024 * 1024
_FETCHES = 5
_TAVILY = "https://api.tavily.com"
_SLEEP_S = 0.25

log = structlog.get_logger()


class SearchService:
    """Answers the searches of one unit's child; a route of its gateway.

    A search that fails permanently ends the unit, because the report would lack its sources.

    Args:
        most: Number of searches the child may make; no limit by default.

    Attributes:
        count: Number of searches there were.
    """

    def __init__(
        self, access: GatewayAccess, retriever: Retriever, most: int | None = None
    ) -> None:
        self.count = 0
        self._most = most
        self._access = access
        self._context, self._work, self._config = access.context, access.work, access.config
        self._retriever = retriever
        self._stored: dict[str, list[str]] | None = None
        self._answers: dict[str, str] = {}
        self._lock = threading.Lock()

    def __call__(self, fields: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the results for ``fields["query"]``, best first.

        Raises:
            AcmError: The retriever cannot answer.
        """
        with self._lock:
            self.count += 1
        query = " ".join(fields.get("query", "").split())[:LONGEST_QUERY]
        if not query:
            return []
        try:
            if self._most is not None and self.count > self._most:
                raise CallLimitReached(f"the generator searched more than {self._most} times")
            return self._find(query)
        except AcmError as error:
            self._access.stop(error)
            raise

    def _find(self, query: str) -> list[dict[str, Any]]:
        retriever = self._retriever
        if not retriever.is_booked:
            found = folder_search.find(retriever.folder or "", query, retriever.max_results)
            return _results(found)
        results: list[dict[str, Any]] = json.loads(self._paid(query))
        return results

    def _paid(self, query: str) -> str:
        """Return the answer to a search that leaves this machine; it is paid for only once."""
        digest = self._digest(query)
        known = self._answers.get(digest)
        if known is not None:
            return known
        stored = self._take_stored(digest)
        if stored is not None:
            call = self._new_call(digest, 1, None)
            update = {"cached": True, "cost_usd": 0.0}
            self._work.save_gateway_cached(call.model_copy(update=self._done(None) | update))
            return self._answers.setdefault(digest, stored.text)
        retry = RetryPolicy(self._config.retries)
        while True:
            self._context.check(self._work.unit.run_id)
            try:
                answer = self._send(query, digest, retry.start_attempt())
            except TransientError as error:
                self._sleep(retry.delay_s(error))
            else:
                return self._answers.setdefault(digest, answer)

    def _send(self, query: str, digest: str, attempt: int) -> str:
        """Search once, when the budget allows it."""
        context, unit = self._context, self._work.unit
        record = Request(provider=RETRIEVER, model=self._retriever.type, messages=())
        price_usd = self._retriever.price_usd
        with context.budgets.reservation_of(
            unit.run_id,
            self._config,
            record,
            price_usd,
            lambda: context.check(unit.run_id),
        ) as reservation:
            call = None
            while call is None:
                reservation.wait()
                call = self._work.start_gateway_call(
                    lambda: self._new_call(digest, attempt, reservation), reservation
                )
            reservation.close()
        try:
            found = self._ask(query)
        except Exception as error:
            self._work.end_call(call.model_copy(update=self._failed(error)))
            raise
        answer = json.dumps(_results(found))
        self._work.end_call(call.model_copy(update=self._done(answer)))
        return answer

    def _ask(self, query: str) -> list[RetrievedText]:
        ask = _tavily if self._retriever.type == "tavily" else _searxng
        try:
            return ask(self._retriever, query)
        except ProviderPaused as error:
            # Other units cannot search either, and nobody would wait for a search service.
            raise ProviderRejected(str(error), error.status) from error

    def _new_call(self, digest: str, attempt: int, reservation: BudgetReservation | None) -> Call:
        unit = self._work.unit
        return Call(
            id=new_id(),
            run_id=unit.run_id,
            document_id=unit.document_id,
            unit_id=unit.id,
            unit_kind=unit.kind,
            stage="gateway",
            attempt=attempt,
            provider=RETRIEVER,
            model=self._retriever.type,
            digest=digest,
            iteration=unit.sample,
            state="started",
            reserved_usd=None if reservation is None else reservation.amount_usd,
            started_at=self._context.now(),
            owner=self._context.owner,
        )

    def _done(self, answer: str | None) -> dict[str, Any]:
        price = self._retriever.price_usd
        return {
            "state": "done",
            "status": 200,
            "finish_reason": "stop",
            "usage": Usage(input_tokens=0, output_tokens=0, searches=1),
            "cost_usd": price,
            "price": None if price is None else "config",
            "answer": answer,
            "ended_at": self._context.now(),
        }

    def _failed(self, error: Exception) -> dict[str, Any]:
        unclear = not isinstance(error, AcmError) or error.maybe_billed
        is_free = self._retriever.price_usd == 0
        return {
            "state": "uncertain" if unclear and not is_free else "failed",
            "status": getattr(error, "status", None),
            "error_kind": kind_of(type(error)),
            "error": str(error)[:2000],
            "ended_at": self._context.now(),
        }

    def _digest(self, query: str) -> str:
        retriever = self._retriever
        asked = [RETRIEVER, retriever.type, retriever.url, retriever.max_results, query]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    def _take_stored(self, digest: str) -> Completion | None:
        with self._lock:
            if self._stored is None:
                with self._context.database.read() as connection:
                    self._stored = calls.answers_of_unit(connection, self._work.unit.id, "gateway")
            ids = self._stored.get(digest)
            call_id = ids.pop(0) if ids else None
        if call_id is None:
            return None
        with self._context.database.autocommit() as connection:
            return calls.answer(connection, call_id)

    def _sleep(self, delay_s: float) -> None:
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            self._context.check(self._work.unit.run_id)
            time.sleep(min(left_s, _SLEEP_S))


def _searxng(retriever: Retriever, query: str) -> list[RetrievedText]:
    """Search with a server that speaks SearXNG's API, and fetch the pages that it names."""
    asked = urlencode({"q": query, "format": "json"})
    url = f"{(retriever.url or '').rstrip('/')}/search?{asked}"
    # The user named this server, so it may be on this machine or network.
    page = pages.fetch(url, retriever.timeout_seconds, _MOST_ANSWER_BYTES, private=True)
    if page.status == 403:
        raise ProviderRejected("SearXNG does not answer in JSON: allow format json in its settings")
    if page.status == 429 or page.status >= 500:
        raise ProviderUnavailable(f"SearXNG answers with status {page.status}", status=page.status)
    if page.status != 200:
        raise ProviderRejected(f"SearXNG answers with status {page.status}", page.status)
    results = _entries(page.content)[: retriever.max_results]
    within_s = retriever.timeout_seconds
    with ThreadPoolExecutor(_FETCHES, "acm-pages") as pool:
        return list(pool.map(lambda result: _with_page(result, within_s), results))


def _tavily(retriever: Retriever, query: str) -> list[RetrievedText]:
    """Search with a service that speaks Tavily's API, which reads the pages itself."""
    service = Provider(
        dialect="openai_chat",
        base_url=retriever.url or _TAVILY,
        key_env=retriever.key_env,
        timeout_seconds=retriever.timeout_seconds,
    )
    body = {
        "query": query,
        "max_results": retriever.max_results,
        "search_depth": "basic",
        "include_raw_content": True,
    }
    response = transport.post(service, RETRIEVER, "search", body, {})
    if response.status != 200 or not isinstance(response.body, dict):
        error = response.body.get("detail") if isinstance(response.body, dict) else None
        raise failures.failure(response, error)
    return [
        RetrievedText(url, title, text) for url, title, text in map(_fields, _listed(response.body))
    ][: retriever.max_results]


def _with_page(result: Mapping[str, Any], within_s: float) -> RetrievedText:
    """Return a result with the text of its page, or its excerpt if that cannot be fetched."""
    url, title, excerpt = _fields(result)
    try:
        page = pages.fetch(url, within_s, _MOST_PAGE_BYTES)
    except (TransientError, PermanentError) as error:
        log.info("a page was not fetched", reason=str(error))
        return RetrievedText(url, title, excerpt)
    if page.status != 200:
        return RetrievedText(url, title, excerpt)
    found, text = page_text.of(page.media_type, page.charset, page.content)
    return RetrievedText(url, found or title, text if len(text) > len(excerpt) else excerpt)


def _fields(result: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return address, title and text of a result."""
    url = str(result.get("url") or "")[:2000]
    text = result.get("raw_content") or result.get("content") or ""
    return url, str(result.get("title") or url)[:300], str(text)


def _entries(content: bytes) -> list[Mapping[str, Any]]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ProviderRejected("the retriever's answer is no JSON") from error
    return _listed(body)


def _listed(body: object) -> list[Mapping[str, Any]]:
    results = body.get("results") if isinstance(body, dict) else None
    if not isinstance(results, list):
        raise ProviderRejected("the retriever's answer has no results")
    return [one for one in results if isinstance(one, dict) and one.get("url")]


def _results(found: list[RetrievedText]) -> list[dict[str, Any]]:
    return [
        {"url": page.url, "title": page.title, "raw_content": page.text[:_MOST_CHARACTERS]}
        for page in found
        if page.text
    ]
