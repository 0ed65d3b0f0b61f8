"""A queue takes messages until enough wait; the rest stays in the store for the sweep."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from acm_workers import app
from acm_workers.engine import publish
from acm_workers.store import units
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage
from tests.support import stored
from tests.support.stored import Scene, at

_LANE = "generate.alpha"


@pytest.fixture
def publisher() -> Iterator[Celery]:
    found = app.embedded("acm.test")
    found.set_default()
    yield found
    with found.producer_or_acquire() as producer:
        producer.channel.queue_purge(_LANE)


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
