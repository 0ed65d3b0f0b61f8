"""Places that come free stay with their process as long as nobody else has a claim to them."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import redis as redis_client

from acm_workers.errors import ProviderPaused
from acm_workers.limits.shared import RedisLimiter
from tests.support import redis_server
from tests.support.limiters import providers
from tests.support.redis_server import Server
from tests.support.shared_limits import place

Join = Callable[..., RedisLimiter]


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
    first = place()
    made: list[RedisLimiter] = []

    def join(lease_s: float = 20.0, **limits: object) -> RedisLimiter:
        own = place(first.prefix, lease_s=lease_s)
        made.append(RedisLimiter(providers(**limits), redis, own))
        return made[-1]

    yield join
    for limiter in made:
        limiter.close()


def wait_for(true: Callable[[], bool]) -> None:
    end_at = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end_at
        time.sleep(0.01)


def messages(url: str) -> int:
    """Return how many scripts Redis has run."""
    with redis_client.Redis.from_url(url) as client:
        return sum(
            int(client.info("commandstats").get(f"cmdstat_{name}", {"calls": 0})["calls"])
            for name in ("eval", "evalsha")
        )


class Busy:
    """Threads that take one turn after the other until they are stopped."""

    def __init__(self, limiter: RedisLimiter, threads: int, model: str = "m") -> None:
        self.taken = 0
        self.under_way = self.most = 0
        self.begun_at = 0.0
        self._limiter = limiter
        self._model = model
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work) for _ in range(threads)]

    def __enter__(self) -> "Busy":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def ended(self) -> bool:
        """Return whether all threads have ended by themselves."""
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                with self._limiter.turn("alpha", self._model, 1):
                    self._count(1)
                    self._stop.wait(0.02)
                    self._count(-1)
            except ProviderPaused:
                return

    def _count(self, change: int) -> None:
        with self._lock:
            self.under_way += change
            self.most = max(self.most, self.under_way)
            if change > 0:
                self.taken += 1
                self.begun_at = time.monotonic()


def test_turns_that_follow_each_other_in_a_process_take_no_message_each(
    join: Join, redis: str
) -> None:
    limiter = join(max_in_flight=4)
    with Busy(limiter, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        taken, before = busy.taken, messages(redis)
        wait_for(lambda: busy.taken >= taken + 400)
        sent, taken = messages(redis) - before, busy.taken - taken

    assert sent < 0.5 * taken
    assert limiter.state("alpha")["started"] == busy.taken
    assert limiter.state("alpha")["in_flight"] == 0


def test_each_start_is_asked_for_where_a_rate_is_limited(join: Join) -> None:
    limiter = join(max_in_flight=4, requests_per_minute=6000)
    begun = time.monotonic()
    with Busy(limiter, threads=6) as busy:
        wait_for(lambda: busy.taken >= 200)
        span_s = time.monotonic() - begun

    assert span_s >= 199 * 60 / 6000


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


def test_a_place_that_nobody_uses_is_soon_there_for_others(join: Join) -> None:
    first, second = join(max_in_flight=1), join(max_in_flight=1)
    for _ in range(3):
        with first.turn("alpha", "m", 1):
            pass

    with second.turn("alpha", "m", 1) as turn:
        pass

    assert turn.waited_s < 1


def test_a_place_that_is_kept_is_given_back_once(join: Join) -> None:
    limiter = join(max_in_flight=1)
    for _ in range(3):
        with limiter.turn("alpha", "m", 1) as turn:
            pass
        limiter.release(turn)

    assert limiter.state("alpha")["in_flight"] == 0
    assert limiter.reserve("alpha", "m", 1).granted
    assert not limiter.reserve("alpha", "m", 1).granted


def test_a_place_of_one_model_does_not_count_for_another(join: Join) -> None:
    limits = {"max_in_flight": 3, "models": {"m": {"max_in_flight": 2}}}
    limiter = join(**limits)
    with Busy(limiter, 4) as busy, Busy(limiter, 4, model="other") as other:
        wait_for(lambda: min(busy.taken, other.taken) >= 100)

    state = limiter.state("alpha")
    assert (busy.most, other.most <= 3) == (2, True)
    assert (state["in_flight"], state["models"]["m"]["in_flight"]) == (0, 0)


def test_a_pause_reaches_processes_that_pass_their_places_on(join: Join) -> None:
    busy_one, other = join(max_in_flight=4), join(max_in_flight=4)
    with Busy(busy_one, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        other.pause("alpha", "no money left")
        paused_at = time.monotonic()
        wait_for(lambda: busy.ended)

    assert busy.begun_at - paused_at < 1


def test_a_penalty_reaches_processes_that_pass_their_places_on(join: Join) -> None:
    busy_one, other = join(max_in_flight=4), join(max_in_flight=4)
    with Busy(busy_one, threads=6) as busy:
        wait_for(lambda: busy.taken >= 50)
        other.penalise("alpha", 2.0)
        wait_for(lambda: time.monotonic() - busy.begun_at > 0.5)
        taken = busy.taken
        wait_for(lambda: busy.taken > taken)
        held_for_s = other.state("alpha")["held_for_s"]

    assert held_for_s == 0


def test_lower_limits_are_reached_though_places_are_passed_on(join: Join) -> None:
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


class Held:
    """Turns that last until they are told to end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._ends: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def start(self, limiter: RedisLimiter, name: str) -> None:
        self._ends[name] = threading.Event()
        thread = threading.Thread(target=self._work, args=(limiter, name))
        self._threads.append(thread)
        thread.start()

    def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, *_: object) -> None:
        self.end(*self._ends)
        for thread in self._threads:
            thread.join()

    def _work(self, limiter: RedisLimiter, name: str) -> None:
        with limiter.turn("alpha", "m", 1):
            self.begun.append(name)
            self._ends[name].wait()


def test_a_turn_that_was_passed_on_before_redis_hung_keeps_its_place(
    join: Join, server: Server
) -> None:
    limiter = join(lease_s=3.0, max_in_flight=1)
    with Held() as turns:
        turns.start(limiter, "a")
        wait_for(lambda: turns.begun == ["a"])
        turns.start(limiter, "b")
        for _ in range(2):  # Redis has just said that places may be passed on
            asked = messages(server.url)
            wait_for(lambda: messages(server.url) > asked)  # noqa: B023
        with hanging(server):
            hung_at = time.monotonic()
            turns.end("a")
            wait_for(lambda: turns.begun == ["a", "b"])
            turns.start(limiter, "c")
            wait_for(lambda: time.monotonic() - hung_at > 6.5)
        before = messages(server.url)
        wait_for(lambda: messages(server.url) >= before + 8)

        assert turns.begun == ["a", "b"]


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
        with second.turn("alpha", "m", 1) as turn:
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


def test_turns_that_arrive_after_a_pause_are_given_back(join: Join, server: Server) -> None:
    limiter = join(max_in_flight=4)
    with limiter.turn("alpha", "m", 1):
        pass
    assert limiter.state("alpha")["in_flight"] == 0
    looked, awake, errors = [0], threading.Event(), list[str]()

    def stop() -> bool:
        """Keep those who are sent away from leaving at once."""
        looked[0] += 1
        if looked[0] > 4:
            awake.wait()
        return False

    def work() -> None:
        try:
            with limiter.turn("alpha", "m", 1, stop):
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
