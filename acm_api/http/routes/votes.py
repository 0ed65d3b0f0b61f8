"""Routes of votes: the next pair for a person, the answers, and the results."""

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
        description="Name of the voter; only for a single-user server.",
    ),
]


class NextPair(Record):
    """The next pair; absent if the person has seen all pairs."""

    ballot: Ballot | None


class VoteAnswer(Record):
    """A person's vote on a pair.

    Attributes:
        choice: The better text; a skipped pair is not counted.
    """

    choice: Choice


@router.post("/runs/{run_id}/votes/next")
def next_pair(
    run_id: RunId, service: CurrentService, caller: Authorized.run, voter: Voter = None
) -> NextPair:
    """Return two texts to choose from, without the names of their writers.

    A pair without an answer is returned again. The probability of choosing the pair is stored with
    it.
    """
    found = _run(service, caller, run_id)
    name = voter_name(service, caller, voter)
    return NextPair(ballot=voting.next_ballot(service.database, found, name, runtime.making()))


@router.post("/runs/{run_id}/votes/undo")
def undo(
    run_id: RunId, service: CurrentService, caller: Authorized.run, voter: Voter = None
) -> CastVote:
    """Undo the last vote of a person; its pair is returned next. 409 if there is no vote."""
    found = _run(service, caller, run_id)
    return voting.undo(service.database, found, voter_name(service, caller, voter))


@router.get("/runs/{run_id}/votes")
def result(run_id: RunId, service: CurrentService, caller: Authorized.read) -> VotingResult:
    """Return the results of the votes: reliability of people, agreement of judges, and winners."""
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
    """Save a vote on a pair; repeating it has no effect, a different vote is a 409."""
    found = _run(service, caller, run_id)
    name = voter_name(service, caller, voter)
    now = runtime.utc_now()
    return voting.cast(service.database, found, name, vote_id, body.choice, now)


def voter_name(service: CurrentService, caller: Requester, given: str | None) -> str:
    """Return the name of the voter: the user of the key, or the name in the request."""
    if not service.single_user:
        return caller.name
    return given or user_name()


def _run(service: CurrentService, caller: Requester, run_id: str) -> str:
    with service.database.read() as connection:
        return runs.get(connection, run_id, caller.scope).id
