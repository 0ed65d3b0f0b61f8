"""The sweep reads no big table from end to end: Postgres' own plans say so."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from acm_workers.engine import publish, sweep
from acm_workers.engine.sweep import QueueStates
from acm_workers.store import claims, documents, runs, units
from acm_workers.store.connection.database import Database
from tests.support import stored
from tests.support.stored import at, making

_BIG = {"documents", "artifacts", "eval_results", "pairwise_comparisons", "calls", "runs"}
_ROWS = 20_000
_SCAN = re.compile(r"Seq Scan on (\w+)")
_QUEUES = QueueStates({"control", "generate.alpha", "judge.alpha"}, ())

# An old run of many documents, all of it done, and as many calls.
_FILL = (
    "insert into documents (document_id, run_id, path, key, text, stage, state, created_at,"
    " tenant_id) select 'D' || n, :run, n || '.md', 'k', '', 'finished', 'done', :now, 'default'"
    " from generate_series(1, :rows) n",
    "insert into artifacts (artifact_id, run_id, document_id, generator, variant, iteration,"
    " number, provider, model, parents, tenant_id, state, epoch, attempts, created_at)"
    " select 'A' || n, :run, 'D' || n, 'fpf', 1, 1, 1, 'alpha', 'm', '[]', 'default', 'done', 1,"
    " 1, :now from generate_series(1, :rows) n",
    "insert into eval_results (eval_id, run_id, document_id, artifact_id, judge, judge_provider,"
    " judge_model, iteration, criteria_scores, filled, reasoning, tenant_id, state, epoch,"
    " attempts, created_at) select 'E' || n, :run, 'D' || n, 'A' || n, 'j', 'alpha', 'm', 1,"
    " '{}', '[]', '{}', 'default', 'done', 1, 1, :now from generate_series(1, :rows) n",
    "insert into pairwise_comparisons (comparison_id, run_id, document_id, artifact_a_id,"
    " artifact_b_id, judge, judge_provider, judge_model, iteration, tenant_id, state, epoch,"
    " attempts, created_at) select 'C' || n, :run, 'D' || n, 'A' || n, 'A1', 'j', 'alpha', 'm',"
    " 1, 'default', 'done', 1, 1, :now from generate_series(1, :rows) n",
    "insert into calls (call_id, run_id, document_id, unit_id, unit_kind, stage, attempt,"
    " provider, model, digest, iteration, state, cached, reusable, wait_s, started_at, owner,"
    " tenant_id) select 'L' || n, :run, 'D' || n, 'A' || n, 'artifact', 'main', 1, 'alpha', 'm',"
    " 'd' || n, 1, 'done', false, true, 0, :now, 'w', 'default' from generate_series(1, :rows) n",
    "insert into runs (run_id, key, title, state, config, instructions, skipped,"
    " cancel_requested, created_at, tenant_id) select 'R' || n, 'k', '', 'done', '{}', '', '[]',"
    " false, :now, 'default' from generate_series(1, :rows) n",
)


@pytest.fixture
def filled(postgres_database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    for name in ("units", "start", "advance"):
        monkeypatch.setattr(publish, name, lambda *_: None)
    with postgres_database.write() as connection:
        old = stored.run(connection, state="done")
        for statement in _FILL:
            connection.execute(text(statement), {"run": old.id, "now": at(0), "rows": _ROWS})
    with postgres_database.engine.connect() as plain:
        plain.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))
    yield postgres_database
    with postgres_database.write() as connection:
        # Row by row, each would be looked for in every table that may refer to it.
        connection.execute(text(f"TRUNCATE {', '.join(_BIG)} CASCADE"))


def scans(connection: Connection, statement: str, parameters: Any) -> set[str]:
    """Return the tables that a statement reads from end to end."""
    lines = connection.connection.dbapi_connection.execute(  # type: ignore[union-attr]
        f"EXPLAIN {statement}", parameters
    ).fetchall()
    return {found for line in lines for found in _SCAN.findall(line[0])}


def test_no_statement_of_the_sweep_reads_a_big_table_from_end_to_end(filled: Database) -> None:
    with filled.write() as connection:
        scene = stored.scene(connection)
        claims.acquire(connection, "artifact", scene.candidates[0].id, "dead", at(0))
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.lstrip().split(" ", 1)[0] in {"SELECT", "UPDATE", "DELETE"}:
            seen.append((statement, parameters))

    event.listen(filled.engine, "before_cursor_execute", note)
    try:
        sweep.sweep(filled, scene.run.id, making(100), queues=_QUEUES)
        sweep.poll(filled, scene.run.id, making(100))
        sweep.release_owner(filled, "dead", making(100))
        with filled.write() as connection:
            runs.given_to_workers(connection)
            units.mark_received(connection, {scene.candidates[0].id: "artifact"}, at(100))
            claims.renew(connection, "me", {scene.candidates[0].id: "artifact"}, at(100))
            units.resume_suspended(connection, scene.run.id)
            units.planned_queues(connection, scene.run.id)
            documents.idle(connection, scene.run.id)
            sweep.cancel(connection, scene.run.id, making(100))
    finally:
        event.remove(filled.engine, "before_cursor_execute", note)

    assert len(seen) > 20
    with filled.write() as connection:
        assert scans(connection, "SELECT count(*) FROM calls WHERE wait_s > 1", ()) == {"calls"}
        for statement, parameters in seen:
            plain = parameters[0] if isinstance(parameters, list) else parameters
            assert not scans(connection, statement, plain) & _BIG, statement
