"""What every limiter must do, in memory or in Redis, on a real clock."""

import time
from itertools import pairwise

import pytest

from acm_workers.errors import Cancelled, NotFound
from tests.support.limiters import Make, providers


class Contract:
    """Tests of a limiter; a subclass has a fixture ``make``."""

    def test_no_caller_waits_where_nothing_is_limited(self, make: Make) -> None:
        with make().acquire("alpha", "m", 10) as permit:
            pass

        assert (permit.reason, permit.waited_s, permit.granted) == (None, 0.0, True)

    def test_unknown_provider_is_refused(self, make: Make) -> None:
        with pytest.raises(NotFound, match="gamma"):
            make().reserve("gamma", "m", 1)

    def test_requests_follow_each_other_evenly(self, make: Make) -> None:
        limiter = make(requests_per_minute=1)

        permits = [limiter.reserve("alpha", "m", 1) for _ in range(4)]

        gaps = [b.start_at - a.start_at for a, b in pairwise(permits)]
        assert gaps == pytest.approx([60 / 0.99] * 3, rel=1e-3)
        assert [permit.reason for permit in permits] == [None, "requests", "requests", "requests"]

    def test_launch_delay_lies_between_two_starts(self, make: Make) -> None:
        limiter = make(launch_delay_seconds=60)

        first, second = (limiter.reserve("alpha", "m", 1) for _ in range(2))

        assert second.start_at - first.start_at == pytest.approx(60, abs=1e-3)
        assert (first.reason, second.reason) == (None, "launch_delay")

    def test_a_start_is_waited_for(self, make: Make) -> None:
        limiter = make(launch_delay_seconds=0.3)

        with limiter.acquire("alpha", "m", 1) as first:
            began = time.monotonic()
        with limiter.acquire("alpha", "m", 1) as second:
            ended = time.monotonic()

        assert second.start_at - first.start_at >= 0.2999
        assert second.waited_s <= ended - began

    def test_correction_brings_the_next_permit_forward(self, make: Make) -> None:
        limiter = make(tokens_per_minute=1000)
        first = limiter.reserve("alpha", "m", 900)
        far = limiter.state("alpha")["next_start_in_s"]

        limiter.settle(first, 9)

        assert far > 40
        assert limiter.state("alpha")["next_start_in_s"] < 1
        assert limiter.state("alpha")["tokens_last_minute"] == 9

    def test_no_permit_is_granted_while_all_slots_are_in_use(self, make: Make) -> None:
        limiter = make(max_in_flight=1)
        first = limiter.reserve("alpha", "m", 1)

        refused = limiter.reserve("alpha", "m", 1)
        limiter.release(refused)
        limiter.release(first)
        limiter.release(first)

        assert (first.granted, refused.granted, refused.reason) == (True, False, "in_flight")
        assert limiter.reserve("alpha", "m", 1).granted
        assert not limiter.reserve("alpha", "m", 1).granted

    def test_slot_is_freed_after_an_error(self, make: Make) -> None:
        limiter = make(max_in_flight=1)

        with pytest.raises(ZeroDivisionError), limiter.acquire("alpha", "m", 1):
            _ = 1 / 0

        assert limiter.state("alpha")["in_flight"] == 0

    def test_penalty_delays_every_permit(self, make: Make) -> None:
        limiter = make()

        limiter.penalise("alpha", 30.0)
        permit = limiter.reserve("alpha", "m", 1)

        assert permit.reason == "penalty"
        assert 0 < limiter.state("alpha")["held_for_s"] <= 30

    def test_penalty_ends_by_itself(self, make: Make) -> None:
        limiter = make()
        began = time.monotonic()

        limiter.penalise("alpha", 0.05)
        with limiter.acquire("alpha", "m", 1):
            ended = time.monotonic()

        assert ended - began >= 0.049

    def test_resume_ends_a_pause(self, make: Make) -> None:
        limiter = make()
        limiter.pause("alpha", "no money left")

        limiter.resume("alpha")

        assert limiter.reserve("alpha", "m", 1).granted

    def test_a_caller_that_is_stopped_does_not_start(self, make: Make) -> None:
        limiter = make()

        with pytest.raises(Cancelled), limiter.acquire("alpha", "m", 1, lambda: True):
            pass

        assert limiter.state("alpha")["started"] == 0

    def test_providers_do_not_wait_for_each_other(self, make: Make) -> None:
        limiter = make(max_in_flight=1, requests_per_minute=1)
        limiter.reserve("alpha", "m", 1)
        limiter.pause("alpha", "no money left")

        permit = limiter.reserve("beta", "m", 1)

        assert (permit.granted, permit.reason) == (True, None)

    def test_a_model_keeps_to_limits_of_its_own_and_to_those_of_its_provider(
        self, make: Make
    ) -> None:
        slow = {"requests_per_minute": 1}
        limiter = make(requests_per_minute=6, models={"slow": slow, "one": {"max_in_flight": 1}})

        permits = [
            limiter.reserve("alpha", model, 1) for model in ("slow", "m", "slow", "one", "one")
        ]

        starts = [permit.start_at - permits[0].start_at for permit in permits[:4]]
        assert starts[:3] == pytest.approx([0, 60 / 5.94, 60 / 0.99], rel=1e-3)
        assert [permit.reason for permit in permits[:3]] == [None, "requests", "requests"]
        assert (permits[4].granted, permits[4].reason) == (False, "in_flight")
        assert limiter.state("alpha")["models"]["slow"]["started"] == 2

    def test_a_limit_of_tokens_may_be_that_of_a_model(self, make: Make) -> None:
        limiter = make(models={"m": {"tokens_per_minute": 1000}})
        first = limiter.reserve("alpha", "m", 1000)

        full = limiter.reserve("alpha", "m", 10)
        limiter.release(full)
        other = limiter.reserve("alpha", "other", 10_000)

        assert full.reason == "tokens"
        assert full.start_at - first.start_at > 59
        assert other.reason is None

    def test_correction_reaches_the_limit_of_the_model_too(self, make: Make) -> None:
        limiter = make(models={"m": {"tokens_per_minute": 1000}})
        first = limiter.reserve("alpha", "m", 900)

        limiter.settle(first, 9)

        assert limiter.state("alpha")["models"]["m"]["tokens_last_minute"] == 9
        assert limiter.reserve("alpha", "m", 900).start_at - first.start_at < 30

    def test_new_limits_hold_for_whatever_starts_from_then_on(self, make: Make) -> None:
        limiter = make(requests_per_minute=1, max_in_flight=1, models={"own": {"max_in_flight": 1}})
        first = limiter.reserve("alpha", "m", 1)

        limiter.configure(providers(requests_per_minute=600, max_in_flight=2))
        second, third = (limiter.reserve("alpha", "m", 1) for _ in range(2))

        assert second.start_at - first.start_at < 30
        assert (second.granted, third.granted) == (True, False)
        assert limiter.state("alpha")["max_in_flight"] == 2
        assert limiter.state("alpha")["models"] == {}

    def test_new_limits_may_name_new_providers_and_leave_others_alone(self, make: Make) -> None:
        limiter = make(max_in_flight=1)

        limiter.configure({"gamma": providers(max_in_flight=7)["alpha"]})

        assert limiter.reserve("gamma", "m", 1).granted
        assert limiter.state("gamma")["max_in_flight"] == 7
        assert limiter.state("alpha")["max_in_flight"] == 1

    def test_lower_limits_count_what_is_under_way(self, make: Make) -> None:
        limiter = make(max_in_flight=3, tokens_per_minute=60_000)
        permits = [limiter.reserve("alpha", "m", 1000) for _ in range(2)]

        limiter.configure(providers(max_in_flight=1, tokens_per_minute=2000))
        limiter.release(permits[0])

        assert limiter.state("alpha")["in_flight"] == 1
        assert limiter.state("alpha")["tokens_last_minute"] == 2000
        assert not limiter.reserve("alpha", "m", 1).granted
        limiter.release(permits[1])
        assert limiter.reserve("alpha", "m", 1).start_at - permits[0].start_at > 59
