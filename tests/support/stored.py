"""Stored runs, with defaults for what a test does not set."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from acm_workers.pipeline import units
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import artifacts, comparisons, documents, evaluations, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import RunRow
from acm_workers.store.workers import Worker
from schemas.calls import Call
from schemas.config.config import Config
from schemas.run import Run
from schemas.scope import LOCAL, Scope
from schemas.units import Artifact, Comparison, Document, Evaluation, UnitKind

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_numbers = count(1)


class Scene(NamedTuple):
    """A document with two candidates in a store."""

    run: Run
    document: Document
    candidates: list[Artifact]


def at(seconds: float) -> datetime:
    """Return a time that many seconds after the run began."""
    return NOW + timedelta(seconds=seconds)


def new_id() -> str:
    """Return an id; later ones sort after earlier ones."""
    return f"ID{next(_numbers):08d}"


def making(seconds: float = 0) -> RecordContext:
    """Return what new records get from outside, at that time of the run."""
    return RecordContext(at(seconds), new_id)


def config(**changes: Any) -> Config:
    """Return a config of two candidates, one judge that scores once, and every pair compared."""
    alpha = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
    given = {
        "input_folder": "inputs",
        "output_folder": "outputs",
        "winners_folder": "winners",
        "reports_folder": "reports",
        "instructions_file": "instructions.md",
        "providers": {"alpha": alpha},
        "runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 2}],
        "judges": [{"name": "j1", "provider": "alpha", "model": "j1", "iterations": 1}],
    }
    every_pair = {"pairwise": {"strategy": "round_robin"} | changes.pop("pairwise", {})}
    return Config.model_validate(given | every_pair | changes)


def run(
    connection: Connection, run_id: str | None = None, scope: Scope = LOCAL, **changes: Any
) -> Run:
    """Add a run of a tenant."""
    values: dict[str, Any] = {
        "id": run_id or new_id(),
        "key": "key",
        "title": "config.yaml",
        "state": "running",
        "config": config(),
        "instructions": "Write.",
        "guidelines": None,
        "created_at": NOW,
    }
    added = Run.model_validate(values | changes)
    runs.add(connection, added, scope)
    return added


def document(connection: Connection, of: Run, **changes: Any) -> Document:
    """Add a document whose candidates are being written."""
    number = new_id()
    values: dict[str, Any] = {
        "id": number,
        "run_id": of.id,
        "path": f"{number}.md",
        "key": f"key of {number}",
        "stage": "generate",
        "created_at": NOW,
    }
    added = Document.model_validate(values | changes)
    documents.add(connection, [added], {added.id: f"The source of {added.path}."})
    return added


def candidates(connection: Connection, of: Document, given: Config | None = None) -> list[Artifact]:
    """Plan the candidates of a document; two with the usual config."""
    planned = units.candidates(of, given or config(), making())
    artifacts.plan(connection, planned, NOW)
    return planned


def scene(connection: Connection) -> Scene:
    """Add a run with a document, and plan its two candidates."""
    added = run(connection)
    of = document(connection, added)
    return Scene(added, of, candidates(connection, of))


def decided(connection: Connection, text: str, **changes: Any) -> Run:
    """Add a run that decided the document a.md, whose candidates all have the same text."""
    ended = at(60)
    added = run(connection, state="done", finished_at=ended, **changes)
    of = document(connection, added, path="a.md")
    written = [one.id for one in candidates(connection, of)]
    put(connection, "artifact", written, state="done", text=text)
    won = {"state": "done", "winner_id": written[0], "finished_at": ended}
    documents.finish(connection, of.model_copy(update=won), [], [])
    return runs.get(connection, added.id)


def evaluation(connection: Connection, of: Artifact, **changes: Any) -> Evaluation:
    """Plan an evaluation of a candidate."""
    planned = units.evaluations(of, config(), making())[0].model_copy(update=changes)
    evaluations.plan(connection, [planned], NOW)
    return planned


def comparison(connection: Connection, a: Artifact, b: Artifact, **changes: Any) -> Comparison:
    """Plan a comparison of two candidates."""
    values: dict[str, Any] = {
        "id": new_id(),
        "run_id": a.run_id,
        "document_id": a.document_id,
        "a_id": a.id,
        "b_id": b.id,
        "judge": "j1",
        "provider": "alpha",
        "model": "j1",
        "lane": "judge.alpha",
        "iteration": 1,
        "created_at": NOW,
    }
    planned = Comparison.model_validate(values | changes)
    comparisons.plan(connection, [planned], NOW)
    return planned


def worker(owner: str, **changes: Any) -> Worker:
    """Return a process that serves ``control``, and has just begun."""
    new = Worker(owner, "host", 7, "w@host", ("control",), 2, 0, NOW, NOW, None, None, "0")
    return new._replace(**changes)


def put(connection: Connection, kind: UnitKind, ids: Sequence[str], **values: Any) -> None:
    """Change units of one kind, as if they had been worked on."""
    row = UNIT_ROWS[kind]
    connection.execute(update(row).where(row.id.in_(ids)).values(**values))


def call(unit: Artifact | Evaluation | Comparison, **changes: Any) -> Call:
    """Return a call that a unit begins; it is not added."""
    values: dict[str, Any] = {
        "id": new_id(),
        "run_id": unit.run_id,
        "document_id": unit.document_id,
        "unit_id": unit.id,
        "unit_kind": "artifact",
        "stage": "main",
        "attempt": 1,
        "provider": unit.provider,
        "model": unit.model,
        "digest": "d" * 64,
        "iteration": 1,
        "state": "started",
        "started_at": NOW,
        "owner": "me",
    }
    return Call.model_validate(values | changes)


def end_run_earlier(database: Database, run_id: str, by: timedelta) -> None:
    """Let a run that has ended have ended earlier."""
    with database.write() as connection:
        ended = connection.scalar(select(RunRow.finished_at).where(RunRow.id == run_id))
        assert ended is not None
        earlier = update(RunRow).where(RunRow.id == run_id).values(finished_at=ended - by)
        connection.execute(earlier)
