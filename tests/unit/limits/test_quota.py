"""Limits on a clock that is moved by hand, over many minutes."""

import random
from bisect import bisect_left
from collections import deque
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.limits.interface import Permit
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.limits.quota import Quota
from schemas.config.provider import Provider

Starts = list[tuple[float, int]]


class Clock:
    """Stands still unless moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def provider(**limits: object) -> Provider:
    return Provider.model_validate(
        {
            "dialect": "openai_chat",
            "base_url": "http://127.0.0.1:1/v1",
            "max_in_flight": 1024,
            **limits,
        }
    )


def most_in_a_minute(starts: Starts) -> int:
    """Return the largest sum of tokens that any 60 s, both ends included, hold."""
    times = [at for at, _ in starts]
    sums = [0, *accumulate(tokens for _, tokens in starts)]
    return max(sums[i + 1] - sums[bisect_left(times, times[i] - 60.0)] for i in range(len(times)))


def reserved(limits: Provider, minutes: float, sizes: list[int]) -> Starts:
    """Return the starts of a caller that reserves again as soon as it has started."""
    clock = Clock()
    limiter = MemoryLimiter({"alpha": limits}, clock)
    starts: Starts = []
    while clock.now < 1000.0 + minutes * 60:
        tokens = sizes[len(starts) % len(sizes)]
        permit = limiter.reserve("alpha", "m", tokens)
        clock.now = max(clock.now, permit.start_at)
        limiter.release(permit)
        starts.append((clock.now, tokens))
    return starts


@pytest.mark.parametrize("rpm", [1, 2, 7, 60, 100, 600])
def test_requests_use_the_limit_and_never_pass_it(rpm: int) -> None:
    starts = reserved(provider(requests_per_minute=rpm), 12, [1])

    assert most_in_a_minute(starts) <= rpm
    assert len(starts) - 1 >= 0.97 * rpm * 12


def test_limits_of_a_model_are_used_and_never_passed() -> None:
    own = provider(models={"m": {"requests_per_minute": 60, "tokens_per_minute": 50_000}})

    starts = reserved(own, 12, [100])

    assert most_in_a_minute(starts) <= 60 * 100
    assert len(starts) - 1 >= 0.97 * 60 * 12


@pytest.mark.parametrize("rpm", [0.5, 1.5, 2.9])
def test_broken_limits_are_never_passed_either(rpm: float) -> None:
    starts = reserved(provider(requests_per_minute=rpm), 30, [1])

    assert most_in_a_minute(starts) <= max(rpm, 1)


@pytest.mark.parametrize("sizes", [[100], [1, 250, 40, 7], [500, 1, 1, 1]])
def test_tokens_use_the_limit_and_never_pass_it(sizes: list[int]) -> None:
    starts = reserved(provider(tokens_per_minute=50_000), 6, sizes)

    assert most_in_a_minute(starts) <= 50_000
    assert sum(tokens for _, tokens in starts) >= 0.97 * 50_000 * 6


@pytest.mark.parametrize("size", [900, 3_000, 6_000])
def test_tokens_in_large_pieces_never_pass_the_limit(size: int) -> None:
    starts = reserved(provider(tokens_per_minute=10_000), 10, [size])

    assert most_in_a_minute(starts) <= 10_000


def test_request_larger_than_the_limit_goes_alone() -> None:
    starts = reserved(provider(tokens_per_minute=1_000), 20, [10, 5_000])

    large = [at for at, tokens in starts if tokens == 5_000]
    assert large
    assert all(abs(at - other) > 60 for at in large for other, _ in starts if other != at)


def test_the_narrowest_limit_binds() -> None:
    both = provider(requests_per_minute=600, tokens_per_minute=6_000)

    permits = []
    limiter = MemoryLimiter({"alpha": both}, Clock())
    for tokens in (1, 100, 1, 1):
        permits.append(limiter.reserve("alpha", "m", tokens))

    assert [permit.reason for permit in permits] == [None, "requests", "tokens", "requests"]


@given(
    st.integers(1, 200),
    st.integers(0, 2**32),
    st.floats(0, 0.19),
    st.sampled_from([0.0, 0.5, 3.0]),
)
def test_threads_that_wake_late_neither_pass_nor_waste_the_limit(
    rpm: int, seed: int, latest_s: float, idle: float
) -> None:
    quota, chance, now, starts = Quota(provider(requests_per_minute=rpm)), 0.0, 0.0, []
    dice = random.Random(seed)
    for key in range(rpm * 3 + 3):
        came = now + (dice.random() * idle if idle else 0.0)
        chance, _ = quota.earliest("m", came, 1)
        now = max(came, chance) + dice.random() * latest_s
        permit = Permit(key, "alpha", "m", 1, now)
        quota.take(permit, came if idle else 0.0)
        quota.release(permit)
        starts.append((now, 1))

    assert most_in_a_minute(starts) <= rpm
    if not idle:
        assert now - starts[0][0] <= (len(starts) - 1) * 60 / (0.97 * rpm) + latest_s


def test_after_a_rest_no_two_start_at_once() -> None:
    clock = Clock()
    limiter = MemoryLimiter({"alpha": provider(requests_per_minute=600)}, clock)
    limiter.reserve("alpha", "m", 1)

    clock.now += 300
    first, second = (limiter.reserve("alpha", "m", 1) for _ in range(2))

    assert first.start_at == clock.now
    assert second.start_at == pytest.approx(clock.now + 60 / 594)


def test_estimates_that_are_far_too_high_leave_little_of_the_limit_unused() -> None:
    quota = Quota(provider(tokens_per_minute=60_000))
    now, running, spent = 0.0, deque[tuple[float, Permit]](), 0
    while now < 20 * 60:
        chance, _ = quota.earliest("m", now, 4_000)
        if running and running[0][0] <= chance:
            now, permit = running.popleft()
            quota.settle(permit, 1_000, now)
            quota.release(permit)
            spent += 1_000
        else:
            now = chance
            permit = Permit(spent + len(running), "alpha", "m", 4_000, now)
            quota.take(permit, now)
            running.append((now + 2.0, permit))

    # Those under way, two seconds of sixty, count four times: 60 / (2 * 4 + 58) of the limit.
    assert 0.88 * 60_000 * 20 <= spent <= 60_000 * 20


def test_slot_of_a_vanished_thread_expires() -> None:
    clock = Clock()
    limits = provider(max_in_flight=1, timeout_seconds=10)
    limiter = MemoryLimiter({"alpha": limits}, clock)
    limiter.reserve("alpha", "m", 1)

    refused = limiter.reserve("alpha", "m", 1)
    clock.now = refused.start_at

    assert refused.start_at == 1040.0
    assert limiter.reserve("alpha", "m", 1).granted
