"""Limits recover from a loss before a permit is needed, if a process is there to notice it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis

from acm_workers.errors import Cancelled
from acm_workers.limits import factory
from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_session import RECOVERY_S, DeploymentProcess
from tests.support import cluster, redis_server, shared_limits
from tests.support.project import wait_until
from tests.support.redis_server import Server
from tests.support.shared_limits import participant


@pytest.fixture
def server() -> Iterator[Server]:
    """Yield a Redis that the test may kill."""
    with redis_server.own() as own:
        yield own


def member(server: Server, process: DeploymentProcess) -> "closing[RedisLimiter]":
    return closing(shared_limits.limiter(server.url, process))


def known_since(server: Server, process: DeploymentProcess) -> float:
    """Return since when Redis knows alpha, by its clock; 0 if it does not."""
    with redis.Redis.from_url(server.url) as client:
        found: Any = client.hget(f"{process.key('alpha')}:state:", "epoch")
    return float(found.decode().partition("/")[2]) if found else 0.0


def is_over(server: Server, time: float) -> bool:
    with redis.Redis.from_url(server.url) as client:
        now: tuple[int, int] = client.time()
    return now[0] > time


def test_who_comes_after_limits_have_recovered_does_not_wait(server: Server) -> None:
    later = participant(recovery_s=RECOVERY_S)
    factory.prepare(server.url, ["alpha"], prefix=later.prefix)
    recovered_at = known_since(server, later) + RECOVERY_S
    wait_until(lambda: is_over(server, recovered_at))

    with member(server, later) as limiter:
        permit = limiter.reserve("alpha", "m", 1)

    assert permit.reason is None
    assert recovered_at <= permit.start_at


def test_what_redis_knows_is_left_alone_by_who_prepares_limits(server: Server) -> None:
    here = participant(recovery_s=0.0)
    with member(server, here) as limiter:
        limiter.reserve("alpha", "m", 1)
        before = known_since(server, here)

        factory.prepare(server.url, ["alpha"], prefix=here.prefix)

        assert known_since(server, here) == before
        assert limiter.reserve("alpha", "m", 1).reason is None


def test_who_has_nothing_to_do_sees_that_redis_was_restarted(server: Server) -> None:
    here = participant()
    with member(server, here) as limiter:
        with pytest.raises(Cancelled), limiter.acquire("alpha", "m", 1, stop=lambda: True):
            pass
        wait_until(lambda: known_since(server, here))

        server.kill()
        server.start()

        wait_until(lambda: known_since(server, here))


def test_a_worker_prepares_the_limits_of_what_it_serves_before_there_is_a_run(
    server: Server, postgres: str, tmp_path: Path
) -> None:
    with cluster.on(server.url, postgres, tmp_path, "acm_prepared") as machines:
        machines.start("generate.alpha", "judge.alpha", "poll.alpha")
        here = DeploymentProcess(machines.env["ACM_KEY_PREFIX"].rstrip(":"), "")

        wait_until(lambda: known_since(server, here))

    assert factory.states(server.url, prefix=here.prefix) == {}
