"""Which messages are sent first, and which stay in the store for the sweep as enough wait."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from celery.signals import before_task_publish

from acm_workers import app, runtime
from acm_workers.engine import advance, publish
from acm_workers.store import artifacts, units
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage
from tests.support import stored
from tests.support.stored import Scene, at

_LANE = "generate.alpha"
_CHILDREN = ("child.gptr", "child.dr", "child.ma")


@pytest.fixture
def publisher() -> Iterator[Celery]:
    found = app.embedded("acm.test")
    found.set_default()
    yield found
    with found.producer_or_acquire() as producer:
        for queue in (_LANE, *_CHILDREN):
            producer.channel.queue_purge(queue)


def waiting(publisher: Celery) -> int:
    with publisher.producer_or_acquire() as producer:
        channel: Any = producer.channel
        return int(channel._size(_LANE))


def messages(scene: Scene, *, urgent: bool = False) -> list[UnitMessage]:
    return [
        UnitMessage("artifact", one.id, one.document_id, _LANE, urgent=urgent)
        for one in scene.candidates
    ]


def test_units_without_room_in_their_lane_are_left_to_the_sweep(
    sqlite_database: Database, publisher: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.write() as connection:
        scene = stored.scene(connection)
    monkeypatch.setattr(publish, "ENOUGH", 1)

    publish.new_units(sqlite_database, messages(scene))

    with sqlite_database.read() as connection:
        left = units.unpublished(connection, scene.run.id, at(1))
    assert waiting(publisher) == 1
    assert [unit.id for unit in left] == [scene.candidates[1].id]


def test_urgent_units_are_sent_to_a_full_lane_too(
    sqlite_database: Database, publisher: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.write() as connection:
        scene = stored.scene(connection)
    monkeypatch.setattr(publish, "ENOUGH", 0)

    publish.new_units(sqlite_database, messages(scene, urgent=True))

    assert waiting(publisher) == 2


def test_candidates_that_take_longest_are_sent_first(
    sqlite_database: Database, publisher: Celery
) -> None:
    kinds = ("fpf", "gptr", "dr", "ma")
    config = stored.config(
        runs=[{"type": kind, "provider": "alpha", "model": "m1"} for kind in kinds],
        retriever={"type": "folder", "folder": "sources"},
    )
    with sqlite_database.write() as connection:
        run = stored.run(connection, config=config)
        document = stored.document(connection, run, stage="planned")
    sent: list[str] = []

    def note(body: Any, **_: object) -> None:
        sent.append(body[0][0])

    before_task_publish.connect(note)
    try:
        advance.start_document(
            sqlite_database, document.id, config, runtime.making(), lambda text: []
        )
    finally:
        before_task_publish.disconnect(note)

    with sqlite_database.read() as connection:
        generators = {
            one.id: one.generator for one in artifacts.of_document(connection, document.id)
        }
    assert [generators[unit_id] for unit_id in sent] == ["dr", "ma", "gptr", "fpf"]
