from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from acm_workers.providers.http import failures


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "172800"}, 172_800.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "abc"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e30"}, failures.MAX_RETRY_AFTER_S),
        ({"retry-after": "Wed, 99 Jan 2020 12:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_header_says_how_long_to_wait(headers: dict[str, str], expected: float | None) -> None:
    assert failures.retry_after_s(headers) == expected


def test_a_date_to_wait_for_goes_by_the_senders_clock() -> None:
    there = datetime(2020, 1, 1, 12, 0, tzinfo=UTC)
    until = format_datetime(there + timedelta(seconds=37), usegmt=True)

    headers = {"retry-after": until, "date": format_datetime(there, usegmt=True)}

    assert failures.retry_after_s(headers) == 37.0


def test_a_date_in_the_past_means_now() -> None:
    assert failures.retry_after_s({"retry-after": "Wed, 01 Jan 2020 12:00:00 GMT"}) == 0.0


@pytest.mark.parametrize(
    ("delay", "expected"),
    [("37s", 37.0), ("0.5s", 0.5), ("37", None), ("-3s", None), (37, None), ("9" * 30 + "s", None)],
)
def test_google_says_it_in_the_body(delay: Any, expected: float | None) -> None:
    kind = "type.googleapis.com/google.rpc."
    error = {
        "code": 429,
        "details": [
            "odd",
            {"@type": kind + "Help", "links": []},
            {"@type": kind + "RetryInfo", "retryDelay": delay},
        ],
    }

    assert failures.retry_after_s({}, error) == expected


def test_header_counts_more_than_the_body() -> None:
    assert failures.retry_after_s({"retry-after": "3"}, {"details": [{"retryDelay": "37s"}]}) == 3.0


@pytest.mark.parametrize("error", [None, "slow", {"details": {"retryDelay": "1s"}}, {"details": 1}])
def test_body_of_another_shape_says_nothing(error: Any) -> None:
    assert failures.retry_after_s({}, error) is None
