"""What every limiter must do where many threads wait for permits, on a real clock."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from acm_workers.errors import Cancelled, ProviderPaused
from acm_workers.limits.interface import Limiter, Permit
from tests.support.limiters import Make, providers
from tests.support.project import PATIENCE_S, wait_until


class Waiting(threading.Thread):
    """A thread that acquires one permit, and the permit or the error that it got."""

    def __init__(
        self, limiter: Limiter, done: Callable[[], object], stop: Any = None, model: str = "m"
    ) -> None:
        super().__init__()
        self.limiter, self.done, self.stop, self.model = limiter, done, stop, model
        self.error: Exception | None = None
        self.permit: Permit | None = None
        self.start()

    def run(self) -> None:
        try:
            with self.limiter.acquire("alpha", self.model, 1, self.stop) as self.permit:
                self.done()
        except (Cancelled, ProviderPaused) as error:
            self.error = error


def waits(limiter: Limiter, count: int) -> None:
    wait_until(lambda: limiter.state("alpha")["waiting"] == count)


class WaitingContract:
    """Tests of a limiter; a subclass has a fixture ``make``."""

    def test_correction_wakes_a_thread_that_waits_for_tokens(self, make: Make) -> None:
        limiter = make(tokens_per_minute=6000)
        first = limiter.reserve("alpha", "m", 6000)
        second = Waiting(limiter, lambda: None)
        waits(limiter, 1)

        limiter.settle(first, 1)

        second.join(PATIENCE_S)
        assert not second.is_alive()
        assert limiter.state("alpha")["started"] == 2

    def test_no_more_are_in_flight_than_allowed(self, make: Make) -> None:
        limiter = make(max_in_flight=3)
        lock, now, most = threading.Lock(), [0], [0]
        full = threading.Event()

        def work() -> None:
            for _ in range(50):
                with limiter.acquire("alpha", "m", 1):
                    with lock:
                        now[0] += 1
                        most[0] = max(most[0], now[0])
                        if now[0] == 3:
                            full.set()
                    full.wait(PATIENCE_S)  # until as many as may have been there at one time
                    threading.Event().wait(0.0005)
                    with lock:
                        now[0] -= 1

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert most[0] == 3
        assert limiter.state("alpha")["in_flight"] == 0
        # In Redis, a permit whose thread wakes up too late for it is followed by another one.
        assert limiter.state("alpha")["started"] >= 600

    def test_threads_are_served_in_order_of_arrival(self, make: Make) -> None:
        limiter, order = make(max_in_flight=1), list[int]()
        with limiter.acquire("alpha", "m", 1):
            threads = []
            for number in range(8):
                threads.append(Waiting(limiter, partial(order.append, number)))
                waits(limiter, number + 1)
            assert limiter.state("alpha")["waiting_for"] == "in_flight"

        for thread in threads:
            thread.join(PATIENCE_S)

        assert order == list(range(8))

    def test_pause_ends_every_wait_with_its_reason(self, make: Make) -> None:
        limiter = make(max_in_flight=1)
        with limiter.acquire("alpha", "m", 1):
            waiting = [Waiting(limiter, lambda: None) for _ in range(3)]
            waits(limiter, 3)

            limiter.pause("alpha", "no money left")
            for thread in waiting:
                thread.join(PATIENCE_S)

        assert [str(thread.error) for thread in waiting] == ["no money left"] * 3
        assert limiter.state("alpha")["paused"] == "no money left"
        with pytest.raises(ProviderPaused, match="no money left"):
            limiter.reserve("alpha", "m", 1)

    def test_stop_ends_a_wait_and_leaves_nothing_behind(self, make: Make) -> None:
        limiter, stop = make(max_in_flight=1), threading.Event()
        with limiter.acquire("alpha", "m", 1):
            stopped = Waiting(limiter, lambda: None, stop)
            waits(limiter, 1)
            patient = Waiting(limiter, lambda: None, lambda: False)
            waits(limiter, 2)

            stop.set()
            stopped.join(PATIENCE_S)
            assert isinstance(stopped.error, Cancelled)
            waits(limiter, 1)

        patient.join(PATIENCE_S)
        assert patient.error is None
        assert limiter.state("alpha")["in_flight"] == 0

    def test_many_threads_use_the_whole_rate(self, make: Make) -> None:
        limiter = make(requests_per_minute=12_000, max_in_flight=64)

        threads = [Waiting(limiter, lambda: None) for _ in range(60)]
        for thread in threads:
            thread.join(PATIENCE_S)

        starts = [thread.permit.start_at for thread in threads if thread.permit is not None]
        # 59 spaces of 60 s / 11,880, of which threads that wake late may save 0.2 s at the most.
        # Whoever looked for its turn every half second would need ten times as long.
        assert len(starts) == 60
        assert 0.09 < max(starts) - min(starts) < 25

    def test_a_thread_that_waits_for_a_limited_model_is_overtaken_by_requests_to_others(
        self, make: Make
    ) -> None:
        limiter, order = make(max_in_flight=8, models={"one": {"max_in_flight": 1}}), list[str]()
        with limiter.acquire("alpha", "one", 1):
            held = Waiting(limiter, lambda: order.append("one"), model="one")
            waits(limiter, 1)
            passing = Waiting(limiter, lambda: order.append("m"))
            passing.join(PATIENCE_S)
            assert limiter.state("alpha")["waiting_for"] == "in_flight"

        held.join(PATIENCE_S)
        assert order == ["m", "one"]

    def test_no_thread_is_overtaken_where_the_provider_itself_is_full(self, make: Make) -> None:
        limiter, order = make(max_in_flight=1, models={"own": {"max_in_flight": 1}}), list[str]()
        with limiter.acquire("alpha", "m", 1):
            first = Waiting(limiter, lambda: order.append("own"), model="own")
            waits(limiter, 1)
            second = Waiting(limiter, lambda: order.append("m"))
            waits(limiter, 2)

        first.join(PATIENCE_S)
        second.join(PATIENCE_S)
        assert order == ["own", "m"]

    def test_new_limits_reach_threads_that_wait_already(self, make: Make) -> None:
        limiter = make(max_in_flight=1)
        limiter.reserve("alpha", "m", 1)
        waiting = Waiting(limiter, lambda: None)
        waits(limiter, 1)

        limiter.configure(providers(max_in_flight=2))

        waiting.join(PATIENCE_S)
        assert not waiting.is_alive()

    def test_a_crowd_in_front_of_a_full_model_holds_up_no_other_model(self, make: Make) -> None:
        limiter = make(models={"full": {"max_in_flight": 1}})
        permit = limiter.reserve("alpha", "full", 1)
        crowd = [Waiting(limiter, lambda: None, model="full") for _ in range(40)]
        waits(limiter, len(crowd))

        other = Waiting(limiter, lambda: None, model="other")
        other.join(PATIENCE_S)
        passed = not other.is_alive()

        limiter.release(permit)
        for one in (*crowd, other):
            one.join(PATIENCE_S)
        assert passed
