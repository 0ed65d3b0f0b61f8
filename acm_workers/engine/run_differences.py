"""Reads two runs from the store and compares them."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers.pipeline import run_difference, win_rate
from acm_workers.pipeline.run_difference import DecidedDocument, RunDocuments
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.pipeline.win_rate import ComparedWinners
from acm_workers.reporting import junit
from acm_workers.reporting.document_records import DocumentRecords, document_records
from acm_workers.store import artifacts, comparisons, results, runs
from acm_workers.store.connection.database import Database
from schemas.run import Run
from schemas.run_difference import RunDifference, WinRate
from schemas.units import Comparison


class WinnerPair(NamedTuple):
    """A document with its winners in two runs."""

    a: DecidedDocument
    b: DecidedDocument


def between(database: Database, a: Run, b: Run) -> RunDifference:
    """Return the difference of run ``b`` from run ``a``, paired by document.

    Raises:
        NotFound: The texts of one of the runs were deleted.
    """
    with database.read() as connection:
        old, new = read(connection, a), read(connection, b)
        crossing = _crossings(connection, old.run, new.run)
        crossed = _win_rate(connection, old, new, crossing)
    found = run_difference.difference(old, new, crossed)
    return found.model_copy(update={"warnings": (*found.warnings, *_unfinished(crossing))})


def as_junit(found: RunDifference, missed: str | None) -> bytes:
    """Return a difference as JUnit XML.

    Args:
        missed: Reason why a gate failed; None if no gate failed.
    """
    return junit.difference(found, missed)


def read(connection: Connection, run: Run) -> RunDocuments:
    """Return a run with its documents, reading skipped documents from earlier runs.

    Raises:
        NotFound: The texts of this run, or of one of these earlier runs, were deleted.
    """
    found = list(_documents(connection, run.id).values())
    earlier = {entry.run_id for entry in run.skipped}
    known = {run_id: _documents(connection, run_id) for run_id in earlier}
    for entry in run.skipped:
        document = known[entry.run_id].get(entry.document_id)
        if document is not None:
            found.append(document._replace(path=entry.path))
    return RunDocuments(run, found)


def ordered(a: RunDocuments, b: RunDocuments) -> list[WinnerPair]:
    """Return the documents that both runs decided, in a fixed random order.

    The first documents form a random sample, and larger samples contain smaller samples.
    """
    decided = [
        WinnerPair(old, new)
        for old, new in run_difference.pair(a.documents, b.documents).pairs
        if old.winner_text is not None and new.winner_text is not None
    ]
    return sorted(
        decided, key=lambda one: hashlib.sha256(one.b.path.encode("utf-8", "replace")).digest()
    )


def _crossings(connection: Connection, a: Run, b: Run) -> list[Run]:
    """Return the runs that compare the winners of two runs, newest first."""
    return [
        run
        for run in runs.rejudged(connection, a.id)
        if {run.rejudged_from, run.crossed_with} == {a.id, b.id}
    ]


def _unfinished(crossing: list[Run]) -> Iterator[str]:
    newest = crossing[0] if crossing else None
    if newest is not None and newest.state in ("running", "paused", "partial", "failed"):
        why = "" if newest.reason is None else f": {newest.reason}"
        yield f"run {newest.id}, in which judges compare the winners, is {newest.state}{why}"


def _win_rate(
    connection: Connection, a: RunDocuments, b: RunDocuments, crossing: list[Run]
) -> WinRate | None:
    """Return the win rate in the newest run that compared the winners; None without one."""
    run = next((one for one in crossing if one.state in ("done", "partial")), None)
    if run is None:
        return None
    copies = {one.taken_from: one for one in artifacts.of_run(connection, run.id)}
    verdicts: dict[str, list[Comparison]] = defaultdict(list)
    for verdict in comparisons.of_run(connection, run.id):
        verdicts[verdict.document_id].append(verdict)
    known: list[ComparedWinners] = []
    sampled: list[ComparedWinners] = []
    for one in ordered(a, b):
        old, new = (copies.get(side.snapshot.document.winner_id) for side in (one.a, one.b))
        if one.a.winner_text == one.b.winner_text:
            sampled.append(ComparedWinners("", "", ()))
        elif old is not None and new is not None:
            sampled.append(ComparedWinners(old.id, new.id, verdicts[old.document_id]))
            known = list(sampled)  # the sample ends with the last one that was compared
    return win_rate.of(known, run.id, run.config.pairwise.tie_below_confidence)


def _documents(connection: Connection, run_id: str) -> dict[str, DecidedDocument]:
    """Return the documents of a run, by id."""
    records = document_records(results.records(connection, run_id))
    return {one.document.id: _decided(one) for one in records}


def _decided(known: DocumentRecords) -> DecidedDocument:
    winner_id = known.document.winner_id
    texts = {one.id: one.text for one in known.artifacts}
    chances = {one.artifact_id: one.p_best for one in known.standings}
    return DecidedDocument(
        path=known.document.path,
        digest=_digest(known.source) if known.source else "",
        snapshot=DocumentSnapshot(
            known.document,
            list(known.artifacts),
            list(known.evaluations),
            list(known.comparisons),
        ),
        winner_text=None if winner_id is None else _digest(texts.get(winner_id) or ""),
        p_best=None if winner_id is None else chances.get(winner_id),
        calls=known.calls,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
