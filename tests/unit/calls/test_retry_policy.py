"""How often and how long a unit asks again."""

import pytest

from acm_workers.calls.retry_policy import RetryPolicy
from acm_workers.errors import LimitsUnavailable, OutOfAttempts, ProviderUnavailable, RateLimited
from schemas.config.config import Retries

BROKEN = ProviderUnavailable("alpha: HTTP 500", None, 500)


class Clock:
    """Stands still unless moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def patience(clock: Clock | None = None, **retries: float) -> RetryPolicy:
    given = RetryPolicy(Retries.model_validate({"attempts": 3} | retries), clock or Clock())
    given.reset()
    given.start_attempt()
    return given


def test_the_last_of_the_attempts_ends_it() -> None:
    unit = patience()

    unit.delay_s(BROKEN)
    unit.delay_s(BROKEN)
    with pytest.raises(OutOfAttempts, match=r"HTTP 500 .after 3 failures in 0 s") as caught:
        unit.delay_s(BROKEN)

    assert caught.value.status == 500


def test_a_rate_limit_is_no_failure_and_its_wait_is_kept() -> None:
    unit = patience()

    waits = [unit.delay_s(RateLimited("slow down", 7.0)) for _ in range(50)]

    assert min(waits) >= 7.0
    assert unit.start_attempt() == 51


def test_pauses_are_drawn_from_the_upper_half_below_a_ceiling_that_doubles() -> None:
    limited = RateLimited("slow down")
    unit = patience(base_delay_seconds=1, max_delay_seconds=8)

    waits = [unit.delay_s(limited) for _ in range(200)]

    assert 1 <= waits[0] <= 2
    assert 2 <= waits[1] <= 4
    assert all(4 <= wait <= 8 for wait in waits[2:])
    assert max(waits) - min(waits[2:]) > 2


def test_the_usual_attempts_outlast_an_outage_of_five_seconds() -> None:
    unit = RetryPolicy(Retries())
    unit.reset()
    unit.start_attempt()

    waits = [unit.delay_s(BROKEN) for _ in range(3)]

    assert sum(waits) > 5


def test_limits_out_of_reach_are_no_failure_of_a_request() -> None:
    unit = patience()

    for _ in range(9):
        unit.delay_s(LimitsUnavailable("Redis is unavailable"))

    assert unit.start_attempt() == 10


def test_the_deadline_ends_also_what_counts_as_no_failure() -> None:
    clock = Clock()
    unit = patience(clock, deadline_seconds=60)
    clock.now += 59

    assert unit.delay_s(RateLimited("slow down")) <= 1
    with pytest.raises(OutOfAttempts, match="after 0 failures and 2 rate limits in 59 s"):
        unit.delay_s(RateLimited("slow down", 2.0))


def test_time_before_the_first_request_does_not_count() -> None:
    clock = Clock()
    unit = RetryPolicy(Retries(deadline_seconds=60), clock)
    clock.now += 1000

    unit.reset()
    unit.start_attempt()

    assert unit.delay_s(BROKEN) >= 0


def test_another_request_has_attempts_of_its_own_and_the_same_deadline() -> None:
    clock = Clock()
    unit = patience(clock, attempts=2, deadline_seconds=60)
    unit.delay_s(BROKEN)

    unit.reset()
    unit.delay_s(BROKEN)
    clock.now += 61
    unit.reset()

    with pytest.raises(OutOfAttempts):
        unit.delay_s(BROKEN)
