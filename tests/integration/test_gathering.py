"""Chords end once, after the last of their headers, wherever these run."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from celery import signature
from ulid import ULID

from acm_workers import app as apps
from acm_workers import chord_backend
from acm_workers.chord_backend import Gathering, SharedGathering
from tests.support import redis_server

GROUP, MEMBERS = "group", ["a", "b", "c"]


class Counts:
    """Tells how often headers were counted, beside counting them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.counts: list[list[str]] = []

    def _are_last(self, group: str, members: Sequence[str]) -> bool:
        self.counts.append(sorted(members))
        return super()._are_last(group, members)  # type: ignore[misc,no-any-return]


class InMemory(Counts, Gathering):
    pass


class InRedis(Counts, SharedGathering):
    pass


Counted = InMemory | InRedis


@pytest.fixture
def queue() -> str:
    return f"bodies-{ULID()}"


@pytest.fixture(params=[InMemory, InRedis])
def backend(
    request: pytest.FixtureRequest, queue: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Counted]:
    """Yield what counts the headers of one chord, in memory and in a real Redis."""
    with redis_server.running() as url:
        monkeypatch.setenv("ACM_BROKER_URL", url)
        backend: Counted = request.param(apps.make())
        backend.gather(f"{GROUP}-{queue}", MEMBERS)
        yield backend


def run(queue: str, backend: Gathering, *members: str, begin: bool = True) -> None:
    """Let headers run at the same time, and end in their order."""
    group = f"{GROUP}-{queue}"
    for _ in members if begin else ():
        chord_backend.begin(group)
    body = signature("acm.advance", args=("d",), immutable=True, queue=queue)
    for member in members:
        backend.on_chord_part_return(SimpleNamespace(group=group, id=member, chord=body))


def bodies(queue: str) -> int:
    with apps.make().connection() as connection:
        waiting = connection.SimpleQueue(queue)
        return int(waiting.qsize())


def test_the_body_is_sent_after_the_last_header(queue: str, backend: Counted) -> None:
    run(queue, backend, "a", "b")
    before = bodies(queue)
    run(queue, backend, "c")

    assert (before, bodies(queue)) == (0, 1)


def test_headers_that_run_at_the_same_time_are_counted_together(
    queue: str, backend: Counted
) -> None:
    run(queue, backend, "a", "b", "c")

    assert backend.counts == [["a", "b", "c"]]
    assert bodies(queue) == 1


def test_a_header_that_runs_twice_does_not_stand_for_another(queue: str, backend: Counted) -> None:
    run(queue, backend, "a", "a", "b")
    before = bodies(queue)
    run(queue, backend, "c")

    assert (before, bodies(queue)) == (0, 1)


def test_a_header_whose_begin_nobody_noted_is_counted_at_once(queue: str, backend: Counted) -> None:
    run(queue, backend, "a", begin=False)
    run(queue, backend, "b", "c")

    assert backend.counts == [["a"], ["b", "c"]]
    assert bodies(queue) == 1
