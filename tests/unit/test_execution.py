"""The interval in which a run is polled."""

import pytest

from acm_api import execution


@pytest.mark.parametrize(("took_s", "interval_s"), [(0.001, 0.25), (0.5, 10.0), (40.0, 30.0)])
def test_looks_cost_little_and_one_that_hung_is_soon_followed_by_another(
    took_s: float, interval_s: float
) -> None:
    assert execution.poll_interval_s(took_s) == interval_s
