"""Which documents begin while a budget is short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.pipeline.document_order import admitted

_DOCUMENTS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("begun", "left_usd", "expected_usd", "found"),
    [
        (0, 4.0, 1.0, ["a", "b", "c", "d"]),
        (0, 2.5, 1.0, ["a", "b"]),
        (1, 2.5, 1.0, ["a"]),
        (2, 2.5, 1.0, []),
        (0, 0.1, 1.0, ["a"]),
        (0, -1.0, 1.0, ["a"]),
        (1, 0.1, 1.0, []),
        (3, 0.0, None, ["a", "b", "c", "d"]),
        (3, 0.0, 0.0, ["a", "b", "c", "d"]),
    ],
)
def test_as_many_begin_as_money_is_likely_to_last_for(
    begun: int, left_usd: float, expected_usd: float | None, found: list[str]
) -> None:
    assert list(admitted(_DOCUMENTS, begun, left_usd, expected_usd)) == found


@given(st.floats(-10, 10), st.floats(0.01, 5))
def test_a_run_never_waits_with_nothing_under_way(left_usd: float, expected_usd: float) -> None:
    assert admitted(_DOCUMENTS, 0, left_usd, expected_usd)[0] == "a"
