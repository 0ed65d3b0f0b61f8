import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acm_workers.simulator import limits
from acm_workers.simulator.dialects import anthropic, google, openai
from acm_workers.simulator.limits import LimitExceeded, MinuteLimits, SlidingWindow
from acm_workers.simulator.messages import LimitState

arrivals = st.lists(st.tuples(st.floats(0, 300), st.integers(1, 9)), min_size=1).map(sorted)


@settings(max_examples=30)
@given(arrivals)
def test_a_window_knows_the_most_of_any_sixty_seconds(
    came: list[tuple[float, int]],
) -> None:
    window = SlidingWindow()

    for at, amount in came:
        window.add(at, amount)

    sums = (sum(n for t, n in came if end - 60 < t <= end) for end, _ in came)
    assert window.most == max(sums)


@settings(max_examples=30)
@given(arrivals, st.integers(10, 40), st.integers(1, 10))
def test_what_waits_as_told_gets_in(came: list[tuple[float, int]], limit: int, amount: int) -> None:
    window = SlidingWindow()
    for at, taken in came:
        window.add(at, taken)
    now = came[-1][0]

    wait_s = window.wait_s(now, limit, amount)

    assert wait_s == 0 or window.wait_s(now + wait_s + 1e-6, limit, amount) == 0


def test_one_request_too_many_is_told_when_there_is_room() -> None:
    limit = MinuteLimits(rpm=2, tpm=None)
    for now in (0.0, 10.0):
        limit.check(now, "m1", 5)
        limit.count(now, 5)

    with pytest.raises(LimitExceeded) as caught:
        limit.check(20.5, "m1", 5)

    assert caught.value.wait_s == 39.5
    assert "Limit 2, Used 2, Requested 1. Please try again in 39.5s." in caught.value.message
    limit.check(60.0, "m1", 5)


def test_tokens_are_limited_by_themselves() -> None:
    limit = MinuteLimits(rpm=None, tpm=100)
    limit.count(0.0, 90)

    with pytest.raises(LimitExceeded) as caught:
        limit.check(1.0, "m1", 11)

    assert caught.value.type == "tokens"
    assert limit.states(1.0) == [LimitState("tokens", 100, 10, 59.0)]


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0ms"), (0.85, "850ms"), (8.64, "8.64s"), (60, "1m0s"), (360, "6m0s"), (0.9999, "1s")],
)
def test_durations_are_written_as_providers_do(seconds: float, written: str) -> None:
    duration = limits.duration(seconds)

    assert duration == written


def test_each_dialect_tells_limits_and_waits_in_its_own_headers() -> None:
    states = [LimitState("tokens", 100, 10, 59.0)]

    assert dict(openai.limit_headers(states, 0.0)) == {
        b"x-ratelimit-limit-tokens": b"100",
        b"x-ratelimit-remaining-tokens": b"10",
        b"x-ratelimit-reset-tokens": b"59s",
    }
    assert dict(anthropic.limit_headers(states, 1.0)) == {
        b"anthropic-ratelimit-tokens-limit": b"100",
        b"anthropic-ratelimit-tokens-remaining": b"10",
        b"anthropic-ratelimit-tokens-reset": b"1970-01-01T00:01:00Z",
    }
    assert google.limit_headers(states, 0.0) == []
    assert dict(openai.retry_headers(1.2344)) == {b"retry-after-ms": b"1235", b"retry-after": b"2"}
    assert dict(anthropic.retry_headers(1.2344)) == {b"retry-after": b"2"}
    assert google.retry_headers(1.2344) == []
