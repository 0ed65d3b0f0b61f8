"""Slots between processes: each message counts, and a process that holds fewer goes first."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from acm_workers.errors import ProviderPaused
from acm_workers.limits import quota
from acm_workers.limits.redis import RedisLimiter
from tests.support import redis_server
from tests.support.limiters import providers
from tests.support.permits import LEASE_S, Busy, HeldPermits, Join, joining, messages, wait_for
from tests.support.redis_server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Yield a Redis that these tests may stop for a while."""
    with redis_server.own() as own:
        yield own


@pytest.fixture
def redis(server: Server) -> str:
    return server.url


@pytest.fixture
def join(redis: str) -> Iterator[Join]:
    """Yield what lets another process join a deployment."""
    with joining(redis) as join:
        yield join


def test_a_permit_takes_about_one_message(join: Join, redis: str) -> None:
    limiter = join(max_in_flight=4)
    with Busy(limiter, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        taken, before = busy.taken, messages(redis)
        wait_for(lambda: busy.taken >= taken + 400)
        sent, taken = messages(redis) - before, busy.taken - taken

    assert sent < 1.8 * taken  # one that asks and one that frees would be two
    assert limiter.state("alpha")["started"] >= busy.taken
    assert limiter.state("alpha")["in_flight"] == 0


def test_each_start_is_asked_for_where_a_rate_is_limited(join: Join) -> None:
    limiter = join(max_in_flight=4, requests_per_minute=6000)
    begun = time.monotonic()
    with Busy(limiter, threads=6) as busy:
        wait_for(lambda: busy.taken >= 200)
        span_s = time.monotonic() - begun

    # A thread that wakes up late delays nobody: the last may come that much earlier.
    assert span_s >= 199 * 60 / 6000 - quota.LATE_S


def test_a_slot_that_is_freed_is_soon_there_for_others(join: Join) -> None:
    first, second = join(max_in_flight=1), join(max_in_flight=1)
    for _ in range(3):
        with first.acquire("alpha", "m", 1):
            pass

    with second.acquire("alpha", "m", 1) as permit:
        pass

    assert permit.waited_s < LEASE_S / 2


def test_a_slot_is_freed_once(join: Join) -> None:
    limiter = join(max_in_flight=1)
    for _ in range(3):
        with limiter.acquire("alpha", "m", 1) as permit:
            pass
        limiter.release(permit)

    assert limiter.state("alpha")["in_flight"] == 0
    assert limiter.reserve("alpha", "m", 1).granted
    assert not limiter.reserve("alpha", "m", 1).granted


def test_a_slot_of_one_model_does_not_count_for_another(join: Join) -> None:
    limits = {"max_in_flight": 3, "models": {"m": {"max_in_flight": 2}}}
    limiter = join(**limits)
    with Busy(limiter, 4) as busy, Busy(limiter, 4, model="other") as other:
        wait_for(lambda: min(busy.taken, other.taken) >= 100)

    state = limiter.state("alpha")
    assert (busy.most, other.most <= 3) == (2, True)
    assert (state["in_flight"], state["models"]["m"]["in_flight"]) == (0, 0)


def test_a_pause_reaches_busy_processes(join: Join) -> None:
    busy_one, other = join(max_in_flight=4), join(max_in_flight=4)
    with Busy(busy_one, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        other.pause("alpha", "no money left")
        before = busy.taken
        wait_for(lambda: busy.ended)

    # Four slots, each taken every 20 ms: about a second's.
    assert busy.taken - before < 4 * 50


def test_a_penalty_reaches_busy_processes(join: Join) -> None:
    busy_one, other = join(max_in_flight=4), join(max_in_flight=4)
    with Busy(busy_one, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        other.penalise("alpha", 60.0)
        wait_for(lambda: busy.under_way == 0 and busy_one.state("alpha")["waiting"] == 6)
        waits_for = busy_one.state("alpha")["waiting_for"]
        other.pause("alpha", "that is enough")  # ends what waits
        wait_for(lambda: busy.ended)

    assert waits_for == "penalty"


def test_lower_limits_are_reached_by_a_busy_process(join: Join) -> None:
    limiter = join(max_in_flight=6)
    with Busy(limiter, threads=12) as busy:
        wait_for(lambda: busy.taken >= 50)
        limiter.configure(providers(max_in_flight=2))
        wait_for(lambda: limiter.state("alpha")["in_flight"] == 2)
        assert busy.under_way <= 2


@contextmanager
def hanging(server: Server) -> Iterator[None]:
    """Let Redis take messages and answer none."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def test_a_permit_that_is_held_while_redis_hangs_keeps_its_slot(join: Join, server: Server) -> None:
    limiter = join(lease_s=3.0, max_in_flight=1)
    with HeldPermits() as permits:
        permits.start(limiter, "a")
        wait_for(lambda: permits.begun == ["a"])
        permits.start(limiter, "b")
        with hanging(server):
            hung_at = time.monotonic()
            wait_for(lambda: time.monotonic() - hung_at > 6.5)
        before = messages(server.url)
        wait_for(lambda: messages(server.url) >= before + 8)

        assert permits.begun == ["a"]


def test_permits_that_arrive_after_a_pause_are_given_back(join: Join, server: Server) -> None:
    limiter = join(max_in_flight=4)
    with limiter.acquire("alpha", "m", 1):
        pass
    assert limiter.state("alpha")["in_flight"] == 0
    looked, awake, errors = [0], threading.Event(), list[str]()

    def stop() -> bool:
        """Keep threads whose wait has failed from leaving at once."""
        looked[0] += 1
        if looked[0] > 4:
            awake.wait()
        return False

    def work() -> None:
        try:
            with limiter.acquire("alpha", "m", 1, stop):
                errors.append("none")
        except ProviderPaused as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    with hanging(server):
        for thread in threads:
            thread.start()
        wait_for(lambda: looked[0] >= 4)
        limiter.pause("alpha", "no money left")
        wait_for(lambda: looked[0] >= 8)
    wait_for(lambda: limiter.state("alpha")["paused"] is not None)
    awake.set()
    for thread in threads:
        thread.join()

    assert errors == ["no money left"] * 4
    wait_for(lambda: limiter.state("alpha")["in_flight"] == 0)


def test_a_process_with_fewer_slots_that_waits_gets_half(join: Join) -> None:
    first, second = join(max_in_flight=8), join(max_in_flight=8)
    with Busy(first, threads=12) as early:
        wait_for(lambda: early.taken >= 50)
        with Busy(second, threads=12):
            wait_for(lambda: sorted(by_owner(first)) == [4, 4])
            wait_for(lambda: sorted(by_owner(second)) == [4, 4])


def by_owner(limiter: RedisLimiter) -> list[int]:
    return list(limiter.state("alpha")["by_owner"].values())


def test_fewer_slots_than_processes_go_round(join: Join) -> None:
    limiters = [join(max_in_flight=1) for _ in range(3)]
    with ExitStack() as stack:
        busy = [stack.enter_context(Busy(limiter, threads=2)) for limiter in limiters]
        wait_for(lambda: all(one.taken >= 5 for one in busy))

    assert limiters[0].state("alpha")["in_flight"] == 0


def test_a_process_that_no_longer_waits_is_not_in_the_queue(join: Join) -> None:
    first, second = join(max_in_flight=1), join(max_in_flight=1)
    with HeldPermits() as permits:
        permits.start(first, "a")
        wait_for(lambda: permits.begun == ["a"])
        permits.start(first, "b")
        wait_for(lambda: second.state("alpha")["waiting"] == 1)
        permits.end("a")
        wait_for(lambda: permits.begun == ["a", "b"])

        assert second.state("alpha")["waiting"] == 0


def test_a_free_slot_goes_to_the_process_with_fewest(join: Join, redis: str) -> None:
    some, most, none = (join(max_in_flight=4) for _ in range(3))
    with HeldPermits() as permits:
        permits.start(some, "a")
        for name in ("b", "c", "d"):
            permits.start(most, name)
        wait_for(lambda: len(permits.begun) == 4)
        permits.start(most, "early")
        wait_for(lambda: some.state("alpha")["waiting"] == 1)
        permits.start(none, "late")
        wait_for(lambda: some.state("alpha")["waiting"] == 2)
        before = messages(redis)
        permits.end("a")
        wait_for(lambda: len(permits.begun) == 5)
        sent = messages(redis) - before

        assert permits.begun[-1] == "late"
        # Two processes ask 20 times a second: the slot was idle for less than one.
        assert sent < 40
