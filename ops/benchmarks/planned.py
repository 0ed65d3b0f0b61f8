"""Runs with written candidates and planned scores, as after an interruption."""

import math
from collections.abc import Mapping
from typing import Any

from acm_workers import runtime
from acm_workers.pipeline import units
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import artifacts, documents, evaluations, runs
from acm_workers.store.connection.database import Database
from schemas import lanes
from schemas.config.config import Config
from schemas.run import Run
from schemas.units import Artifact, Document

CANDIDATES = 10
ITERATIONS = 10
A_DOCUMENT = CANDIDATES * ITERATIONS
"""Number of scores of each judge for one document."""
TEXT = "## A section\n\nIt says what a candidate of usual length says, in plain words.\n" * 50


def config(providers: Mapping[str, Mapping[str, Any]], **changes: Any) -> Config:
    """Return a config whose judges, one for each provider, only score."""
    return Config.model_validate(
        {
            "input_folder": "in", "output_folder": "out", "winners_folder": "win",
            "reports_folder": "rep", "instructions_file": "instructions.md",
            "providers": {name: {"dialect": "openai_chat", **limits}
                          for name, limits in providers.items()},
            "runs": [{"type": "fpf", "provider": next(iter(providers)), "model": "sim-a",
                      "iterations": CANDIDATES}],
            "judges": [{"name": f"j-{name}", "provider": name, "model": f"sim-{name}",
                        "iterations": ITERATIONS} for name in providers],
            "pairwise": {"enabled": False}, "playoffs": {"enabled": False},
        } | changes
    )  # fmt: skip


def seed(database: Database, wanted: Config, number: int) -> Run:
    """Plan a run with ``number`` scores of each judge, for whole documents.

    Raises:
        ValueError: The number is not that of whole documents; see ``whole``.
    """
    if number != whole(number):
        raise ValueError(f"{number} scores are not those of whole documents")
    run = written(database, wanted, number // A_DOCUMENT, CANDIDATES)
    making = runtime.making()
    with database.write() as connection:
        for document in documents.of_run(connection, run.id):
            for artifact in artifacts.of_document(connection, document.id):
                planned = units.evaluations(artifact, wanted, making)
                evaluations.plan(connection, planned, making.now)
    return run


def whole(number: float) -> int:
    """Return the number of scores of as many documents as ``number`` requires."""
    return math.ceil(number / A_DOCUMENT) * A_DOCUMENT


def written(database: Database, wanted: Config, number: int, candidates: int) -> Run:
    """Plan a run with ``number`` documents with written candidates and no planned units."""
    making = runtime.making()
    run = Run(
        id=making.new_id(), key="bench", title="bench", state="running", config=wanted,
        instructions="Write a briefing.", guidelines=None, created_at=making.now,
    )  # fmt: skip
    with database.write() as connection:
        runs.add(connection, run)
        for place in range(number):
            document = Document(
                id=making.new_id(), run_id=run.id, path=f"{place}.md", key=str(place),
                stage="generate", created_at=making.now,
            )  # fmt: skip
            documents.add(connection, [document], {document.id: TEXT})
            there = [_candidate(document, at, making) for at in range(candidates)]
            artifacts.plan(connection, there, making.now)
    return run


def _candidate(document: Document, place: int, making: RecordContext) -> Artifact:
    """Return a written candidate."""
    return Artifact(
        id=making.new_id(), run_id=document.run_id, document_id=document.id, generator="fpf",
        variant=1, iteration=place + 1, number=place + 1, provider="alpha", model="sim-a",
        lane=lanes.generate("alpha"), state="done",
        text=f"# Candidate {document.path} {place}\n\n{TEXT}",
        created_at=making.now, finished_at=making.now,
    )  # fmt: skip
