"""The limiter in Redis does what every limiter must do, alone and among many threads."""

from collections.abc import Iterator

import pytest

from acm_workers.limits.shared import RedisLimiter
from tests.support import redis_server
from tests.support.limiter_contract import Contract
from tests.support.limiter_waiting import WaitingContract
from tests.support.limiters import Make, providers
from tests.support.shared_limits import place


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    """Yield the URL of a Redis that runs as long as these tests."""
    with redis_server.running() as url:
        yield url


class TestRedisLimiter(Contract, WaitingContract):
    @pytest.fixture
    def make(self, redis: str) -> Iterator[Make]:
        """Yield what makes a limiter with the given limits, in a deployment of its own."""
        made: list[RedisLimiter] = []

        def make(**limits: object) -> RedisLimiter:
            made.append(RedisLimiter(providers(**limits), redis, place()))
            return made[-1]

        yield make
        for limiter in made:
            limiter.close()
