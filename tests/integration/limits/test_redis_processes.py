"""Processes that share limits in Redis: never too much together, and none left out."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import redis as redis_client
from ulid import ULID

from acm_workers.errors import AcmError
from acm_workers.limits import factory, quota
from acm_workers.limits.redis_session import RECOVERY_S
from tests.support import redis_server
from tests.support.project import wait_until
from tests.support.redis_server import Server
from tests.support.shared_limits import Taken, fleet, most_at_once

_RPM = 6000
_INTERVAL_S = quota.interval_s(_RPM)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Yield a Redis that these tests may kill."""
    with redis_server.own() as own:
        yield own


@pytest.fixture
def prefix() -> str:
    return f"test-{ULID()}"


def started(server: Server, prefix: str, *names: str) -> int:
    """Return how many permits Redis has granted, of alpha unless named; 0 if it is unavailable."""
    try:
        states = factory.states(server.url, prefix=prefix)
    except AcmError:
        return 0
    return sum(int(states[one]["started"]) for one in names or ("alpha",) if one in states)


def assert_spaced(taken: Sequence[Taken]) -> None:
    """Fail if any stretch of time holds more starts than the limit allows.

    A start may come up to ``LATE_S`` after it was due, and delays none behind it; that is
    what 99 % of the rate leave room for in 60 s.
    """
    dues = [one.start_at - number * _INTERVAL_S for number, one in enumerate(taken)]
    latest = dues[0]
    for due in dues:
        latest = max(latest, due)
        assert due >= latest - quota.LATE_S - 1e-3


def test_processes_keep_to_a_rate_together_and_use_it(server: Server, prefix: str) -> None:
    limits: dict[str, Any] = {"requests_per_minute": _RPM, "max_in_flight": 64}
    with fleet(server.url, prefix, members=4, threads=16, work_s=0.05, **limits) as processes:
        wait_until(lambda: started(server, prefix) >= 400)
        taken = processes.stop()

    assert len(taken) >= 400
    assert_spaced(taken)
    span_s = taken[-1].start_at - taken[0].start_at
    # A process that stands still for a while leaves its share unused.
    assert len(taken) * _INTERVAL_S >= 0.3 * span_s


def test_tenants_keep_to_the_rate_of_their_key_together_and_use_it(
    server: Server, prefix: str
) -> None:
    names, limits = ("T1/alpha", "T2/alpha"), {"requests_per_minute": _RPM, "max_in_flight": 64}
    with fleet(
        server.url, prefix, members=4, threads=8, work_s=0.05, names=names, **limits
    ) as processes:
        wait_until(lambda: started(server, prefix, *names) >= 400)
        taken = processes.stop()

    shares = Counter(one.name for one in taken)
    assert_spaced(taken)
    assert min(shares[name] for name in names) >= 0.2 * len(taken)
    span_s = taken[-1].start_at - taken[0].start_at
    assert len(taken) * _INTERVAL_S >= 0.3 * span_s


def test_processes_keep_to_their_slots_together_and_none_is_left_out(
    server: Server, prefix: str
) -> None:
    with fleet(server.url, prefix, members=4, threads=8, work_s=0.02, max_in_flight=5) as processes:
        wait_until(lambda: started(server, prefix) >= 1500)
        taken = processes.stop()

    shares = Counter(one.owner for one in taken)
    assert most_at_once(taken) == 5
    assert len(shares) == 4
    assert min(shares.values()) >= 0.1 * len(taken)


def test_slots_of_a_killed_process_expire(server: Server, prefix: str) -> None:
    with fleet(server.url, prefix, members=2, threads=4, work_s=0.2, max_in_flight=4) as processes:
        wait_until(lambda: started(server, prefix) >= 20)
        processes.members[0].kill()
        processes.members[0].wait()
        # A process that died in the queue keeps a slot from the others until its entry expires.
        wait_until(lambda: list(_owners(server, prefix).values()) == [4])
        freed_at = started(server, prefix)
        wait_until(lambda: started(server, prefix) >= freed_at + 20)
        taken = processes.stop()

    assert most_at_once(taken) == 4
    assert len({one.owner for one in taken}) == 1


@pytest.mark.parametrize("loss", ["flush", "restart"])
def test_nothing_is_passed_although_redis_forgets_everything(
    server: Server, prefix: str, loss: str
) -> None:
    # A process that stands still for some seconds reports what it holds before others go on.
    limits: dict[str, Any] = {
        "requests_per_minute": _RPM,
        "max_in_flight": 12,
        "recovery_s": 2 * RECOVERY_S,
    }
    with fleet(server.url, prefix, members=4, threads=8, work_s=0.1, **limits) as processes:
        wait_until(lambda: started(server, prefix) >= 200)
        lost_at = time.monotonic()
        if loss == "flush":
            with redis_client.Redis.from_url(server.url) as client:
                client.flushall()
        else:
            server.kill()
            server.start()
        wait_until(lambda: started(server, prefix) >= 200)
        taken = processes.stop()

    before = sum(one.began < lost_at for one in taken)
    assert before >= 150
    assert len(taken) - before >= 150
    assert len({one.owner for one in taken}) == 4
    assert most_at_once(taken) <= 12
    assert_spaced(taken)


def _owners(server: Server, prefix: str) -> dict[str, int]:
    found: dict[str, int] = factory.states(server.url, prefix=prefix)["alpha"]["by_owner"]
    return found
