"""What the sweep of many machines finds: lost messages, dead workers, and nothing else."""

from datetime import timedelta

import pytest

from acm_workers import broker
from acm_workers.engine import publish, sweep
from acm_workers.engine.sweep import QueueStates
from acm_workers.store import calls, claims, events, units, workers
from acm_workers.store.connection.database import Database
from schemas import lanes
from tests.support import stored
from tests.support.stored import Scene, at, making

_DRAINED = QueueStates({"control", "generate.alpha", "judge.alpha"}, ())


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the ids of units and documents whose messages are sent, in place of a broker."""
    sent: list[str] = []
    monkeypatch.setattr(publish, "units", lambda _, units: sent.extend(unit.id for unit in units))
    monkeypatch.setattr(publish, "start", lambda _, ids: sent.extend(ids))
    monkeypatch.setattr(publish, "advance", lambda *ids: sent.extend(ids))
    return sent


@pytest.fixture
def scene(database: Database) -> Scene:
    with database.write() as connection:
        return stored.scene(connection)


def test_messages_that_nobody_has_are_sent_again_where_queues_are_drained(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    sweep.sweep(database, scene.run.id, making(60), queues=QueueStates((), ()))
    assert messages == []

    sweep.sweep(database, scene.run.id, making(60), queues=_DRAINED)
    assert messages == [unit.id for unit in scene.candidates]

    sweep.sweep(database, scene.run.id, making(70), queues=_DRAINED)
    assert len(messages) == 2


def test_a_message_in_hand_is_not_lost(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    waiting, lost = scene.candidates
    with database.write() as connection:
        units.mark_received(connection, {waiting.id: "artifact"}, at(55))

    sweep.sweep(database, scene.run.id, making(60), queues=_DRAINED)

    assert messages == [lost.id]


def test_a_document_whose_first_message_is_lost_begins_all_the_same(
    database: Database, messages: list[str]
) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run, stage="planned")

    sweep.sweep(database, run.id, making(10), queues=_DRAINED)
    sweep.sweep(database, run.id, making(20), queues=_DRAINED)
    sweep.sweep(database, run.id, making(40), queues=_DRAINED)

    assert messages == [document.id, document.id]


def test_no_more_is_sent_to_a_queue_that_is_full(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    with database.write() as connection:
        units.mark_all_unsent(connection, scene.run.id)

    sweep.sweep(database, scene.run.id, making(60), queues=QueueStates((), {"generate.alpha"}))
    assert messages == []

    sweep.sweep(database, scene.run.id, making(60), queues=QueueStates((), ()))
    assert messages == [unit.id for unit in scene.candidates]


def test_units_that_rest_are_left_alone_until_they_are_woken(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    rests, other = scene.candidates
    with database.write() as connection:
        claims.suspend(connection, "artifact", rests.id, None)

    sweep.sweep(database, scene.run.id, making(60), queues=_DRAINED)
    assert messages == [other.id]

    with database.write() as connection:
        units.resume_suspended(connection, scene.run.id)
    sweep.sweep(database, scene.run.id, making(61), queues=_DRAINED)
    assert messages == [other.id, rests.id]


def test_what_a_dead_worker_had_is_planned_again_and_its_calls_are_uncertain(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    dead, alive = scene.candidates
    with database.write() as connection:
        for unit, owner in ((dead, "dead"), (alive, "alive")):
            claims.acquire(connection, "artifact", unit.id, owner, at(0))
            calls.start(connection, stored.call(unit, owner=owner))
        claims.renew(connection, "alive", {alive.id: "artifact"}, at(25))

    sweep.sweep(database, scene.run.id, making(40), queues=_DRAINED, leases=False)
    assert messages == []

    sweep.sweep(database, scene.run.id, making(40), queues=_DRAINED)
    with database.read() as connection:
        states = {call.owner: call.state for call in calls.of_run(connection, scene.run.id)}
        kinds = [event.kind for event in events.since(connection, scene.run.id, 0)]
    assert messages == [dead.id]
    assert states == {"dead": "uncertain", "alive": "started"}
    assert kinds == ["uncertain"]


def test_a_worker_that_surely_died_is_buried_at_once(
    database: Database, scene: Scene, messages: list[str]
) -> None:
    unit, _ = scene.candidates
    with database.write() as connection:
        workers.register(connection, stored.worker("dead"))
        claims.acquire(connection, "artifact", unit.id, "dead", at(0))
        calls.start(connection, stored.call(unit, owner="dead"))

    assert sweep.release_owner(database, "dead", making(1)) == 1
    assert sweep.release_owner(database, "dead", making(1)) == 0

    sweep.sweep(database, scene.run.id, making(2), timedelta(), queues=QueueStates((), ()))
    assert messages == [unit.id]
    with database.read() as connection:
        assert workers.known(connection) == []


def test_workers_are_alive_for_as_long_as_they_say_so(database: Database) -> None:
    with database.write() as connection:
        workers.register(connection, stored.worker("one"))
        workers.register(connection, stored.worker("other", host="another", pid=8))

        workers.mark_swept(connection, "one", at(28))
        assert workers.heartbeat(connection, "one", at(30), 3, at(29))
        assert not workers.heartbeat(connection, "nobody", at(30), 0, None)

        found = workers.alive(connection, at(45))
        assert [(one.owner, one.in_flight, one.last_task_at) for one in found] == [
            ("one", 3, at(29))
        ]
        assert [one.owner for one in workers.known(connection)] == ["other", "one"]
        assert workers.swept_at(connection) == at(28)
        assert workers.of_process(connection, "another", 8) == workers.known(connection)[0]
        workers.remove_old(connection, at(3605))
        assert [one.owner for one in workers.known(connection)] == ["one"]


def test_queues_of_the_app_are_those_that_the_sweep_asks_for() -> None:
    assert {broker.CONTROL, lanes.generate("alpha"), lanes.judge("alpha")} == set(_DRAINED.drained)
