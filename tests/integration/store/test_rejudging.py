"""Taking over the candidates of a run, in each kind of store."""

import pytest

from acm_workers import submit
from acm_workers.engine import rejudging
from acm_workers.errors import RequestError
from acm_workers.store import artifacts, documents, evaluations, runs, units
from acm_workers.store.connection.database import Database
from schemas.config.config import Config
from schemas.run import Run, SkippedDocument
from schemas.units import Artifact, Document
from tests.support import stored

_JUDGE = {"name": "other", "provider": "alpha", "model": "j9", "iterations": 2}


def config() -> Config:
    return stored.config(judges=[_JUDGE])


def written(database: Database, *, combined: bool = True) -> tuple[Run, Document, list[Artifact]]:
    """Add a run whose document has two candidates, and one that combines them."""
    with database.write() as connection:
        run, document, planned = stored.scene(connection)
        if combined:
            parents = tuple(one.id for one in planned)
            child = planned[0].model_copy(
                update={"id": stored.new_id(), "generator": "combine", "parents": parents}
            )
            artifacts.plan(connection, [child], stored.NOW)
            planned = [*planned, child]
        ids = [one.id for one in planned]
        stored.put(connection, "artifact", ids, state="done", text="A text.", file="a.md")
        stored.put(connection, "artifact", ids[:1], text="Another text.")
    return run, document, planned


def test_the_new_run_has_the_same_texts_in_the_same_order(database: Database) -> None:
    of, document, old = written(database)

    begun = submit.rejudge(database, of, config(), stored.making(60))

    with database.read() as connection:
        run = runs.get(connection, begun.run_id)
        (copy,) = documents.of_run(connection, run.id)
        source = documents.text(connection, copy.id)
        new = artifacts.of_run(connection, run.id)
    assert (run.rejudged_from, run.instructions, run.state) == (of.id, of.instructions, "running")
    assert (copy.path, copy.stage, copy.state) == (document.path, "generate", "running")
    assert source == f"The source of {document.path}."
    assert [one.taken_from for one in new] == [one.id for one in old]
    assert [one.text for one in new] == ["Another text.", "A text.", "A text."]
    assert new[2].parents == (new[0].id, new[1].id)
    assert {one.file for one in new} == {"a.md"}


def test_its_evaluations_wait_to_be_published(database: Database) -> None:
    of, _, old = written(database)

    begun = submit.rejudge(database, of, config(), stored.making())

    with database.read() as connection:
        planned = evaluations.of_run(connection, begun.run_id)
        sent = units.unpublished(connection, begun.run_id, stored.at(1))
    assert len(planned) == 3 * 2
    assert {unit.judge for unit in planned} == {"other"}
    assert {unit.id for unit in sent} == {unit.id for unit in planned}
    assert len(old) == 3


def test_it_combines_nothing_and_keeps_what_was_taken_over(database: Database) -> None:
    of, _, _ = written(database)

    begun = submit.rejudge(database, of, config(), stored.making())

    with database.read() as connection:
        assert not runs.get(connection, begun.run_id).config.playoffs.enabled
    assert begun.candidates is not None
    assert (begun.candidates.first, begun.candidates.combined, begun.candidates.unwritten) == (
        [2],
        [1],
        0,
    )


def test_the_same_wish_goes_on_with_the_run_that_is_not_finished(database: Database) -> None:
    of, _, _ = written(database)
    first = submit.rejudge(database, of, config(), stored.making())

    again = submit.rejudge(database, of, config(), stored.making())
    other = submit.rejudge(database, of, stored.config(seed=7, judges=[_JUDGE]), stored.making())

    assert (again.run_id, again.candidates) == (first.run_id, None)
    assert other.run_id != first.run_id


def test_what_was_not_written_is_left_out(database: Database) -> None:
    of, _, old = written(database)
    with database.write() as connection:
        stored.put(connection, "artifact", [old[1].id], state="failed", text=None)
        empty = stored.document(connection, of, path="empty.md")
        stored.candidates(connection, empty)

    begun = submit.rejudge(database, of, config(), stored.making())

    assert begun.candidates is not None
    assert (begun.candidates.empty, begun.candidates.unwritten) == (["empty.md"], 1 + 2)
    with database.read() as connection:
        child = artifacts.of_run(connection, begun.run_id)[-1]
    assert len(child.parents) == 1


def test_documents_that_the_run_skipped_come_from_the_run_that_has_them(
    database: Database,
) -> None:
    earlier, document, old = written(database, combined=False)
    with database.write() as connection:
        entry = SkippedDocument(path="moved.md", run_id=earlier.id, document_id=document.id)
        of = stored.run(connection, skipped=(entry,), state="done")

    begun = submit.rejudge(database, of, config(), stored.making())

    with database.read() as connection:
        (copy,) = documents.of_run(connection, begun.run_id)
        new = artifacts.of_run(connection, begun.run_id)
    assert copy.path == "moved.md"
    assert [one.taken_from for one in new] == [one.id for one in old]


def test_a_run_without_candidates_is_refused(database: Database) -> None:
    with database.write() as connection:
        of = stored.scene(connection).run

    with pytest.raises(RequestError, match="has no candidate to judge again"):
        submit.rejudge(database, of, config(), stored.making())


def test_changes_are_told_from_what_both_runs_have(database: Database) -> None:
    of, document, _ = written(database)
    begun = submit.rejudge(database, of, config(), stored.making())
    with database.read() as connection:
        run = runs.get(connection, begun.run_id)

        (change,) = rejudging.changes(connection, run)

    assert (change.path, change.winner_changed) == (document.path, None)
    assert [move.old.rank for move in change.moves] == [None] * 3
