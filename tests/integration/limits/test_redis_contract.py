"""The limiter in a real Redis does what the contract of limiters says."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from acm_workers.limits.redis import RedisLimiter
from tests.support import redis_server, shared_limits
from tests.support.limiter_contract import Contract
from tests.support.limiter_waiting import WaitingContract
from tests.support.limiters import Make
from tests.support.shared_limits import participant


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    """Yield the URL of a Redis that runs as long as these tests."""
    with redis_server.running() as url:
        yield url


class TestRedisLimiter(Contract, WaitingContract):
    @pytest.fixture
    def make(self, redis: str) -> Iterator[Make]:
        """Yield what makes a limiter with the given limits, in a deployment of its own."""
        with ExitStack() as stack:

            def make(**limits: object) -> RedisLimiter:
                made = shared_limits.limiter(redis, participant(), **limits)
                return stack.enter_context(closing(made))

            yield make
