"""How often a client looks how far its run is."""

import pytest

from acm_api import following


@pytest.mark.parametrize(("took_s", "pause_s"), [(0.001, 0.25), (0.5, 10.0), (40.0, 30.0)])
def test_looks_cost_little_and_one_that_hung_is_soon_followed_by_another(
    took_s: float, pause_s: float
) -> None:
    assert following.pause_s(took_s) == pause_s
