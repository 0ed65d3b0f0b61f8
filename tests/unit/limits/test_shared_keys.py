"""Tenants that use the same API key keep to its limits together, and each to its own."""

import itertools
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from typing import Any

import fakeredis
import pytest

from acm_workers.limits.quota import WINDOW_S, interval_s
from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_session import HORIZON_S, PermitRequest, RedisSession
from acm_workers.limits.shared_keys import Rates, shared_keys
from schemas.config.provider import Provider
from tests.support import fake_redis
from tests.support.fake_redis import Clock
from tests.support.shared_limits import participant

_NOW = 1000.0
_numbers = itertools.count(1)


def provider(**given: Any) -> Provider:
    usual = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1", "max_in_flight": 99}
    return Provider.model_validate(usual | given)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """Yield the clock of the Redis in this process."""
    with fake_redis.clock() as clock:
        clock.now = _NOW
        yield clock


@pytest.fixture
def tenants(clock: Clock) -> Iterator[Any]:
    """Yield a function that returns the limiters of two processes, and their Redis."""
    with ExitStack() as stack:

        def make(own: Mapping[str, Provider]) -> tuple[list[RedisLimiter], fakeredis.FakeServer]:
            server, process = fakeredis.FakeServer(), participant()
            made = []
            for one in (process, participant(process.prefix)):
                limiter = RedisLimiter({}, fake_redis.script(server), one)
                limiter.configure(own)
                made.append(stack.enter_context(closing(limiter)))
            return made, server

        yield make


def starts(limiters: list[RedisLimiter], *names: str, tokens: int = 1) -> list[float]:
    """Return when permits start that processes take in turn."""
    return [
        limiters[number % len(limiters)].reserve(name, "m", tokens).start_at - _NOW
        for number, name in enumerate(names)
    ]


def test_tenants_that_state_the_same_limit_of_a_key_keep_to_it_together(tenants: Any) -> None:
    own = {"T1/a": provider(requests_per_minute=60), "T2/b": provider(requests_per_minute=60)}
    limiters, _ = tenants(own)

    found = starts(limiters, "T1/a", "T2/b", "T2/b", "T1/a")

    assert found == pytest.approx([number * interval_s(60) for number in range(4)], abs=1e-4)


def test_a_low_limit_of_one_tenant_delays_no_other(clock: Clock) -> None:
    own = {"T1/a": provider(requests_per_minute=120), "a": provider(requests_per_minute=6000)}
    server, process, shared = fakeredis.FakeServer(), participant(), shared_keys(own)

    def granted(name: str) -> bool:
        number = next(_numbers)
        reply = sessions[name].exchange([PermitRequest(number, "m", 1, 0.0)], HORIZON_S, waiting=1)
        return reply.permits[0].granted and reply.permits[0].starts <= time.monotonic()

    sessions = {
        name: RedisSession(
            name, one, fake_redis.script(server), process, threading.Condition(), shared[name]
        )
        for name, one in own.items()
    }
    begun = granted("T1/a")
    clock.now += 0.2
    # Its next start is 0.3 s away, which is near enough to be granted where nobody shares a key.
    waits = not granted("T1/a")
    others = []
    for _ in range(10):
        others.append(granted("a"))
        clock.now += interval_s(6000)

    assert begun
    assert waits
    assert others == [True] * 10


def test_slots_and_pauses_are_those_of_each_tenant(tenants: Any) -> None:
    limiters, _ = tenants({name: provider(max_in_flight=1) for name in ("T1/a", "T2/a")})
    first, second = limiters
    first.pause("T2/a", "no money")

    assert first.reserve("T1/a", "m", 1).granted
    assert not second.reserve("T1/a", "m", 1).granted
    second.resume("T2/a")
    assert second.reserve("T2/a", "m", 1).granted


def test_tokens_of_a_key_are_counted_for_all_its_tenants_and_after_a_loss_of_redis(
    tenants: Any, clock: Clock
) -> None:
    limits = {"tokens_per_minute": 1000, "models": {"m": {"tokens_per_minute": 1000}}}
    limiters, server = tenants({name: provider(**limits) for name in ("T1/a", "T2/a")})
    first, second = limiters
    used = first.reserve("T1/a", "m", 900)

    waits = second.reserve("T2/a", "m", 900)
    first.settle(used, 50)
    first.state("T1/a")  # sends what is new
    clock.now += 1.0  # else the new epoch has the name of the old one
    with closing(fakeredis.FakeRedis(server=server)) as client:
        client.flushall()
    first.state("T1/a")
    second.state("T2/a")
    after = first.reserve("T2/a", "m", 900)

    assert waits.start_at - _NOW == pytest.approx(WINDOW_S, abs=1e-4)
    assert waits.reason == "tokens"
    assert after.start_at == pytest.approx(waits.start_at + WINDOW_S, abs=1e-4)


def test_only_providers_of_one_address_and_key_share_it() -> None:
    alone = {
        "a": provider(key_env="ONE_KEY"),
        "T1/a": provider(key_env="TWO_KEY"),
        "T2/a": provider(key_env="ONE_KEY", base_url="http://127.0.0.1:2/v1"),
        "b": provider(key_env="ONE_KEY"),
    }

    assert shared_keys(alone) == {}
    assert set(shared_keys(alone | {"T3/c": provider(key_env="TWO_KEY")})) == {"T1/a", "T3/c"}


def test_the_highest_rates_that_a_tenant_states_for_a_key_hold() -> None:
    models = {"m": {"requests_per_minute": 5}, "other": {"tokens_per_minute": 7}}
    found = shared_keys(
        {
            "T1/a": provider(requests_per_minute=60, tokens_per_minute=100, models=models),
            "T2/a": provider(requests_per_minute=40, models={"m": {"requests_per_minute": 9}}),
            "T2/b": provider(requests_per_minute=30, models={"m": {"requests_per_minute": 2}}),
        }
    )

    assert {one.total for one in found.values()} == {Rates(70, None)}
    assert [one.models for one in found.values()] == [{"m": Rates(11, None)}] * 3
    assert len({one.digest for one in found.values()}) == 1
