"""The time that a process goes by: its machine's, or the store's where that is another one."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from acm_workers import runtime

_HOUR = 3600.0


@pytest.fixture(autouse=True)
def _right_again() -> Iterator[None]:
    yield
    told(0.0, 0.0)


def told(least_s: float, most_s: float) -> None:
    runtime.set_clock(timedelta(seconds=least_s), timedelta(seconds=most_s))


def ahead_s() -> float:
    """Return by how much the clock is ahead, of several looks the least disturbed."""
    spans = []
    for _ in range(20):
        before, seen, after = datetime.now(UTC), runtime.utc_now(), datetime.now(UTC)
        spans.append((after - before, seen - before))
    return round(min(spans)[1].total_seconds(), 1)


def test_a_machine_whose_clock_is_wrong_goes_by_the_stores() -> None:
    told(_HOUR - 0.01, _HOUR)
    assert ahead_s() == _HOUR

    told(-_HOUR - 0.01, -_HOUR)
    assert ahead_s() == -_HOUR


def test_small_differences_are_left_alone() -> None:
    told(0.5, 0.6)

    assert ahead_s() == 0


@pytest.mark.parametrize(("least_s", "most_s"), [(-40.0, 0.0), (0.0, 40.0), (-20.0, 20.0)])
def test_an_answer_that_took_long_proves_no_clock_wrong(least_s: float, most_s: float) -> None:
    told(least_s, most_s)
    assert ahead_s() == 0

    told(_HOUR, _HOUR)
    told(_HOUR + least_s, _HOUR + most_s)
    assert ahead_s() == _HOUR
