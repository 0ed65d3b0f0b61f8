"""Votes of people on the candidates of a run: the next pair, the answer, and the results."""

import hashlib
import random
import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

from sqlalchemy import Connection

from acm_workers.engine import rejudging
from acm_workers.errors import Conflict, NotFound, RequestError
from acm_workers.judging import blinding
from acm_workers.judging.blinding import Blinding
from acm_workers.pipeline import voting
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.pipeline.voting import VotableDocument
from acm_workers.store import artifacts, documents, runs, votes
from acm_workers.store.connection.database import Database
from schemas.run import Run
from schemas.units import Document
from schemas.votes import Ballot, CastVote, Choice, Vote, VotingResult

_MOST_DOCUMENTS = 200
"""Maximum number of documents of a run for votes; larger runs use a random sample."""
_RUNS_KEPT = 8
_LONGEST_NAME = 200

_kept: OrderedDict[tuple[object, ...], tuple[VotableDocument, ...]] = OrderedDict()
_keeping = threading.Lock()


def next_ballot(
    database: Database, run_id: str, voter: str, context: RecordContext
) -> Ballot | None:
    """Return the next pair for a person; None if the person has seen all pairs.

    A pair without an answer is shown again, so reloading a page does not choose another pair.

    Raises:
        Conflict: There is nothing to vote on.
        RequestError: The name of the voter is not valid.
    """
    name = _checked(voter)
    with database.read() as connection:
        run = runs.get(connection, run_id)
        runs.require_texts(run)
        known = _documents(connection, run)
        given = votes.of_run(connection, run.id)
        found = votes.unanswered(connection, run.id, name)
    if found is None:
        chosen = voting.choose(known, given, name, random.SystemRandom())
        if chosen is None:
            return None
        found = Vote(
            id=context.new_id(),
            run_id=run.id,
            document_id=known[chosen.document].snapshot.document.id,
            left_id=chosen.left,
            right_id=chosen.right,
            voter=name,
            probability=chosen.probability,
            eligible=chosen.eligible,
            shown_at=context.now,
        )
    with database.write() as connection:
        # Of two requests at once, the second gets the pair of the first.
        runs.lock(connection, run.id)
        runs.require_texts(runs.get(connection, run.id))
        shown = votes.unanswered(connection, run.id, name)
        if shown is None:
            votes.show(connection, found)
        else:
            votes.shown_again(connection, shown.id, context.now)
        return _ballot(connection, run, shown or found, known, given)


def cast(
    database: Database, run_id: str, voter: str, vote_id: str, choice: Choice, now: datetime
) -> CastVote:
    """Save the choice of a person for a pair; a repetition of the same choice has no effect.

    Raises:
        NotFound: The pair was not shown to the person.
        Conflict: The person has already made a different choice.
    """
    name = _checked(voter)
    with database.write() as connection:
        run = runs.get(connection, run_id)
        runs.require_texts(run)
        runs.lock(connection, run.id)
        vote = votes.in_run(connection, run.id, vote_id)
        if vote.voter != name:
            raise NotFound(f'run {run.id} has no vote "{vote_id}" of {name}')
        if vote.choice not in (None, choice):
            raise Conflict(f"vote {vote_id} is given: {vote.choice}; undo it to change it")
        if vote.choice is None:
            votes.answer(connection, vote.id, choice, now)
        return CastVote(vote_id=vote.id, choice=choice, votes=votes.count(connection, run.id, name))


def undo(database: Database, run_id: str, voter: str) -> CastVote:
    """Undo the last vote of a person; the pair of this vote is shown next.

    Raises:
        Conflict: There is no vote to undo.
    """
    name = _checked(voter)
    with database.write() as connection:
        run = runs.get(connection, run_id)
        runs.lock(connection, run.id)
        last = votes.last(connection, run.id, name)
        if last is None:
            raise Conflict(f"{name} has no vote on run {run.id} to undo")
        votes.answer(connection, last.id, None, None)
        return CastVote(vote_id=last.id, choice=None, votes=votes.count(connection, run.id, name))


def result(database: Database, run_id: str) -> VotingResult:
    """Return the results of the votes on a run so far; empty without votes."""
    with database.read() as connection:
        run = runs.get(connection, run_id)
        runs.require_texts(run)
        given = [one for one in votes.of_run(connection, run.id) if one.choice is not None]
        known = _documents(connection, run) if given else ()
    return voting.result(run.id, known, given, run.config)


def _checked(voter: str) -> str:
    name = voter.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise RequestError(f"a voter needs a name of 1 to {_LONGEST_NAME} characters", "voter")
    return name


def _documents(connection: Connection, run: Run) -> tuple[VotableDocument, ...]:
    """Return the documents of a run that people can vote on.

    Raises:
        Conflict: There is no such document.
    """
    ended = [one for one in documents.of_run(connection, run.id) if one.state != "running"]
    if not ended:
        raise Conflict(f"no document of run {run.id} has ended yet: vote when one has")
    if len(ended) > _MOST_DOCUMENTS:
        drawn = random.Random(run.id)  # noqa: S311  the same ones each time
        ended = sorted(drawn.sample(ended, _MOST_DOCUMENTS), key=lambda one: one.path)
    key = (run.id, *((one.id, one.finished_at) for one in ended))
    with _keeping:
        kept = _kept.get(key)
    if kept is None:
        found = [_votable(connection, run, one) for one in ended]
        kept = tuple(one for one in found if one is not None)
        with _keeping:
            _kept[key] = kept
            while len(_kept) > _RUNS_KEPT:
                _kept.popitem(last=False)
    if not kept:
        raise Conflict(f"run {run.id} has no document with two different candidates")
    return kept


def _votable(connection: Connection, run: Run, document: Document) -> VotableDocument | None:
    written = artifacts.done_of_document(connection, document.id)
    blind = _blinding(connection, run, document.id)
    contents = {
        one.id: hashlib.sha256(blind(one.text or "").text.strip().encode()).hexdigest()
        for one in written
    }
    return voting.votable(rejudging.view(connection, document), run.config, contents)


def _blinding(connection: Connection, run: Run, document_id: str) -> Blinding:
    found = artifacts.of_document(connection, document_id)
    names = [name for one in found for name in (one.name, one.model, one.provider)]
    # Folders mirror the inputs: their names are words of the subject.
    files = [PurePosixPath(one.file).name for one in found if one.file is not None]
    return blinding.of_run(run.config, [*names, *files])


def _ballot(
    connection: Connection,
    run: Run,
    vote: Vote,
    known: Sequence[VotableDocument],
    given: Sequence[Vote],
) -> Ballot:
    blind = _blinding(connection, run, vote.document_id)
    sides = [blind(artifacts.text(connection, one) or "") for one in (vote.left_id, vote.right_id)]
    kinds = sorted({kind for side in sides for kind in side.masked})
    seen = [one for one in given if one.id != vote.id]
    return Ballot(
        vote_id=vote.id,
        run_id=run.id,
        document=documents.get(connection, vote.document_id).path,
        instructions=run.instructions,
        source=documents.text(connection, vote.document_id),
        left=sides[0].text,
        right=sides[1].text,
        masked={kind: sum(side.masked.get(kind, 0) for side in sides) for kind in kinds},
        votes=votes.count(connection, run.id, vote.voter),
        open_pairs=voting.open_pairs(known, seen, vote.voter),
    )
