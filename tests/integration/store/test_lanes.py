"""The lane of each unit: written when it is planned, and made up for where a store is older."""

from sqlalchemy import text

from acm_workers.pipeline import units as planning
from acm_workers.store import evaluations, schema, units
from acm_workers.store.connection.database import Database
from schemas.scope import Scope
from tests.support import store_versions, stored
from tests.support.stored import NOW, making

_TABLES = ("artifacts", "eval_results", "pairwise_comparisons")


def lanes_in(database: Database) -> dict[str, list[str]]:
    with database.read() as connection:
        return {
            name: list(connection.scalars(text(f"SELECT lane FROM {name}")))  # noqa: S608  constants
            for name in _TABLES
        }


def test_units_of_an_older_store_get_the_lanes_that_they_waited_in(database: Database) -> None:
    with database.write() as connection:
        scene = stored.scene(connection)
        planned = planning.evaluations(scene.candidates[0], scene.run.config, making())
        evaluations.plan(connection, planned, NOW)
    before = lanes_in(database)
    while (schema.version(database) or "") >= "0011":
        store_versions.downgrade(database)

    schema.upgrade(database)

    assert lanes_in(database) == before
    assert set(before["artifacts"]) == {"generate.alpha"}
    assert set(before["eval_results"]) == {"judge.alpha"}


def test_messages_are_lost_where_the_lane_of_their_units_is_empty(database: Database) -> None:
    with database.write() as connection:
        scene = stored.scene(connection)
        later = stored.at(60)

        assert units.lost_messages(connection, scene.run.id, {"judge.alpha"}, later) == []
        lost = units.lost_messages(connection, scene.run.id, {"generate.alpha"}, later)

    assert {unit.id for unit in lost} == {unit.id for unit in scene.candidates}


def test_the_messages_of_a_tenant_wait_in_its_own_queues(database: Database) -> None:
    with database.write() as connection:
        own = stored.run(connection, scope=Scope("T1"))
        of = stored.document(connection, own)
        planned = stored.candidates(connection, of)
        later = stored.at(60)
        queue = "generate.T1/alpha"

        assert units.planned_queues(connection, own.id) == {queue}
        assert [one.queue for one in units.messages(connection, planned)] == [queue] * 2
        assert units.lost_messages(connection, own.id, {"generate.alpha"}, later) == []
        assert len(units.lost_messages(connection, own.id, {queue}, later)) == len(planned)
