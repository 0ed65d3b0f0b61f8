"""Rows for requests made from an OpenAPI: every path parameter names something that is there."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection

from acm_workers.pipeline import units
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import (
    artifacts,
    calls,
    documents,
    submission_versions,
    submissions,
    votes,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from schemas.ranking import Standing
from schemas.run import Run
from schemas.votes import Vote
from tests.support import stored, submission_records

VOTER = "ann"
_ACTIONS = ("/cancel", "/pause", "/resume", "/settle")


class SeededIds(NamedTuple):
    """Ids by the names of path parameters.

    Attributes:
        finished: Of a run that has ended, and of what else there is.
        active: Of a run that may be cancelled, paused, resumed and settled.
        doomed: Of a run that may be deleted.
    """

    finished: Mapping[str, str]
    active: Mapping[str, str]
    doomed: Mapping[str, str]

    def of(self, method: str, path: str) -> Mapping[str, str]:
        """Return the ids for an operation, so that none takes away what the next one needs."""
        if method.upper() == "DELETE":
            return self.doomed
        if path.endswith(_ACTIONS) and "{run_id}" in path and "/evaluate" not in path:
            return self.active
        named = {"name": "openai"} if path.startswith("/api/v1/providers/") else {}
        return {**self.finished, **named}


def seed(database: Database) -> SeededIds:
    """Add three runs, a vote, a submission and a slot to a store."""
    with database.write() as connection:
        finished = _decided(connection)
        doomed = _decided(connection)
        active = stored.run(connection, new_id())
        finished |= _submission(connection)
    return SeededIds(finished, {"run_id": active.id}, {"run_id": doomed["run_id"]})


def _decided(connection: Connection) -> dict[str, str]:
    """Add a run that has decided a document, with a call and a pair that was shown."""
    run = stored.run(connection, new_id(), state="done", finished_at=stored.at(60))
    document = stored.document(connection, run, id=new_id(), path="a.md")
    making = RecordContext(stored.NOW, new_id)
    planned = units.candidates(document, run.config, making)
    artifacts.plan(connection, planned, stored.NOW)
    written = [one.id for one in planned]
    stored.put(connection, "artifact", written, state="done", text="A text.")
    won = {"state": "done", "winner_id": written[0], "finished_at": stored.at(60)}
    documents.finish(connection, document.model_copy(update=won), _standings(written), [])
    call = stored.call(planned[0], id=new_id())
    calls.start(connection, call)
    calls.end(connection, [call.model_copy(update={"state": "done", "ended_at": stored.at(9)})])
    return {
        "run_id": run.id,
        "other_id": run.id,
        "report_id": run.id,
        "document_id": document.id,
        "artifact_id": written[0],
        "call_id": call.id,
        "vote_id": _vote(connection, run, document.id, written),
    }


def _standings(artifact_ids: list[str]) -> list[Standing]:
    return [
        Standing(
            artifact_id=artifact_id,
            rank=rank,
            admitted=True,
            rank_score=None,
            overall=7.0 - rank,
            elo=None,
            wins=0,
            games=0,
            selected=rank == 1,
            reason="",
        )
        for rank, artifact_id in enumerate(artifact_ids, start=1)
    ]


def _vote(connection: Connection, run: Run, document_id: str, pair: list[str]) -> str:
    vote = Vote(
        id=new_id(),
        run_id=run.id,
        document_id=document_id,
        left_id=pair[0],
        right_id=pair[1],
        voter=VOTER,
        probability=1.0,
        eligible=1,
        shown_at=stored.at(50),
    )
    votes.show(connection, vote)
    return vote.id


def _submission(connection: Connection) -> dict[str, str]:
    """Add a finished submission, whose log has an end, and a slot."""
    task = submission_records.add_task(connection)
    now = submission_records.NOW
    number = submissions.add(connection, submissions.NewSubmission(task.key, "ada"), now)
    ended: dict[str, Any] = {"state": "scored", "score": 1.0, "finished_at": now, "log": "so far\n"}
    version = submission_versions.add(connection, number, task.key, "pass\n", now, **ended)
    submissions.finish(connection, number, version, now)
    submission_records.add_slots(connection, "gpu", 1)
    return {
        "number": str(number),
        "version": str(version),
        "task": task.key,
        "slot_id": "gpu:0@box",
    }
