"""Runs that judge the candidates of an earlier run again, without generating candidates."""

import hashlib
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers.errors import Conflict, NotFound
from acm_workers.pipeline import plan, units
from acm_workers.pipeline.ranking_diff import JudgedDocument, compare_rankings
from acm_workers.pipeline.snapshot import DocumentSnapshot, RecordContext
from acm_workers.store import artifacts, comparisons, documents, evaluations, runs
from schemas.config.config import Config
from schemas.ranking import Standing
from schemas.rejudged import DocumentChange
from schemas.run import Run
from schemas.units import Artifact, Document


class EarlierCandidates(NamedTuple):
    """The candidates of a run that can be judged again.

    Attributes:
        documents: Documents with candidates; documents that the run skipped are read from earlier
            runs.
        first: Number of candidates of each document that are not combined, in the order of
            ``documents``.
        combined: Number of combined candidates of each document, in the same order.
        empty: Paths of documents without any candidate.
        unwritten: Number of candidates that were planned and have no text.
    """

    documents: list[Document]
    first: list[int]
    combined: list[int]
    empty: list[str]
    unwritten: int


class StartedRejudging(NamedTuple):
    """A run that judges the candidates of another run again.

    Attributes:
        candidates: The judged candidates; None if an existing run is resumed.
    """

    run_id: str
    candidates: EarlierCandidates | None


def earlier_candidates(
    connection: Connection, run: Run, only: Collection[str] | None = None
) -> EarlierCandidates:
    """Return the candidates of a run that can be judged again.

    Args:
        only: Ids of the candidates; default: all.

    Raises:
        NotFound: One of the ids is not a candidate of the run.
    """
    found = documents.of_run(connection, run.id)
    found += [
        documents.get(connection, entry.document_id).model_copy(update={"path": entry.path})
        for entry in run.skipped
    ]
    result = EarlierCandidates([], [], [], [], 0)
    known: set[str] = set()
    for document in sorted(found, key=lambda one: one.path):
        planned = artifacts.of_document(connection, document.id)
        if only is not None:
            planned = [artifact for artifact in planned if artifact.id in only]
            known |= {artifact.id for artifact in planned}
        written = [artifact for artifact in planned if artifact.state == "done"]
        result = result._replace(unwritten=result.unwritten + len(planned) - len(written))
        if not written:
            result.empty.append(document.path)
            continue
        combined = sum(artifact.combined for artifact in written)
        result.documents.append(document)
        result.first.append(len(written) - combined)
        result.combined.append(combined)
    for missing in sorted(set(only or ()) - known):
        raise NotFound(f'run {run.id} has no artifact "{missing}"')
    return result


def without_playoffs(config: Config) -> Config:
    """Return ``config`` with playoffs disabled, so that no new candidate is combined."""
    off = config.playoffs.model_copy(update={"enabled": False})
    return config.model_copy(update={"playoffs": off})


def begin(
    connection: Connection,
    of: Run,
    config: Config,
    key: str,
    making: RecordContext,
    only: Collection[str] | None = None,
) -> StartedRejudging:
    """Add a run that judges the candidates of another run, and plan its evaluations.

    Args:
        of: The run whose candidates are judged.
        config: The config of the new run.
        key: The key of the new run.
        only: Ids of the candidates that are judged; default: all.

    Raises:
        Conflict: The run has no candidates.
    """
    found = earlier_candidates(connection, of, only)
    if not found.documents:
        raise Conflict(f"run {of.id} is {of.state} and has no candidate to judge again")
    texts = [documents.text(connection, document.id) for document in found.documents]
    sizes = list(zip(texts, found.first, found.combined, strict=True))
    planned = plan.plan_judging(config, of.instructions, of.guidelines, sizes, making.now)
    run = Run(
        id=making.new_id(),
        key=key,
        title=of.title,
        state="running",
        config=config,
        instructions=of.instructions,
        guidelines=of.guidelines,
        expected=plan.expected(planned),
        rejudged_from=of.id,
        created_at=making.now,
    )
    scope = runs.tenant_of(connection, of.id)
    runs.add(connection, run, scope)
    for old, text in zip(found.documents, texts, strict=True):
        document = _copied(run, old, making)
        documents.add(connection, [document], {document.id: text}, scope)
        written = artifacts.done_of_document(connection, old.id)
        if only is not None:
            written = [one for one in written if one.id in only]
        copies = _copies(written, document, making)
        artifacts.insert_done(connection, copies)
        for copy in copies if not run.config.checks else ():
            evaluations.plan(connection, units.evaluations(copy, run.config, making), None)
    return StartedRejudging(run.id, found)


def _copied(run: Run, old: Document, making: RecordContext) -> Document:
    """Return a copy of a document for a new run."""
    return Document(
        id=making.new_id(),
        run_id=run.id,
        path=old.path,
        key=hashlib.sha256(f"{run.key} {old.id}".encode()).hexdigest(),
        stage="planned" if run.config.checks else "generate",
        created_at=making.now,
    )


def _copies(written: list[Artifact], document: Document, making: RecordContext) -> list[Artifact]:
    """Return copies of candidates for another document, with ids in the same order.

    The order of ids determines which text is shown first, so identical requests find their stored
    answers.
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
                "checks": (),
            }
        )
        for artifact in written
    ]


def changes(connection: Connection, run: Run) -> list[DocumentChange]:
    """Return the differences between the earlier and the new rankings, by document."""
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
    """Return a snapshot of a document, without locking it."""
    return DocumentSnapshot(
        document,
        artifacts.of_document(connection, document.id),
        evaluations.of_document(connection, document.id),
        comparisons.of_document(connection, document.id),
    )
