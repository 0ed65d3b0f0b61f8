"""Votes: the next pair for a person, the answer, and what all votes tell."""

from typing import Annotated

from fastapi import APIRouter, Query

from acm_api.http.access import Authorized, Requester
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId, UnitId
from acm_api.voting import user_name
from acm_workers import runtime
from acm_workers.engine import voting
from acm_workers.store import runs
from schemas.record import Record
from schemas.votes import Ballot, CastVote, Choice, VotingResult

router = APIRouter(tags=["votes"])

Voter = Annotated[
    str | None,
    Query(
        max_length=200,
        pattern=r"^\w[\w .@'+-]*$",
        description="Who votes, where nobody logs in; with keys it is the user of the key.",
    ),
]


class NextPair(Record):
    """The next pair; absent if the person has seen all."""

    ballot: Ballot | None


class VoteAnswer(Record):
    """A person's vote on a pair.

    Attributes:
        choice: The better text; a skipped pair counts for nothing.
    """

    choice: Choice


@router.post("/runs/{run_id}/votes/next")
def next_pair(
    run_id: RunId, service: CurrentService, caller: Authorized.run, voter: Voter = None
) -> NextPair:
    """Return two texts to choose from, without what names their authors.

    A pair without an answer is returned again. Each pair is stored with the probability with which
    it was chosen.
    """
    found = _run(service, caller, run_id)
    name = voter_name(service, caller, voter)
    return NextPair(ballot=voting.next_ballot(service.database, found, name, runtime.making()))


@router.post("/runs/{run_id}/votes/undo")
def undo(
    run_id: RunId, service: CurrentService, caller: Authorized.run, voter: Voter = None
) -> CastVote:
    """Take back the last vote of a person; its pair is returned next. 409 if there is none."""
    found = _run(service, caller, run_id)
    return voting.undo(service.database, found, voter_name(service, caller, voter))


@router.get("/runs/{run_id}/votes")
def result(run_id: RunId, service: CurrentService, caller: Authorized.read) -> VotingResult:
    """Return the results of the votes: people, judges' agreement with them, and winners."""
    return voting.result(service.database, _run(service, caller, run_id))


@router.post("/runs/{run_id}/votes/{vote_id}")
def cast(
    run_id: RunId,
    vote_id: UnitId,
    service: CurrentService,
    caller: Authorized.run,
    body: VoteAnswer,
    voter: Voter = None,
) -> CastVote:
    """Save what a person says of a pair; the same again changes nothing, another one is a 409."""
    found = _run(service, caller, run_id)
    name = voter_name(service, caller, voter)
    now = runtime.utc_now()
    return voting.cast(service.database, found, name, vote_id, body.choice, now)


def voter_name(service: CurrentService, caller: Requester, given: str | None) -> str:
    """Return the voter: the user of the key, or the name in a request to a single-user server."""
    if not service.single_user:
        return caller.name
    return given or user_name()


def _run(service: CurrentService, caller: Requester, run_id: str) -> str:
    with service.database.read() as connection:
        return runs.get(connection, run_id, caller.scope).id
