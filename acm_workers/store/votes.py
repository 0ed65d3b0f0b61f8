"""Votes: the pairs shown to people, and their choices."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from acm_workers.errors import NotFound
from acm_workers.store.rows import fetch_all, fetch_first, insert_once, select_as
from acm_workers.store.vote_tables import VoteRow
from schemas.votes import Choice, Vote


def show(connection: Connection, vote: Vote) -> None:
    """Record that a pair is shown to a person."""
    insert_once(connection, VoteRow, [vote.model_dump()])


def shown_again(connection: Connection, vote_id: str, now: datetime) -> None:
    """Record that a pair without an answer is shown once more."""
    connection.execute(update(VoteRow).where(VoteRow.id == vote_id).values(shown_at=now))


def answer(
    connection: Connection, vote_id: str, choice: Choice | None, now: datetime | None
) -> None:
    """Save the choice of a person for a pair; None removes the choice."""
    values = {"choice": choice, "voted_at": now}
    connection.execute(update(VoteRow).where(VoteRow.id == vote_id).values(**values))


def in_run(connection: Connection, run_id: str, vote_id: str) -> Vote:
    """Return a vote of a run.

    Raises:
        NotFound: The run has no vote with this id.
    """
    query = select_as(VoteRow, Vote).where(VoteRow.id == vote_id, VoteRow.run_id == run_id)
    found = fetch_first(connection, query, Vote)
    if found is None:
        raise NotFound(f'run {run_id} has no vote "{vote_id}"')
    return found


def of_run(connection: Connection, run_id: str) -> list[Vote]:
    """Return all pairs of a run that were shown to people, in the order of showing."""
    query = select_as(VoteRow, Vote).where(VoteRow.run_id == run_id).order_by(VoteRow.id)
    return fetch_all(connection, query, Vote)


def unanswered(connection: Connection, run_id: str, voter: str) -> Vote | None:
    """Return the first pair shown to a person and not answered; None if there is none."""
    query = _votes_by(run_id, voter).where(VoteRow.choice.is_(None)).order_by(VoteRow.id)
    return fetch_first(connection, query.limit(1), Vote)


def last(connection: Connection, run_id: str, voter: str) -> Vote | None:
    """Return the last vote of a person, including skipped pairs."""
    query = _votes_by(run_id, voter).where(VoteRow.choice.is_not(None))
    query = query.order_by(VoteRow.voted_at.desc(), VoteRow.id.desc())
    return fetch_first(connection, query.limit(1), Vote)


def count(connection: Connection, run_id: str, voter: str) -> int:
    """Return the number of votes of a person, without skipped pairs."""
    query = select(func.count()).where(VoteRow.run_id == run_id, VoteRow.voter == voter)
    counted = VoteRow.choice.is_not(None), VoteRow.choice != "skip"
    return connection.scalar(query.where(*counted)) or 0


def _votes_by(run_id: str, voter: str) -> Any:
    return select_as(VoteRow, Vote).where(VoteRow.run_id == run_id, VoteRow.voter == voter)
