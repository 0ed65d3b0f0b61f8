"""Documents: found when they are quiet or have not begun, cancelled when nobody works on them."""

import pytest
from sqlalchemy import Connection, select, update

from acm_workers.errors import NotFound
from acm_workers.store import claims, documents, units
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import DocumentRow
from schemas.units import Document
from tests.support import stored
from tests.support.stored import NOW, Scene, at


@pytest.fixture
def scene(database: Database) -> Scene:
    with database.write() as connection:
        return stored.scene(connection)


def end_all(connection: Connection, document: Document, state: str = "done") -> None:
    for row in UNIT_ROWS.values():
        query = update(row).where(row.document_id == document.id)
        connection.execute(query.values(state=state))


def test_a_document_is_busy_while_any_unit_is_open(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        stored.evaluation(connection, a)
        comparison = stored.comparison(connection, a, b)
        end_all(connection, scene.document)
        assert not documents.has_open_units(connection, scene.document.id)
        assert documents.idle(connection, scene.run.id) == [scene.document.id]

        for state in ("planned", "claimed"):
            stored.put(connection, "comparison", [comparison.id], state=state)
            assert documents.has_open_units(connection, scene.document.id)
            assert documents.idle(connection, scene.run.id) == []


def test_only_running_documents_that_have_begun_want_to_advance(
    database: Database, scene: Scene
) -> None:
    with database.write() as connection:
        end_all(connection, scene.document)
        stored.document(connection, scene.run, stage="planned")
        stored.document(connection, scene.run, stage="finished", state="done")
        stored.document(connection, stored.run(connection))

        assert documents.idle(connection, scene.run.id) == [scene.document.id]


def test_a_document_that_has_not_begun_is_told_to_once(database: Database, scene: Scene) -> None:
    with database.write() as connection:
        waiting = stored.document(connection, scene.run, stage="planned")
        stored.document(connection, scene.run, stage="planned", state="cancelled")

        assert documents.unstarted(connection, scene.run.id, NOW) == []
        assert documents.unstarted(connection, scene.run.id, at(1)) == [waiting.id]

        documents.mark_published(connection, [waiting.id], at(1))
        assert documents.unstarted(connection, scene.run.id, at(2)) == []

        documents.mark_all_unsent(connection, scene.run.id)
        assert documents.unstarted(connection, scene.run.id, at(2)) == [waiting.id]


def test_cancelling_ends_what_nobody_works_on(database: Database, scene: Scene) -> None:
    with database.write() as connection:
        busy = stored.document(connection, scene.run)
        under_way = stored.candidates(connection, busy)[0]
        waiting = stored.document(connection, scene.run, stage="planned")
        claims.acquire(connection, "artifact", under_way.id, "me", NOW)

        units.cancel_planned(connection, scene.run.id, at(5))
        documents.cancel_idle(connection, scene.run.id, at(5))

        found = {one.id: one for one in documents.of_run(connection, scene.run.id)}
        assert found[scene.document.id].state == found[waiting.id].state == "cancelled"
        assert found[scene.document.id].finished_at == at(5)
        assert (found[scene.document.id].stage, found[waiting.id].stage) == ("generate", "planned")
        assert found[busy.id].state == "running"
        assert documents.states(connection, scene.run.id) == {"cancelled", "running"}


def test_a_document_is_locked_for_others_who_lock_it(postgres_database: Database) -> None:
    with postgres_database.write() as connection:
        document = stored.document(connection, stored.run(connection))

    with postgres_database.write() as holding, postgres_database.write() as other:
        documents.get_for_update(holding, document.id)
        free = select(DocumentRow.id).with_for_update(skip_locked=True, key_share=True)

        assert other.execute(free).all() == []
        assert stored.candidates(other, document)


def test_a_document_that_is_not_there_is_not_found(database: Database) -> None:
    with database.read() as connection:
        for get in (documents.get, documents.get_for_update):
            with pytest.raises(NotFound, match='no document "X"'):
                get(connection, "X")


def test_texts_of_documents_come_back_as_they_were(database: Database) -> None:
    text = "# Ünï\r\n\tcode 漢字 🦊 \u202e " + "x" * 300_000
    with database.write() as connection:
        run = stored.run(connection)
        document = Document(id="D", run_id=run.id, path="a.md", key="k", created_at=NOW)
        documents.add(connection, [document], {"D": text})

        assert documents.text(connection, "D") == text
        assert documents.texts(connection, run.id) == {"D": text}
        assert documents.get(connection, "D") == document


def test_a_document_with_a_path_that_is_there_is_not_added(
    database: Database, scene: Scene
) -> None:
    with database.write() as connection:
        stored.document(connection, scene.run, path=scene.document.path)

        assert documents.of_run(connection, scene.run.id) == [scene.document]
