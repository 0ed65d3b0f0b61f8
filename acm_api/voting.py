"""Votes of people in the Python API: the next pair, the answer, and the results."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acm_api import library
from acm_workers import runtime
from acm_workers.engine import voting
from acm_workers.errors import NotFound
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas.votes import Ballot, CastVote, Choice, VotingResult


def next_vote(
    run_id: str | None = None, *, voter: str | None = None, home: str | Path | None = None
) -> Ballot | None:
    """Return two texts to choose from, with masked names; None if all pairs were shown.

    A pair without an answer is returned again.

    Args:
        run_id: Id of the run or its first characters; default: the latest run.
        voter: Name of the person; default: the user of this machine.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store.
        acm_workers.errors.Conflict: There is nothing to vote on.
    """
    with _open(run_id, home) as (database, found):
        return voting.next_ballot(database, found, voter or user_name(), runtime.making())


def cast_vote(
    run_id: str,
    vote_id: str,
    choice: Choice,
    *,
    voter: str | None = None,
    home: str | Path | None = None,
) -> CastVote:
    """Save a person's vote on a pair: left, right, tie, both_bad or skip.

    Args:
        run_id: See ``next_vote``.
        vote_id: Id of the vote on the pair, as ``next_vote`` returned it.
        choice: The better text; a skipped pair is not counted.
        voter: See ``next_vote``.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: The person was not shown that pair.
        acm_workers.errors.Conflict: The person has already voted differently on this pair.
    """
    with _open(run_id, home) as (database, found):
        name = voter or user_name()
        return voting.cast(database, found, name, vote_id, choice, runtime.utc_now())


def undo_vote(run_id: str, *, voter: str | None = None, home: str | Path | None = None) -> CastVote:
    """Undo the last vote of a person; its pair is shown next.

    Raises:
        acm_workers.errors.Conflict: There is no vote to undo.
    """
    with _open(run_id, home) as (database, found):
        return voting.undo(database, found, voter or user_name())


def votes(run_id: str | None = None, *, home: str | Path | None = None) -> VotingResult:
    """Return the results of the votes on a run: people, judges, and the winners with votes.

    Args:
        run_id: See ``next_vote``.
        home: See ``run``.
    """
    with _open(run_id, home) as (database, found):
        return voting.result(database, found)


def user_name() -> str:
    """Return the name of the user of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may have users without names
        return "me"


@contextmanager
def _open(run_id: str | None, home: str | Path | None) -> Iterator[tuple[Database, str]]:
    settings = library.settings_of(home)
    if settings.database_url is None and not (settings.home / "acm.db").exists():
        raise NotFound(f"no runs here: {settings.home / 'acm.db'} does not exist")
    database = runtime.open_store(settings)
    try:
        with database.read() as connection:
            run = runs.latest(connection) if run_id is None else runs.get(connection, run_id)
        yield database, run.id
    finally:
        database.close()
