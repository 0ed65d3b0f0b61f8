"""The two steps of a unit: all of each is done or nothing, whatever the store is."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from acm_workers.store import (
    artifacts,
    calls,
    claims,
    comparisons,
    evaluations,
    unit_transactions,
    units,
)
from acm_workers.store.claims import LEASE
from acm_workers.store.connection.database import Database
from schemas.calls import Call, Evidence, Source, Usage
from schemas.units import Artifact, UnitKind
from tests.support import stored
from tests.support.stored import NOW, Scene, at

WRITTEN = {"state": "done", "text": "# Written", "error": None, "finished_at": at(9)}


@pytest.fixture
def scene(database: Database) -> Scene:
    with database.write() as connection:
        return stored.scene(connection)


def begin(database: Database, call: Call, kind: UnitKind = "artifact") -> int | None:
    with database.write(single_statement=True) as connection:
        return unit_transactions.begin(connection, kind, call, NOW)


def finish(database: Database, epoch: int, call: Call, **values: Any) -> bool:
    with database.write(single_statement=True) as connection:
        return unit_transactions.finish(connection, "artifact", epoch, WRITTEN | values, call)


def ended(call: Call, **changes: Any) -> Call:
    known = {"state": "done", "answer": "text", "finish_reason": "stop", "status": 200}
    return Call.model_validate(call.model_dump() | known | {"ended_at": at(2)} | changes)


def of_run(database: Database, scene: Scene) -> list[Call]:
    with database.read() as connection:
        return calls.of_run(connection, scene.run.id)


def candidate(database: Database, scene: Scene) -> Artifact:
    with database.read() as connection:
        found = artifacts.get(connection, scene.candidates[0].id)
    assert found is not None
    return found


def test_a_first_call_is_written_down_under_the_claim_of_who_sends_it(
    database: Database, scene: Scene
) -> None:
    call = stored.call(scene.candidates[0], owner="us", wait_s=0.5, attempt=2)

    assert begin(database, call) == 1

    assert of_run(database, scene) == [call]
    assert candidate(database, scene).state == "claimed"
    with database.write() as connection:
        assert claims.release_owned(connection, "us", at(1)) == [call.unit_id]


def test_units_of_every_kind_have_first_calls(database: Database, scene: Scene) -> None:
    with database.write() as connection:
        evaluation = stored.evaluation(connection, scene.candidates[0])
        comparison = stored.comparison(connection, *scene.candidates)

    assert begin(database, stored.call(evaluation, unit_kind="evaluation"), "evaluation") == 1
    assert begin(database, stored.call(comparison, unit_kind="comparison"), "comparison") == 1

    with database.read() as connection:
        scored = evaluations.get(connection, evaluation.id)
        compared = comparisons.get(connection, comparison.id)
    assert scored is not None
    assert compared is not None
    assert (scored.state, compared.state) == ("claimed", "claimed")


def test_the_claim_of_a_first_call_lasts_as_long_as_any(database: Database, scene: Scene) -> None:
    begin(database, stored.call(scene.candidates[0]))

    with database.write() as connection:
        on_time = claims.release_expired(connection, scene.run.id, NOW + LEASE)
        late = claims.release_expired(connection, scene.run.id, NOW + LEASE * 1.01)

    assert (on_time, late) == ([], [scene.candidates[0].id])


def test_of_many_who_begin_a_unit_exactly_one_writes_down_a_call(
    database: Database, scene: Scene
) -> None:
    start = Barrier(32)

    def reach(number: int) -> int | None:
        start.wait()
        return begin(database, stored.call(scene.candidates[0], owner=f"w{number}"))

    with ThreadPoolExecutor(32) as pool:
        epochs = list(pool.map(reach, range(32)))

    assert [epoch for epoch in epochs if epoch is not None] == [1]
    assert [call.owner for call in of_run(database, scene)] == [f"w{epochs.index(1)}"]


def test_no_call_is_written_down_for_a_unit_that_is_not_to_be_had(
    database: Database, scene: Scene
) -> None:
    with database.write() as connection:
        units.cancel_planned(connection, scene.run.id, NOW)

    assert begin(database, stored.call(scene.candidates[0])) is None

    assert of_run(database, scene) == []
    assert candidate(database, scene).state == "cancelled"


def test_a_call_that_no_store_takes_leaves_its_unit_unclaimed(
    database: Database, scene: Scene
) -> None:
    with pytest.raises(IntegrityError):
        begin(database, stored.call(scene.candidates[0], document_id="nothing"))

    assert candidate(database, scene).state == "planned"


def test_an_answer_and_its_result_are_saved_together(database: Database, scene: Scene) -> None:
    call = stored.call(scene.candidates[0])
    epoch = begin(database, call)
    usage = Usage(input_tokens=7, output_tokens=8)
    found = Evidence(
        grounding="cited", queries=("蜂 🐝",), sources=(Source(url="https://example.org/a"),)
    )

    assert finish(database, epoch or 0, ended(call, usage=usage, evidence=found, cost_usd=0.25))

    kept = candidate(database, scene)
    assert (kept.state, kept.text, kept.finished_at) == ("done", "# Written", at(9))
    with database.read() as connection:
        answer = calls.find_answer(connection, call.digest, call.iteration)
        totals = calls.totals(connection, scene.run.id)
    assert answer is not None
    assert (answer.text, answer.usage, answer.evidence) == ("text", usage, found)
    assert (totals.in_flight, totals.cost_usd) == (0, 0.25)


def test_an_older_claim_saves_its_answer_but_no_result(database: Database, scene: Scene) -> None:
    call = stored.call(scene.candidates[0])
    old = begin(database, call)
    with database.write() as connection:
        claims.release_owned(connection, call.owner, at(1))
    new = begin(database, stored.call(scene.candidates[0], owner="quick"))

    assert not finish(database, old or 0, ended(call), text="late")

    kept = candidate(database, scene)
    assert (old, new, kept.state, kept.text) == (1, 2, "claimed", None)
    with database.read() as connection:
        assert calls.find_answer(connection, call.digest, call.iteration) is not None


def test_an_answer_to_a_result_that_no_store_takes_is_not_saved_either(
    postgres_database: Database,
) -> None:
    with postgres_database.write() as connection:
        scene = stored.scene(connection)
    call = stored.call(scene.candidates[0])
    epoch = begin(postgres_database, call)

    with pytest.raises(Exception, match=r"NUL|0x00"):
        finish(postgres_database, epoch or 0, ended(call), text="a\x00b")

    assert of_run(postgres_database, scene) == [call]
    assert candidate(postgres_database, scene).state == "claimed"
