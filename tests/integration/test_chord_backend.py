"""Chords end once, after the last of their headers, wherever these run."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from celery import signature
from ulid import ULID

from acm_workers import app as apps
from acm_workers.chord_backend import MemoryChordBackend, RedisChordBackend
from tests.support import redis_server

GROUP, MEMBERS = "group", ["a", "b", "c"]


@pytest.fixture
def queue() -> str:
    return f"bodies-{ULID()}"


@pytest.fixture(params=[MemoryChordBackend, RedisChordBackend])
def backend(
    request: pytest.FixtureRequest, queue: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MemoryChordBackend]:
    """Yield a backend that counts the headers of one chord, in memory and in a real Redis."""
    with redis_server.running() as url:
        monkeypatch.setenv("ACM_BROKER_URL", url)
        backend: MemoryChordBackend = request.param(apps.embedded("acm"))
        backend.begin_chord(f"{GROUP}-{queue}", MEMBERS)
        yield backend


def run(queue: str, backend: MemoryChordBackend, *members: str) -> None:
    """Let headers end in their order."""
    body = signature("acm.advance", args=("d",), immutable=True, queue=queue)
    for member in members:
        request = SimpleNamespace(group=f"{GROUP}-{queue}", id=member, chord=body)
        backend.on_chord_part_return(request)


def bodies(queue: str) -> int:
    with apps.embedded("acm").connection() as connection:
        waiting = connection.SimpleQueue(queue)
        return int(waiting.qsize())


def test_the_body_is_sent_after_the_last_header(queue: str, backend: MemoryChordBackend) -> None:
    run(queue, backend, "a", "b")
    before = bodies(queue)
    run(queue, backend, "c")

    assert (before, bodies(queue)) == (0, 1)


def test_a_header_that_runs_twice_does_not_stand_for_another(
    queue: str, backend: MemoryChordBackend
) -> None:
    run(queue, backend, "a", "a", "b")
    before = bodies(queue)
    run(queue, backend, "c")

    assert (before, bodies(queue)) == (0, 1)
