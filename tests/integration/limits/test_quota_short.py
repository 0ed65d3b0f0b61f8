"""Several worker processes share what a provider allows: the short form of ``ops/bench quota``."""

from typing import Any

import pytest

from ops.benchmarks import quota

_LEAST, _MOST = 0.25, 1.25
"""Shares of a limit in some seconds, in which a busy machine may stand still for a while; four
processes without a common limit would use four times as much as one is allowed."""


@pytest.fixture(scope="module")
def used() -> dict[str, Any]:
    """Return what four workers used of what they were allowed."""
    return dict(quota.measure(0, short=True).rows[0])


def test_four_workers_use_what_one_provider_allows_and_not_four_times_as_much(
    used: dict[str, Any],
) -> None:
    assert _LEAST <= used["share"] <= _MOST


def test_the_provider_never_refuses_a_request_for_its_rate(used: dict[str, Any]) -> None:
    assert used["refused"] == 0
    assert used["requests in 60 s"] <= used["allowed/min"]
