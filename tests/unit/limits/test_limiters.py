"""Every limiter does what the contract of limiters says: in memory, and in a Redis with Lua."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import fakeredis
import pytest

from acm_workers.limits.memory import MemoryLimiter
from acm_workers.limits.redis import RedisLimiter
from tests.support import fake_redis
from tests.support.limiter_contract import Contract
from tests.support.limiter_waiting import WaitingContract
from tests.support.limiters import Make, providers


class TestMemoryLimiter(Contract, WaitingContract):
    @pytest.fixture
    def make(self) -> Make:
        """Return what makes a limiter with the given limits."""
        return lambda **limits: MemoryLimiter(providers(**limits))


class TestRedisLimiter(Contract, WaitingContract):
    @pytest.fixture
    def make(self) -> Iterator[Make]:
        """Yield what makes a limiter with the given limits, in a deployment of its own."""
        server = fakeredis.FakeServer()
        with ExitStack() as stack:

            def make(**limits: Any) -> RedisLimiter:
                return stack.enter_context(closing(fake_redis.limiter(server, **limits)))

            yield make
