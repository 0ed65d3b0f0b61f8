"""Votes in the store: shown, answered, taken back, deleted with their run."""

import pytest

from acm_workers.engine import voting
from acm_workers.errors import Conflict, NotFound, RequestError
from acm_workers.store import artifacts, deletion, documents, runs, votes
from acm_workers.store.connection.database import Database
from schemas.units import Artifact, Document
from tests.support import stored
from tests.support.stored import NOW, at, making


def ended(database: Database, *texts: str) -> str:
    """Return a run with a document that has ended, and these candidates."""
    with database.write() as connection:
        run = stored.run(connection)
        of = stored.document(connection, run)
        artifacts.insert_done(connection, [_written(of, number, text)
                                           for number, text in enumerate(texts, 1)])  # fmt: skip
        done = of.model_copy(update={"state": "done", "finished_at": NOW})
        documents.finish(connection, done, [], [])
    return run.id


def _written(of: Document, number: int, text: str) -> Artifact:
    return Artifact(
        id=stored.new_id(), run_id=of.run_id, document_id=of.id, generator="fpf", variant=1,
        iteration=number, number=number, provider="alpha", model="m1", lane="generate.alpha",
        state="done", text=text,
        file=f"history/a.fpf.{number}.m1.x.md", created_at=NOW, finished_at=NOW,
    )  # fmt: skip


def test_a_pair_is_shown_until_it_is_answered_and_an_answer_can_be_taken_back(
    database: Database,
) -> None:
    run_id = ended(database, "By alpha: history", "By alpha: a history")

    first = voting.next_ballot(database, run_id, "ann", making())
    again = voting.next_ballot(database, run_id, "ann", making(5))
    assert first is not None
    assert again == first
    assert "alpha" not in first.left + first.right
    assert "history" in first.left
    assert first.masked == {"names": 2}
    assert (first.votes, first.open_pairs) == (0, 1)
    done = voting.cast(database, run_id, "ann", first.vote_id, "left", at(9))
    same = voting.cast(database, run_id, "ann", first.vote_id, "left", at(10))
    assert (done.votes, done) == (1, same)
    assert voting.next_ballot(database, run_id, "ann", making(11)) is None
    with pytest.raises(Conflict, match="undo it"):
        voting.cast(database, run_id, "ann", first.vote_id, "right", at(12))

    undone = voting.undo(database, run_id, "ann")

    assert (undone.vote_id, undone.choice, undone.votes) == (first.vote_id, None, 0)
    shown = voting.next_ballot(database, run_id, "ann", making(13))
    assert shown is not None
    assert (shown.vote_id, shown.left) == (first.vote_id, first.left)
    voting.cast(database, run_id, "ann", first.vote_id, "right", at(20))
    with database.read() as connection:
        kept = votes.in_run(connection, run_id, first.vote_id)
    assert (kept.choice, kept.probability, kept.eligible) == ("right", 1.0, 1)
    assert kept.duration_s == 7.0


def test_people_have_their_own_pairs_and_answer_no_others(database: Database) -> None:
    run_id = ended(database, "one", "two")
    anns = voting.next_ballot(database, run_id, "ann", making())
    bobs = voting.next_ballot(database, run_id, "bob", making())
    assert anns is not None
    assert bobs is not None

    with pytest.raises(NotFound, match="of bob"):
        voting.cast(database, run_id, "bob", anns.vote_id, "left", NOW)
    with pytest.raises(Conflict, match="no vote"):
        voting.undo(database, run_id, "bob")
    voting.cast(database, run_id, "ann", anns.vote_id, "left", NOW)
    voting.cast(database, run_id, "bob", bobs.vote_id, "skip", NOW)

    found = voting.result(database, run_id)
    assert (found.votes, found.skipped, [one.name for one in found.people]) == (1, 1, ["ann"])


@pytest.mark.parametrize(
    ("texts", "voter", "why"),
    [
        (("same", "same "), "ann", "two different candidates"),
        (("one", "two"), " ", "needs a name"),
        (("one", "two"), "a\x1bb", "needs a name"),
    ],
)
def test_what_cannot_be_voted_on_is_refused(
    database: Database, texts: tuple[str, ...], voter: str, why: str
) -> None:
    run_id = ended(database, *texts)

    with pytest.raises(RequestError, match=why):
        voting.next_ballot(database, run_id, voter, making())


def test_a_run_without_an_ended_document_is_refused(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        stored.document(connection, run)

    with pytest.raises(RequestError, match="has ended yet"):
        voting.next_ballot(database, run.id, "ann", making())
    assert voting.result(database, run.id).votes == 0


def test_votes_are_deleted_with_their_run(database: Database) -> None:
    run_id = ended(database, "one", "two")
    found = voting.next_ballot(database, run_id, "ann", making())
    assert found is not None
    voting.cast(database, run_id, "ann", found.vote_id, "tie", NOW)

    with database.erase() as connection:
        deletion.erase(connection, run_id, "deleted", NOW)

    with database.read() as connection:
        assert votes.of_run(connection, run_id) == []
        assert runs.get(connection, run_id).state == "deleted"
    with pytest.raises(NotFound, match="deleted"):
        voting.next_ballot(database, run_id, "ann", making())
