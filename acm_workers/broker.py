"""The broker: names of queues, the connection to Redis, and numbers of waiting messages."""

from collections.abc import Iterable
from functools import lru_cache

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError
from redis.retry import Retry
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from acm_workers.errors import BrokerFailed, BrokerRefused, RequestError
from acm_workers.settings import Settings

CONTROL = "control"

PRIORITIES = (0, 3, 6, 9)
"""Priorities of messages, the first served first; kombu's Redis transport has a list for each."""

_SCHEMES = ("redis://", "rediss://")
_ANSWERS_WITHIN_S = 3.0
_REFUSALS = (AuthenticationError, NoPermissionError)
_NO_PASSWORD = ("HELLO must be called", "Authentication required")
_NO_SUCH_NUMBER = "DB index is out of range"


def check(settings: Settings) -> None:
    """Check that work can be given to workers on other machines.

    Raises:
        RequestError: A URL is not one of Redis, or the store is a file of this machine.
        BrokerFailed: The broker does not respond; a ``BrokerRefused`` if it rejects the login.
    """
    check_urls(settings)
    try:
        client(settings).ping()
    except RedisError as error:
        raise _failed(settings, error) from error


def check_urls(settings: Settings) -> None:
    """Check that the URLs of broker and store suit several machines, without connecting.

    Raises:
        RequestError: One of the URLs is not suitable.
    """
    client(settings)
    if settings.database_url is None or _is_sqlite(settings.store_url):
        raise RequestError(
            "ACM_BROKER_URL needs a store that all machines reach, and SQLite is one machine's:"
            " set ACM_DATABASE_URL to a postgresql:// URL, or unset ACM_BROKER_URL to work here"
        )


def place(settings: Settings) -> str:
    """Return the address of the broker, without its password."""
    return (settings.broker_url or "").partition("?")[0].rpartition("@")[2].rpartition("//")[2]


def backlog(settings: Settings, queues: Iterable[str]) -> dict[str, int]:
    """Return the number of messages in each of ``queues`` that no worker has received.

    Raises:
        RequestError: The URL is not one of Redis.
        BrokerFailed: The broker does not answer.
    """
    names = list(queues)
    try:
        with client(settings).pipeline(transaction=False) as pipeline:
            for name in names:
                for priority in PRIORITIES:
                    pipeline.llen(settings.key_prefix + _list(name, priority))
            lengths = pipeline.execute()
    except RedisError as error:
        raise _failed(settings, error) from error
    step = len(PRIORITIES)
    return {name: sum(lengths[at * step : (at + 1) * step]) for at, name in enumerate(names)}


@lru_cache(maxsize=4)
def client(settings: Settings) -> Redis:
    """Return the Redis client of this process, with a timeout of a few seconds.

    Raises:
        RequestError: The URL is not one of Redis.
    """
    url = settings.broker_url or ""
    if not url.startswith(_SCHEMES):
        raise RequestError("ACM_BROKER_URL must begin with redis:// or rediss://")
    try:
        found: Redis = Redis.from_url(
            url,
            socket_timeout=_ANSWERS_WITHIN_S,
            socket_connect_timeout=_ANSWERS_WITHIN_S,
            # A connection that was idle while Redis restarted is dead: one more try gets a new one.
            retry=Retry(NoBackoff(), 1),
            max_connections=256,
        )
        pool = found.connection_pool
        pool.connection_class(**pool.connection_kwargs)  # knows all options; it connects later
    except (TypeError, ValueError) as error:  # what it says may be a part of the password
        raise RequestError(
            "ACM_BROKER_URL cannot be read: it is like redis://:PASSWORD@HOST:6379/0, with %2F for"
            " a / in the password"
        ) from error
    return found


def _list(queue: str, priority: int) -> str:
    return f"{queue}\x06\x16{priority}" if priority else queue


def _is_sqlite(url: str) -> bool:
    try:
        return make_url(url).get_backend_name() == "sqlite"
    except (ArgumentError, ValueError):
        return False  # what it is instead, the store says


def _failed(settings: Settings, error: Exception) -> BrokerFailed:
    said = str(error).rstrip(".")
    if isinstance(error, _REFUSALS) or _NO_SUCH_NUMBER in said:
        why = "it asks for a password" if said.startswith(_NO_PASSWORD) else said
        return BrokerRefused(f"the broker {place(settings)} refuses: {why}; mend ACM_BROKER_URL")
    return BrokerFailed(
        f"the broker {place(settings)} cannot be reached: {error};"
        " start Redis, or mend ACM_BROKER_URL"
    )
