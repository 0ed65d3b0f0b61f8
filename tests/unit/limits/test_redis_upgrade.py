"""A Redis that holds the state of version 0.1.0 of this program."""

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

import fakeredis
import pytest

from tests.support import fake_redis
from tests.support.shared_limits import participant

_LIMITS = {"interval_s": 1.0, "places": 1, "delay_s": 0, "shown": {"max_in_flight": 1}}


@pytest.fixture
def now() -> Iterator[float]:
    """Yield the time at which the Redis stands still: its entries expire after a second or two."""
    with fake_redis.clock() as clock:
        yield clock.now


def test_permits_of_processes_that_run_the_old_version_count(now: float) -> None:
    server, process = fakeredis.FakeServer(), participant()
    key, limits = process.key("alpha"), {"whole": _LIMITS, "models": {}, "keep_s": 0.25}
    with closing(fakeredis.FakeRedis(server=server)) as client:
        client.sadd(process.names_key, "alpha")
        state: dict[Any, Any] = {"epoch": "fake/900.0", "limits": json.dumps(limits), "last": now}
        client.hset(f"{key}:state:", mapping=state)
        client.zadd(f"{key}:leases:", {"old:1": now + 20})
        client.hset(f"{key}:line:", "old", f"{now} {now + 2} 3 in_flight")
        client.hset(f"{key}:line:", "another", f"{now} {now - 1} 3 requests")

    make = partial(fake_redis.limiter, server, requests_per_minute=60)
    assert fake_redis.script(server).state(key) is None
    with closing(make(process, max_in_flight=1)) as full:
        assert not full.reserve("alpha", "m", 1).granted
        assert full.state("alpha")["by_owner"] == {"old": 1}
        assert full.state("alpha")["waiting"] == 3
    with closing(make(participant(process.prefix), max_in_flight=8)) as free:
        assert free.reserve("alpha", "m", 1).reason == "requests"
