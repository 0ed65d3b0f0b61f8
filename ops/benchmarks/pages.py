"""Measures the pages of huge runs, on the server and in Chromium.

One run has 10,000 calls: its pages are opened in a browser, and the list of its calls is scrolled
to its end and back. Another run has a million comparisons: its pages are requested.
"""

import itertools
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from selenium import webdriver
from sqlalchemy import Connection, text

from acm_workers import runtime
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import artifacts, calls, documents, runs, schema
from acm_workers.store.connection.database import Database
from ops.benchmarks import planned, processes
from ops.benchmarks.api_server import Latency
from ops.benchmarks.table import Measured, Target
from schemas import lanes
from schemas.calls import Call, Usage
from schemas.ranking import Standing
from schemas.run import Run
from schemas.units import Artifact, Document
from tests.support import api_process
from tests.support import browser as chromium
from tests.support.api_process import ApiProcess

CALLS = 10_000
COMPARISONS = 1_000_000
_CANDIDATES = 23
_JUDGES = 2
_A_DOCUMENT = _JUDGES * _CANDIDATES * (_CANDIDATES - 1)
_CALLS_A_DOCUMENT = 100
_REQUESTS = 200
_MOST_MS = 100.0
_FIRST_VIEW_MS = 1000.0
_HEAP_MB = 200.0
_WIDTH = 1280
_SCRIPT_S = 300

_COMPARED = text(
    "INSERT INTO pairwise_comparisons (comparison_id, tenant_id, run_id, document_id,"
    " artifact_a_id, artifact_b_id, judge, judge_provider, judge_model, iteration, lane, state,"
    " epoch, attempts, failures, rests, winner, reasoning, created_at, finished_at)"
    " SELECT printf('%026d', row_number() OVER ()), a.tenant_id, a.run_id, a.document_id,"
    " a.artifact_id, b.artifact_id, 'j' || judge.value, 'alpha', 'sim-' || judge.value, 1, :lane,"
    " 'done', 1, 1, 0, false, CASE WHEN a.artifact_id < b.artifact_id THEN 'a' ELSE 'b' END,"
    " 'Text A keeps closer to what was asked and is better ordered.', a.created_at, a.created_at"
    " FROM artifacts a JOIN artifacts b USING (document_id)"
    " JOIN json_each(:judges) judge"
    " WHERE a.run_id = :run AND a.artifact_id <> b.artifact_id"
)

# Scrolls a list to its end and back, a part of the screen each frame, and tells how long each took.
_SCROLL = """
const done = arguments[arguments.length - 1], wanted = arguments[0], deltas = [];
let last = performance.now(), down = true;
const rows = () => document.querySelectorAll("#endless tbody tr").length;
function frame(now) {
  deltas.push(now - last);
  last = now;
  const height = document.documentElement.scrollHeight;
  if (down && rows() >= wanted && scrollY + innerHeight >= height - 2) down = false;
  if (!down && scrollY === 0) { done([rows(), ...deltas.slice(1)]); return; }
  scrollBy({ top: down ? 700 : -700, behavior: "instant" });
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
"""
_FIRST_VIEW = """
const [visit] = performance.getEntriesByType("navigation");
const painted = performance.getEntriesByName("first-contentful-paint");
return Math.max(visit.domContentLoadedEventEnd, ...painted.map((one) => one.startTime));
"""


class _Row(NamedTuple):
    what: str
    value: float
    limit: float | None = None


def measure(number: int = CALLS, comparisons: int = COMPARISONS) -> Measured:
    """Measure the pages of a run with ``number`` calls, and of one with ``comparisons``."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        database = Database(f"sqlite:///{home / 'acm.db'}")
        schema.upgrade(database)
        called = _with_calls(database, number)
        compared = _with_comparisons(database, comparisons)
        paths = _paths(database, compared)
        database.close()
        rows: list[_Row] = []
        with api_process.serving({"ACM_HOME": folder}) as server:
            rows += _in_browser(server, called.id, number, home)
            rows += _requested(server, paths)
            rows.append(_Row("server MB", processes.rss_mb(server.pid)))
    targets = [Target(one.what, one.value, one.limit) for one in rows if one.limit is not None]
    return Measured("pages", [one._asdict() for one in rows], targets)


def _in_browser(server: ApiProcess, run_id: str, number: int, home: Path) -> Iterator[_Row]:
    with chromium.started(home / "chromium") as browser:
        browser.set_script_timeout(_SCRIPT_S)
        browser.execute_cdp_cmd("Performance.enable", {})
        for name, path in (("run", ""), ("calls", "/calls")):
            address = f"{server.url}/runs/{run_id}{path}"
            chromium.show(browser, address, _WIDTH)
            took_ms = browser.execute_script(_FIRST_VIEW)
            yield _Row(f"{name}, first view: ms", took_ms, _FIRST_VIEW_MS)
            yield _Row(f"{name}, first view: heap MB", _heap_mb(browser), _HEAP_MB)
        began = time.perf_counter()
        shown, *frames_ms = browser.execute_async_script(_SCROLL, number)
        yield _Row("rows scrolled", shown)
        yield _Row("scrolling took s", time.perf_counter() - began)
        yield _Row("frames", len(frames_ms))
        frames_ms.sort()
        yield _Row("frame, p99: ms", frames_ms[int(len(frames_ms) * 0.99)])
        yield _Row("longest frame: ms", frames_ms[-1], _MOST_MS)
        yield _Row("calls, all shown: heap MB", _heap_mb(browser), _HEAP_MB)


def _heap_mb(browser: webdriver.Chrome) -> float:
    found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    used: float = next(one["value"] for one in found if one["name"] == "JSHeapUsedSize")
    return used / 1e6


def _requested(server: ApiProcess, paths: dict[str, str]) -> Iterator[_Row]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:
        for name, path in paths.items():
            found = Latency.of([_took_ms(client, path) for _ in range(_REQUESTS)])
            yield _Row(f"{name}: p50 ms", found.p50)
            yield _Row(f"{name}: p99 ms", found.p99, _MOST_MS)
            yield _Row(f"{name}: most ms", found.most)


def _took_ms(client: httpx.Client, path: str) -> float:
    began = time.perf_counter()
    client.get(path).raise_for_status()
    return (time.perf_counter() - began) * 1000


def _paths(database: Database, run: Run) -> dict[str, str]:
    with database.read() as connection:
        place = documents.page(connection, run.id, 101)
        document = place[len(place) // 2]
        found = artifacts.page(connection, run.id, 2, document_id=document.id)
    here = f"/runs/{run.id}/documents/{document.id}"
    return {
        "list of runs": "/runs",
        "run": f"/runs/{run.id}",
        "run, later documents": f"/runs/{run.id}?cursor={place[-1].id}",
        "document": here,
        "document, another text": f"{here}?text={found[1].id}",
        "side by side": f"{here}/diff?left={found[0].id}&right={found[1].id}",
        "calls": f"/runs/{run.id}/calls",
    }


def _with_calls(database: Database, number: int) -> Run:
    """Write an ended run with a number of calls of its candidates."""
    config = planned.config({"alpha": {"base_url": "http://127.0.0.1:9/v1"}})
    run = planned.written(database, config, -(-number // _CALLS_A_DOCUMENT), planned.CANDIDATES)
    making = runtime.making()
    with database.write() as connection:
        each = itertools.cycle(
            one
            for document in documents.of_run(connection, run.id)
            for one in artifacts.of_document(connection, document.id)
        )
        made = [_call(one, making) for one in itertools.islice(each, number)]
        for call in made:
            calls.start(connection, call)
        calls.end(connection, made)
        runs.finish(connection, run.id, "done", making.now)
    return run


def _call(of: Artifact, making: RecordContext) -> Call:
    return Call(
        id=making.new_id(), run_id=of.run_id, document_id=of.document_id, unit_id=of.id,
        unit_kind="artifact", stage="main", attempt=1, provider=of.provider, model=of.model,
        digest="d" * 64, iteration=1, state="done", status=200, finish_reason="stop",
        usage=Usage(input_tokens=1200, output_tokens=800), cost_usd=0.0123,
        started_at=making.now, ended_at=making.now, owner="bench",
    )  # fmt: skip


def _with_comparisons(database: Database, comparisons: int) -> Run:
    """Write an ended run with a minimum number of comparisons."""
    config = planned.config({"alpha": {"base_url": "http://127.0.0.1:9/v1"}})
    number = -(-comparisons // _A_DOCUMENT)
    run = planned.written(database, config, number, _CANDIDATES)
    making = runtime.making()
    values = {"run": run.id, "lane": lanes.judge("alpha"), "judges": str([*range(_JUDGES)])}
    with database.write() as connection:
        connection.execute(_COMPARED, values)
        for document in documents.of_run(connection, run.id):
            _decide(connection, document, making)
        runs.finish(connection, run.id, "done", making.now)
    return run


def _decide(connection: Connection, document: Document, making: RecordContext) -> None:
    found = artifacts.page(connection, document.run_id, _CANDIDATES, document_id=document.id)
    standings = [_standing(one, rank) for rank, one in enumerate(found, 1)]
    values: dict[str, Any] = {
        "state": "done", "winner_id": found[0].id, "finished_at": making.now, "reason": "the best",
    }  # fmt: skip
    documents.finish(connection, document.model_copy(update=values), standings, ())


def _standing(of: Artifact, rank: int) -> Standing:
    return Standing(
        artifact_id=of.id, rank=rank, admitted=True, rank_score=1 / rank, overall=10 - rank / 4,
        elo=1600 - 10.0 * rank, wins=2 * (_CANDIDATES - rank), games=2 * (_CANDIDATES - 1),
        selected=rank <= 3, reason="", p_best=1 / (rank + 1),
    )  # fmt: skip
