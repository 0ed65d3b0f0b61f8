"""Letting ended documents go on: from which stage, and with which units planned again."""

from sqlalchemy import Connection

from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.store import artifacts, comparisons, documents, evaluations, units
from schemas.units import Stage, UnitState

_AGAIN: tuple[UnitState, ...] = ("failed", "cancelled")


def reopen_documents(connection: Connection, run_id: str, *, with_winner: bool) -> int:
    """Plan failed and cancelled units of a run again; return how many.

    Args:
        with_winner: Also those of documents that have a winner.
    """
    count = 0
    for document in documents.of_run(connection, run_id):
        if document.state == "running":
            # Somebody cancelled the run while a unit of it was under way.
            count += units.replan(connection, document.id, ["cancelled"])
            continue
        if document.state == "done" and not with_winner:
            continue
        view = DocumentSnapshot(
            document,
            artifacts.of_document(connection, document.id),
            evaluations.of_document(connection, document.id),
            comparisons.of_document(connection, document.id),
        )
        planned = units.replan(connection, document.id, _AGAIN)
        if planned or document.state == "cancelled":
            documents.reopen(connection, document.id, stage_to_reopen(view))
        count += planned
    return count


def stage_to_reopen(view: DocumentSnapshot) -> Stage:
    """Return the stage of the earliest unit that has to be done again; pure.

    Where nothing has to be done again, it is the stage that the document is in.
    """
    stage = view.document.stage
    if stage == "planned":
        return stage
    combined = {artifact.id for artifact in view.artifacts if artifact.combined}
    first = {artifact.id for artifact in view.artifacts} - combined
    again = {artifact.id for artifact in view.artifacts if artifact.state in _AGAIN}
    again |= {unit.artifact_id for unit in view.evaluations if unit.state in _AGAIN}
    if again & first:
        return "generate"
    pairs = [{unit.a_id, unit.b_id} for unit in view.comparisons if unit.state in _AGAIN]
    if any(not pair & combined for pair in pairs):
        return "compare"
    if again & combined:
        return "combine"
    return "playoff" if stage == "finished" else stage
