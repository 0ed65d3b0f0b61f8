"""A Redis inside the test process, with Lua: the limits in it behave as in a real one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import fakeredis
import pytest
from fakeredis import FakeRedisConnection
from fakeredis.commands_mixins import server_mixin

from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_script import RedisScriptClient
from acm_workers.limits.redis_session import DeploymentProcess
from tests.support.limiters import providers
from tests.support.shared_limits import participant


class Clock:
    """A clock that stands still unless moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


@contextmanager
def clock() -> Iterator[Clock]:
    """Yield the clock that every Redis in this process shows meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        made = Clock()
        patch.setattr(server_mixin, "time", made)
        yield made


class _Connection(FakeRedisConnection):
    """Answers INFO, which fakeredis does not know, with the name of a server."""

    _asks_info = False

    def send_command(self, *args: Any, **options: Any) -> None:
        self._asks_info = args[0] == "INFO"
        if not self._asks_info:
            super().send_command(*args, **options)  # type: ignore[no-untyped-call]

    def read_response(self, *args: Any, **options: Any) -> Any:
        if self._asks_info:
            self._asks_info = False
            return b"run_id:fake"
        return super().read_response(*args, **options)


def script(server: fakeredis.FakeServer) -> RedisScriptClient:
    """Return a client of ``server``."""
    connect = partial(fakeredis.FakeRedis.from_url, server=server, connection_class=_Connection)
    return RedisScriptClient("redis://localhost", connect)


def limiter(
    server: fakeredis.FakeServer, process: DeploymentProcess | None = None, **limits: Any
) -> RedisLimiter:
    """Return the limiter of a process, with the limits that are given by name.

    Args:
        process: One in a deployment of its own unless given.
    """
    return RedisLimiter(providers(**limits), script(server), process or participant())
