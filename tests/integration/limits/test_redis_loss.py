"""Limits in a Redis that is unavailable, forgets, or comes back as it was some time ago."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis as redis_client

from acm_workers.errors import LimitsUnavailable, NotFound, RequestError
from acm_workers.limits import factory
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_session import DeploymentProcess
from tests.support import redis_server, shared_limits
from tests.support.limiters import providers
from tests.support.project import PATIENCE_S, wait_until
from tests.support.redis_server import Server
from tests.support.shared_limits import participant


@pytest.fixture
def server() -> Iterator[Server]:
    """Yield a Redis that the test may kill."""
    with redis_server.own() as own:
        yield own


@pytest.fixture
def member(server: Server) -> Iterator[Callable[..., RedisLimiter]]:
    """Yield what makes the limiter of a process."""
    with contextlib.ExitStack() as stack:

        def make(process: DeploymentProcess, **limits: object) -> RedisLimiter:
            made = shared_limits.limiter(server.url, process, **limits)
            return stack.enter_context(contextlib.closing(made))

        yield make


Member = Callable[..., RedisLimiter]


def state(limiter: RedisLimiter) -> dict[str, Any]:
    """Return what a limiter knows, once it has noticed that its Redis is another one."""
    found: list[dict[str, Any]] = []

    def look() -> bool:
        with contextlib.suppress(LimitsUnavailable):
            found.append(limiter.state("alpha"))
        return bool(found)

    wait_until(look)
    return found[0]


def flush(server: Server) -> None:
    with redis_client.Redis.from_url(server.url) as client:
        client.flushall()


def in_flight(server: Server, prefix: str) -> int:
    """Return how many are in flight by what others can read; none if nothing is known."""
    states = factory.states(server.url, prefix=prefix)
    return int(states["alpha"]["in_flight"]) if "alpha" in states else 0


def test_slots_and_tokens_are_reported_again_to_a_redis_that_was_emptied(
    server: Server, member: Member
) -> None:
    here = participant()
    limits = {"max_in_flight": 2, "tokens_per_minute": 1000}
    one, other = member(here, **limits), member(participant(here.prefix), **limits)
    first = one.reserve("alpha", "m", 900)
    one.settle(first, 700)
    one.state("alpha")

    flush(server)
    one.reserve("alpha", "m", 100)
    refused, state = other.reserve("alpha", "m", 500), other.state("alpha")

    assert (refused.granted, refused.reason) == (False, "in_flight")
    assert (state["in_flight"], state["by_owner"]) == (2, {here.owner: 2})
    assert state["tokens_last_minute"] == 800


def test_a_process_that_starts_nothing_reports_its_slots_again_by_itself(
    server: Server, member: Member
) -> None:
    here = participant()
    limiter = member(here, max_in_flight=2)
    with limiter.acquire("alpha", "m", 1):
        flush(server)

        wait_until(lambda: in_flight(server, here.prefix) == 1)


def test_tokens_that_others_took_before_a_loss_still_count(server: Server, member: Member) -> None:
    here = participant()
    one, other = (
        member(where, tokens_per_minute=1000) for where in (here, participant(here.prefix))
    )
    first = one.reserve("alpha", "m", 900)
    one.release(first)

    flush(server)
    wait_until(lambda: one.state("alpha")["tokens_last_minute"] == 900)
    late = other.reserve("alpha", "m", 500)

    assert late.reason == "tokens"
    assert late.start_at - first.start_at > 59


def test_nothing_starts_after_a_loss_until_all_processes_had_time_to_report(
    server: Server, member: Member
) -> None:
    here = participant(recovery_s=300.0)
    one, other = member(here), member(participant(here.prefix, recovery_s=300.0))
    one.state("alpha")

    flush(server)
    permit = other.reserve("alpha", "m", 1)

    assert permit.reason == "recovery"
    assert 200 < one.state("alpha")["recovers_for_s"] <= 300
    assert one.state("alpha")["next_start_in_s"] > 200


def test_after_a_loss_an_unknown_start_is_assumed(server: Server, member: Member) -> None:
    limiter = member(participant(recovery_s=0.001), requests_per_minute=2)

    permit = limiter.reserve("alpha", "m", 1)

    assert permit.reason == "requests"
    assert limiter.state("alpha")["next_start_in_s"] > 31


def test_a_copy_of_some_time_ago_is_known_for_what_it_is(server: Server, member: Member) -> None:
    here = participant(recovery_s=0.0)
    limiter = member(here)
    limiter.state("alpha")
    with redis_client.Redis.from_url(server.url) as client:
        copies = {key: client.dump(key) for key in client.scan_iter()}
        permit = limiter.reserve("alpha", "m", 1)
        server.kill()
        server.start()
        with client.pipeline() as all_at_once:
            for key, copied in copies.items():
                all_at_once.restore(key, 0, copied, replace=True)
            all_at_once.execute()

    careful = member(participant(here.prefix, recovery_s=30.0))
    refused = careful.reserve("alpha", "m", 1)

    assert permit.granted
    assert refused.reason == "recovery"
    assert state(limiter)["in_flight"] == 2


def test_callers_wait_while_redis_is_away_and_go_on(server: Server, member: Member) -> None:
    limiter = member(participant(), max_in_flight=1)
    looks, waited_s = list[None](), list[float]()

    def is_stopped() -> bool:
        looks.append(None)
        return False

    def work() -> None:
        with limiter.acquire("alpha", "m", 1, is_stopped) as permit:
            waited_s.append(permit.waited_s)

    with limiter.acquire("alpha", "m", 1):
        server.kill()
        waiting = threading.Thread(target=work)
        waiting.start()
    limiter.penalise("alpha", 0.01)
    wait_until(lambda: len(looks) >= 3)  # a second or two, in which it is asked in vain
    assert waited_s == []
    server.start()

    waiting.join(PATIENCE_S)
    assert waited_s[0] > 0
    wait_until(lambda: limiter.state("alpha")["in_flight"] == 0)


def test_a_redis_that_stays_away_is_named_in_one_line(server: Server, member: Member) -> None:
    server.kill()
    limiter = member(participant(max_outage_s=0.3))

    with pytest.raises(LimitsUnavailable) as caught, limiter.acquire("alpha", "m", 1):
        pass

    assert f"127.0.0.1:{server.port}" in str(caught.value)
    assert "out of reach" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(LimitsUnavailable):
        limiter.state("alpha")
    with pytest.raises(LimitsUnavailable):
        factory.states(server.url)


def test_a_pause_and_a_penalty_reach_the_other_processes(server: Server, member: Member) -> None:
    here = participant()
    one, other = member(here), member(participant(here.prefix))

    one.penalise("alpha", 300)
    one.pause("alpha", "no money left")
    wait_until(lambda: other.state("alpha")["paused"] == "no money left")
    other.resume("alpha")
    wait_until(lambda: one.state("alpha")["paused"] is None)

    assert 200 < other.state("alpha")["held_for_s"] <= 300
    assert one.state("beta")["held_for_s"] == 0


def test_a_slot_that_is_freed_goes_to_a_thread_that_waits_in_another_process(
    server: Server, member: Member
) -> None:
    here = participant()
    one, other = member(here, max_in_flight=1), member(participant(here.prefix), max_in_flight=1)
    got = threading.Event()

    def work() -> None:
        with other.acquire("alpha", "m", 1):
            got.set()

    with one.acquire("alpha", "m", 1):
        waiting = threading.Thread(target=work)
        waiting.start()
        wait_until(lambda: one.state("alpha")["waiting"] == 1)
        assert one.state("alpha")["waiting_for"] == "in_flight"

    assert got.wait(PATIENCE_S)
    waiting.join()


def test_states_can_be_read_without_a_limiter(server: Server, member: Member) -> None:
    here = participant()
    limiter = member(here, requests_per_minute=600, models={"own": {"max_in_flight": 3}})
    limiter.reserve("alpha", "own", 1)

    states = factory.states(server.url, prefix=here.prefix)

    mine = limiter.state("alpha")
    changing = {"next_start_in_s", "models"}
    assert {key: mine[key] for key in mine.keys() - changing} == {
        key: states["alpha"][key] for key in states["alpha"].keys() - changing
    }
    assert states["alpha"]["by_owner"] == {here.owner: 1}
    assert states["alpha"]["models"]["own"]["max_in_flight"] == 3
    assert factory.states(server.url, prefix="another") == {}


def test_deployments_that_share_a_redis_do_not_share_limits(server: Server, member: Member) -> None:
    one, other = member(participant(), max_in_flight=1), member(participant(), max_in_flight=1)

    permits = [limiter.reserve("alpha", "m", 1) for limiter in (one, other)]

    assert [permit.granted for permit in permits] == [True, True]


def test_more_calls_need_no_more_keys(server: Server, member: Member) -> None:
    limiter = member(participant(), max_in_flight=4, tokens_per_minute=10_000_000)
    keys = []
    with redis_client.Redis.from_url(server.url) as client:
        for number in (20, 100):
            for _ in range(number):
                with limiter.acquire("alpha", "m", 5):
                    pass
            limiter.state("alpha")
            keys.append(sorted(client.scan_iter()))

    assert keys[0] == keys[1]


@pytest.mark.parametrize("url", ["amqp://host", "redis", "http://host/0"])
def test_limits_are_shared_in_redis_and_nowhere_else(url: str) -> None:
    with pytest.raises(RequestError, match="redis://HOST"):
        factory.limiter(providers(), url)


def test_without_a_redis_limits_are_those_of_this_process() -> None:
    assert isinstance(factory.limiter(providers()), MemoryLimiter)


def test_nothing_connects_before_the_first_permit() -> None:
    limiter = factory.limiter(providers(), "redis://127.0.0.1:1/0", owner="me")

    with pytest.raises(NotFound):
        limiter.reserve("gamma", "m", 1)
    limiter.configure(providers(max_in_flight=3))
    limiter.close()
