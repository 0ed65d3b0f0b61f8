"""Who waits has a claim to a place, who has fewest goes first, and who waits no more has none."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from acm_workers.limits.shared import RedisLimiter
from tests.support import redis_server
from tests.support.turns import Busy, Held, Join, joining, messages, wait_for


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    """Yield the URL of a Redis that hears only of these tests."""
    with redis_server.own() as own:
        yield own.url


@pytest.fixture
def join(redis: str) -> Iterator[Join]:
    """Yield what lets another process join a deployment."""
    with joining(redis) as join:
        yield join


def test_who_has_fewer_places_and_waits_is_given_half(join: Join) -> None:
    first, second = join(max_in_flight=8), join(max_in_flight=8)
    with Busy(first, threads=12) as early:
        wait_for(lambda: early.taken >= 50)
        with Busy(second, threads=12):
            wait_for(lambda: sorted(by_owner(first)) == [4, 4])
            wait_for(lambda: sorted(by_owner(second)) == [4, 4])


def by_owner(limiter: RedisLimiter) -> list[int]:
    return list(limiter.state("alpha")["by_owner"].values())


def test_fewer_places_than_processes_go_round(join: Join) -> None:
    limiters = [join(max_in_flight=1) for _ in range(3)]
    with ExitStack() as stack:
        busy = [stack.enter_context(Busy(limiter, threads=2)) for limiter in limiters]
        wait_for(lambda: all(one.taken >= 5 for one in busy))

    assert limiters[0].state("alpha")["in_flight"] == 0


def test_who_waits_for_nothing_any_more_has_no_claim(join: Join) -> None:
    first, second = join(max_in_flight=1), join(max_in_flight=1)
    waited_s = []
    for _ in range(3):
        with Held() as turns:
            turns.start(first, "a")
            wait_for(lambda: turns.begun == ["a"])
            begun_at = time.monotonic()
            turns.start(first, "b")
            wait_for(lambda: time.monotonic() - begun_at > 0.7)  # noqa: B023
            turns.end("a")
            wait_for(lambda: turns.begun == ["a", "b"])
        with second.acquire("alpha", "m", 1) as turn:
            waited_s.append(turn.waited_s)

    assert max(waited_s) < 1


def test_a_free_place_is_offered_to_who_has_fewest(join: Join, redis: str) -> None:
    some, most, none = (join(max_in_flight=4) for _ in range(3))
    with Held() as turns:
        turns.start(some, "a")
        for name in ("b", "c", "d"):
            turns.start(most, name)
        wait_for(lambda: len(turns.begun) == 4)
        turns.start(most, "early")
        wait_for(lambda: some.state("alpha")["waiting"] == 1)
        turns.start(none, "late")
        wait_for(lambda: some.state("alpha")["waiting"] == 2)
        before = messages(redis)
        turns.end("a")
        wait_for(lambda: len(turns.begun) == 5)
        sent = messages(redis) - before

        assert turns.begun[-1] == "late"
        assert sent < 12
