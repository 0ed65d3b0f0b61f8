"""Units: planned once, kept whole, found when they wait, planned anew when they failed."""

import pytest
from sqlalchemy import select, update

from acm_workers.pipeline import units as pipeline_units
from acm_workers.store import artifacts, claims, comparisons, evaluations, units
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import ArtifactRow
from schemas.calls import EvidenceSummary
from schemas.units import UnitKind
from tests.support import stored
from tests.support.stored import NOW, Scene, at


@pytest.fixture
def scene(database: Database) -> Scene:
    with database.write() as connection:
        return stored.scene(connection)


def test_candidates_that_are_planned_twice_are_there_once(database: Database, scene: Scene) -> None:
    with database.write() as connection:
        again = stored.candidates(connection, scene.document)

        found = artifacts.of_document(connection, scene.document.id)

        assert found == scene.candidates
        assert {unit.id for unit in again}.isdisjoint(unit.id for unit in found)


def test_evaluations_and_comparisons_that_are_planned_twice_are_there_once(
    database: Database, scene: Scene
) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        evaluation = stored.evaluation(connection, a)
        comparison = stored.comparison(connection, a, b)
        stored.evaluation(connection, a)
        stored.comparison(connection, a, b)

        assert evaluations.of_document(connection, scene.document.id) == [evaluation]
        assert comparisons.of_document(connection, scene.document.id) == [comparison]


def test_what_differs_in_any_part_of_its_key_is_another_unit(
    database: Database, scene: Scene
) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        stored.evaluation(connection, a)
        stored.evaluation(connection, b)
        stored.evaluation(connection, a, judge="j2")
        stored.evaluation(connection, a, iteration=2)
        stored.comparison(connection, a, b)
        stored.comparison(connection, b, a)
        stored.comparison(connection, a, b, judge="j2")
        stored.comparison(connection, a, b, iteration=2)

        assert len(evaluations.of_document(connection, scene.document.id)) == 4
        assert len(comparisons.of_document(connection, scene.document.id)) == 4


def test_a_unit_comes_back_as_it_was_planned(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        evaluation = stored.evaluation(connection, a)
        comparison = stored.comparison(connection, a, b)

        assert artifacts.get(connection, a.id) == a
        assert evaluations.get(connection, evaluation.id) == evaluation
        assert comparisons.get(connection, comparison.id) == comparison
        assert artifacts.get(connection, "nobody") is None


@pytest.mark.parametrize("kind", ["artifact", "evaluation", "comparison"])
def test_what_a_unit_rests_on_is_kept_with_it(
    database: Database, scene: Scene, kind: UnitKind
) -> None:
    proof = EvidenceSummary(
        grounding="cited", reasoning="tokens", searches=2, sources=3, flags=("garbled",)
    )
    first, second = scene.candidates
    with database.write() as connection:
        evaluation = stored.evaluation(connection, first)
        comparison = stored.comparison(connection, first, second)
        ids = {"artifact": first.id, "evaluation": evaluation.id, "comparison": comparison.id}
        epoch = claims.acquire(connection, kind, ids[kind], "me", NOW)
        assert epoch is not None
        values = {"state": "done", "proof": proof.model_dump()}
        assert claims.save(connection, kind, ids[kind], epoch, values)

        found = (
            artifacts.get(connection, first.id),
            evaluations.get(connection, evaluation.id),
            comparisons.get(connection, comparison.id),
        )

    assert [unit.proof for unit in found if unit is not None and unit.proof] == [proof]


def test_lists_leave_out_what_is_long(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        evaluation = stored.evaluation(connection, a)
        stored.put(connection, "artifact", [a.id], text="long", state="done")
        values = {"raw": "long", "reasons": {"clarity": "long"}, "state": "done"}
        stored.put(connection, "evaluation", [evaluation.id], **values)

        assert artifacts.of_document(connection, scene.document.id)[0].text is None
        assert evaluations.of_document(connection, scene.document.id)[0].raw is None
        assert artifacts.of_run(connection, scene.run.id)[0].text == "long"
        assert evaluations.of_run(connection, scene.run.id)[0].raw == "long"
        assert evaluations.reasons(connection, a.id) == ["clarity: long"]
        assert artifacts.text(connection, a.id) == "long"
        assert artifacts.text(connection, b.id) is None


def test_candidates_wait_to_be_written_to_files_once(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        stored.put(connection, "artifact", [a.id], text="# A", state="done")
        ended = artifacts.without_file(connection, scene.run.id, 10)
        artifacts.set_file(connection, a.id, "a.md")
        stored.put(connection, "artifact", [b.id], state="failed")

        left = artifacts.without_file(connection, scene.run.id, 10)

        assert [unit.id for unit in ended] == [a.id]
        assert [unit.id for unit in left] == [b.id]


def test_a_message_is_missed_only_where_none_was_sent(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        assert units.unpublished(connection, scene.run.id, at(1)) == []

        units.mark_all_unsent(connection, scene.run.id)
        found = units.unpublished(connection, scene.run.id, at(1))
        assert [(unit.kind, unit.id, unit.queue) for unit in found] == [
            ("artifact", a.id, "generate.alpha"),
            ("artifact", b.id, "generate.alpha"),
        ]
        assert units.unpublished(connection, scene.run.id, NOW) == []
        assert len(units.unpublished(connection, scene.run.id, at(1), limit=1)) == 1

        units.mark_published(connection, "artifact", [a.id], at(2))
        claims.acquire(connection, "artifact", b.id, "me", NOW)
        assert units.unpublished(connection, scene.run.id, at(3)) == []


def test_a_full_lane_holds_up_no_other(database: Database, scene: Scene) -> None:
    with database.write() as connection:
        units.mark_all_unsent(connection, scene.run.id)
        other = scene.candidates[1]
        row = ArtifactRow
        connection.execute(update(row).where(row.id == other.id).values(lane="generate.beta"))

        found = units.unpublished(connection, scene.run.id, at(1), limit=1, full={"generate.alpha"})

        assert [unit.id for unit in found] == [other.id]
        assert units.planned_queues(connection, scene.run.id) == {"generate.alpha", "generate.beta"}


def test_failed_units_are_planned_anew(database: Database, scene: Scene) -> None:
    a, b = scene.candidates
    with database.write() as connection:
        values = {"error": "it broke", "error_kind": "X", "file": "a.failed.json", "attempts": 3}
        stored.put(connection, "artifact", [a.id], state="failed", finished_at=NOW, **values)
        stored.put(connection, "artifact", [b.id], state="done", file="b.md")

        assert units.replan(connection, scene.document.id, ["failed", "cancelled"]) == 1

        again, done = artifacts.of_document(connection, scene.document.id)
        assert again == a
        assert (done.state, done.file) == ("done", "b.md")
        assert len(units.unpublished(connection, scene.run.id, at(1))) == 1


def test_units_of_a_config_have_the_keys_of_the_tables(database: Database) -> None:
    """Two judges, two variants and two orders: nothing that is wanted is taken for the same."""
    judge = {"provider": "alpha", "model": "j", "iterations": 2}
    given = stored.config(
        runs=[{"type": "fpf", "provider": "alpha", "model": "m", "iterations": 2}] * 2,
        judges=[{"name": "j1", **judge}, {"name": "j2", **judge}],
        pairwise={"position_swap": "both", "iterations": 2},
    )
    with database.write() as connection:
        document = stored.document(connection, stored.run(connection))
        planned = stored.candidates(connection, document, given)
        for artifact in planned:
            scored = pipeline_units.evaluations(artifact, given, stored.making())
            evaluations.plan(connection, scored, NOW)

        assert len(artifacts.of_document(connection, document.id)) == 4
        assert len(evaluations.of_document(connection, document.id)) == 16
        row = UNIT_ROWS["artifact"]
        assert set(connection.scalars(select(row.published_at))) == {NOW}
