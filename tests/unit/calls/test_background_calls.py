"""When answers in the background are looked for."""

from datetime import timedelta

import pytest

from acm_workers.calls import background_calls, polling
from schemas.calls import Call
from schemas.config.provider import Provider
from tests.support import stored
from tests.support.stored import NOW, at

CALL = Call(
    id="c", run_id="r", document_id="d", unit_id="u", unit_kind="artifact", stage="main",
    attempt=1, provider="alpha", model="m1", digest="d", iteration=1, state="started",
    started_at=NOW, owner="me", response_id="resp_1",
)  # fmt: skip


def provider(**changes: object) -> Provider:
    given = {"dialect": "openai", "base_url": "http://127.0.0.1:1/v1", "timeout_seconds": 3600.0}
    return Provider.model_validate(given | changes)


def pause_s(passed_s: float, retry_after_s: float = 0.0, **changes: object) -> float:
    now = at(passed_s)
    return (
        background_calls.next_poll(CALL, provider(**changes), now, retry_after_s) - now
    ).total_seconds()


@pytest.mark.parametrize(
    ("passed_s", "usual_s"), [(0, 10), (200, 10), (400, 20), (1200, 60), (3000, 60)]
)
def test_pauses_grow_with_the_time_that_an_answer_takes(passed_s: float, usual_s: float) -> None:
    found = pause_s(passed_s)

    assert usual_s <= found <= 1.1 * usual_s


def test_looks_begin_as_often_as_the_config_says() -> None:
    assert 0.2 <= pause_s(0, poll_seconds=0.2) <= 0.22


def test_a_provider_that_asks_to_wait_is_waited_for() -> None:
    assert pause_s(0, retry_after_s=300) == 300


def test_the_deadline_is_never_slept_through() -> None:
    assert pause_s(0, timeout_seconds=4.0) == 4
    assert pause_s(0, retry_after_s=9000) == 3600


def test_after_the_deadline_an_answer_is_looked_for_until_it_is_given_up() -> None:
    there = provider(timeout_seconds=100.0, poll_seconds=5.0)

    overdue = [
        background_calls.is_overdue(CALL, there, at(seconds)) for seconds in (0, 99.9, 100, 500)
    ]
    given_up = [
        background_calls.is_given_up(CALL, there, at(seconds)) for seconds in (100, 219, 220)
    ]

    assert overdue == [False, False, True, True]
    assert given_up == [False, False, True]
    assert background_calls.next_poll(CALL, there, at(101)) >= at(106)


def test_looking_takes_no_longer_than_its_requests_need() -> None:
    assert polling.short_timeout(provider()).timeout_seconds == 30
    assert polling.short_timeout(provider(timeout_seconds=4.0)).timeout_seconds == 4


def test_providers_that_answer_in_the_background_are_those_of_models_that_are_used() -> None:
    place = {"dialect": "openai", "base_url": "http://127.0.0.1:1/v1"}
    given = stored.config(
        providers={
            "alpha": place,
            "beta": {**place, "capabilities": {"slow*": {"background": True}}},
            "gamma": {**place, "background": True},
            "delta": {**place, "background": True},
        },
        runs=[
            {"type": "fpf", "provider": "alpha", "model": "m1"},
            {"type": "fpf", "provider": "beta", "model": "slow-1"},
        ],
        judges=[
            {"name": "j1", "provider": "alpha", "model": "m1"},
            {"name": "j2", "provider": "gamma", "model": "m1"},
            {"name": "j3", "provider": "delta", "model": "m1", "weight": 0},
        ],
    )

    assert background_calls.providers(given) == {"beta", "gamma"}


def test_a_pause_is_measured_in_utc() -> None:
    assert background_calls.next_poll(CALL, provider(), NOW).utcoffset() == timedelta()
