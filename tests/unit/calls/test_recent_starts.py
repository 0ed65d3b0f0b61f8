"""Limits of a process also count the calls that earlier processes have just started."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.calls import recent_starts
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.store.calls import CallStart
from schemas.config.provider import Provider
from tests.support import stored

MODELS = {"m1": {"requests_per_minute": 4}}
ages = st.lists(st.floats(0, 59.9), max_size=30)


def provider(**limits: Any) -> Provider:
    values = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1", "max_in_flight": 1024}
    return Provider.model_validate(values | limits)


def start(age_s: float, model: str = "m2", tokens: int = 0) -> CallStart:
    return CallStart(stored.NOW - timedelta(seconds=age_s), model, tokens)


def counting(limits: Provider, starts: Sequence[CallStart]) -> MemoryLimiter:
    newest_first = sorted(starts, key=lambda one: one.at, reverse=True)
    return recent_starts.counting({"alpha": limits}, {"alpha": newest_first}, stored.NOW)


@pytest.mark.parametrize(
    ("limits", "starts", "tokens", "wait_s"),
    [
        ({"requests_per_minute": 10}, [start(13), start(6.9), start(0.8)], 0, 5.26),
        ({"requests_per_minute": 10}, [start(7)], 0, 0),
        ({"requests_per_minute": 0.5}, [start(61)], 0, 60.2),
        ({"requests_per_minute": 6}, [start(2)] * 600, 0, 58.6),
        ({"tokens_per_minute": 600}, [start(10, tokens=300)], 400, 50.4),
        ({"tokens_per_minute": 600}, [start(31, tokens=300)], 100, 0),
        ({"launch_delay_seconds": 5}, [start(2), start(1), start(1)], 0, 4),
        ({"models": MODELS}, [start(3, "m1")], 0, 12.15),
        ({"models": MODELS}, [start(3, "m2")], 0, 0),
        ({}, [start(0)] * 3, 0, 0),
    ],
)
def test_a_request_waits_as_if_one_process_had_started_all(
    limits: dict[str, Any], starts: list[CallStart], tokens: int, wait_s: float
) -> None:
    before = time.monotonic()

    permit = counting(provider(**limits), starts).reserve("alpha", "m1", tokens)

    earliest = before + wait_s - 0.06
    assert earliest <= permit.start_at <= time.monotonic() + wait_s + 0.06


@given(ages, st.integers(1, 20), st.integers(1, 40))
def test_no_window_of_60_s_has_more_starts_than_the_limit_of_now(
    ages: list[float], per_minute: int, new: int
) -> None:
    before = time.monotonic()
    limits = counting(provider(requests_per_minute=per_minute), [start(age) for age in ages])

    starts = [limits.reserve("alpha", "m2", 0).start_at - before for _ in range(new)]

    assert starts[0] <= 61 + time.monotonic() - before
    together = sorted([*starts, *(-age for age in ages)])
    for first in together:
        window = [at for at in together if first <= at < first + 60]
        assert len(window) <= per_minute or max(window) < starts[0]
