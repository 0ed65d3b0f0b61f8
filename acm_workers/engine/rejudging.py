"""Judging again: a run that begins with the texts of an earlier one, and writes none."""

import hashlib
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers.errors import RequestError
from acm_workers.pipeline import plan, units
from acm_workers.pipeline.ranking_diff import JudgedDocument, compare_rankings
from acm_workers.pipeline.snapshot import DocumentSnapshot, RecordContext
from acm_workers.store import artifacts, comparisons, documents, evaluations, runs
from schemas.config.config import Config
from schemas.ranking import Standing
from schemas.rejudged import DocumentChange
from schemas.run import Run
from schemas.units import Artifact, Document


class Stock(NamedTuple):
    """What a run has to be judged again.

    Attributes:
        documents: Those with candidates; ones that the run skipped come from earlier runs.
        first: Number of candidates of each document that are not combined, in the same order.
        combined: Number of combined ones.
        empty: Paths of documents without any candidate.
        unwritten: Number of candidates that were planned and have no text.
    """

    documents: list[Document]
    first: list[int]
    combined: list[int]
    empty: list[str]
    unwritten: int


class Begun(NamedTuple):
    """A run that judges another one again.

    Attributes:
        stock: What it judges; absent if it was begun before, and goes on.
    """

    run_id: str
    stock: Stock | None


def stock(connection: Connection, run: Run) -> Stock:
    """Return what there is of a run to be judged again."""
    found = documents.of_run(connection, run.id)
    found += [
        documents.get(connection, entry.document_id).model_copy(update={"path": entry.path})
        for entry in run.skipped
    ]
    result = Stock([], [], [], [], 0)
    for document in sorted(found, key=lambda one: one.path):
        planned = artifacts.of_document(connection, document.id)
        written = [artifact for artifact in planned if artifact.state == "done"]
        result = result._replace(unwritten=result.unwritten + len(planned) - len(written))
        if not written:
            result.empty.append(document.path)
            continue
        combined = sum(artifact.combined for artifact in written)
        result.documents.append(document)
        result.first.append(len(written) - combined)
        result.combined.append(combined)
    return result


def settled(config: Config) -> Config:
    """Return a config that combines nothing: combined candidates are those that are there."""
    off = config.playoffs.model_copy(update={"enabled": False})
    return config.model_copy(update={"playoffs": off})


def begin(
    connection: Connection, of: Run, config: Config, key: str, making: RecordContext
) -> Begun:
    """Keep a new run over the candidates of another one, with their evaluations planned.

    Args:
        of: The other run.
        config: By whom and by what they are judged.
        key: Of the new run.

    Raises:
        RequestError: There are no candidates.
    """
    found = stock(connection, of)
    if not found.documents:
        raise RequestError(f"run {of.id} is {of.state} and has no candidate to judge again")
    texts = [documents.text(connection, document.id) for document in found.documents]
    sizes = list(zip(texts, found.first, found.combined, strict=True))
    run = Run(
        id=making.new_id(),
        key=key,
        title=of.title,
        state="running",
        config=config,
        instructions=of.instructions,
        guidelines=of.guidelines,
        expected=plan.plan_judging(config, of.instructions, sizes, making.now),
        rejudged_from=of.id,
        created_at=making.now,
    )
    runs.add(connection, run)
    for old, text in zip(found.documents, texts, strict=True):
        _take(connection, run, old, text, making)
    return Begun(run.id, found)


def _take(
    connection: Connection, run: Run, old: Document, text: str, making: RecordContext
) -> None:
    """Add a document to a new run, with the candidates of an old one."""
    document = Document(
        id=making.new_id(),
        run_id=run.id,
        path=old.path,
        key=hashlib.sha256(f"{run.key} {old.id}".encode()).hexdigest(),
        stage="generate",
        created_at=making.now,
    )
    documents.add(connection, [document], {document.id: text})
    copies = _copies(artifacts.done_of_document(connection, old.id), document, making)
    artifacts.insert_done(connection, copies)
    for copy in copies:
        evaluations.plan(connection, units.evaluations(copy, run.config, making), None)


def _copies(written: list[Artifact], document: Document, making: RecordContext) -> list[Artifact]:
    """Return candidates as those of another document, in the same order of ids.

    The order settles who is shown first: the same question gets the stored answer.
    """
    new_ids = sorted(making.new_id() for _ in written)
    by_old = {artifact.id: new_id for artifact, new_id in zip(written, new_ids, strict=True)}
    return [
        artifact.model_copy(
            update={
                "id": by_old[artifact.id],
                "run_id": document.run_id,
                "document_id": document.id,
                "parents": tuple(by_old[one] for one in artifact.parents if one in by_old),
                "taken_from": artifact.id,
            }
        )
        for artifact in written
    ]


def changes(connection: Connection, run: Run) -> list[DocumentChange]:
    """Return what judging again has changed, by document."""
    earlier: dict[str, tuple[Config, dict[str, tuple[Standing, ...]]]] = {}
    standings = documents.standings(connection, run.id)
    found = []
    for document in documents.of_run(connection, run.id):
        new = view(connection, document)
        origin = next((one.taken_from for one in new.artifacts if one.taken_from), None)
        taken = None if origin is None else artifacts.get(connection, origin)
        if taken is None:
            continue
        if taken.run_id not in earlier:
            config = runs.get(connection, taken.run_id).config
            earlier[taken.run_id] = config, documents.standings(connection, taken.run_id)
        config, known = earlier[taken.run_id]
        old = view(connection, documents.get(connection, taken.document_id))
        found.append(
            compare_rankings(
                JudgedDocument(old, config, known.get(taken.document_id, ())),
                JudgedDocument(new, run.config, standings.get(document.id, ())),
            )
        )
    return found


def view(connection: Connection, document: Document) -> DocumentSnapshot:
    """Return all that is known of a document, without a lock on it."""
    return DocumentSnapshot(
        document,
        artifacts.of_document(connection, document.id),
        evaluations.of_document(connection, document.id),
        comparisons.of_document(connection, document.id),
    )
