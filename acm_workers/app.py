"""The Celery apps: one factory for each kind of broker, every setting with its reason.

The queues that a Worker consumes are a property of its app, so each Worker of a process has a
separate app; all of them share tasks through ``shared_task`` and explicit names.

``celery -A acm_workers.app worker`` uses the attribute ``app``, the app for several machines.
"""

import base64
import json
from functools import lru_cache
from typing import Any

import structlog
from celery import Celery
from kombu.transport import TRANSPORT_ALIASES, memory, redis

from acm_workers import broker
from acm_workers.settings import Settings

EMBEDDED_BROKER = "memory://localhost//"
EMBEDDED_RESULTS = "acm_workers.chord_backend:MemoryChordBackend"
_SHARED_RESULTS = "acm_workers.chord_backend:RedisChordBackend"
_LONGEST_WAIT_S = 0.1
_TASKS = ["acm_workers.tasks"]
_OTHER_QUEUES = ("celeryev", "celery.pidbox")
"""Parts of the names of Celery's own queues, which contain events and commands."""

log = structlog.get_logger()


class Broker(memory.Transport):
    """An in-memory broker whose workers stop promptly.

    A worker checks for a stop request only between two waits for messages, of 2 s each.
    """

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> Any:
        """Wait for messages with a short timeout."""
        return super().drain_events(connection, timeout=_LONGEST_WAIT_S, **kwargs)


class _RedisChannel(redis.Channel):
    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # not in the stubs
        except (json.JSONDecodeError, UnicodeDecodeError):
            log.warning("a message that is not JSON was dropped")
            return True


class RedisBroker(redis.Transport):
    """A Redis broker that ignores messages of other programs.

    Celery ends a Worker when it cannot read a message. The sweep sends lost messages again.
    """

    Channel = _RedisChannel

    def _deliver(self, message: Any, queue: str | None) -> None:
        if any(name in (queue or "") for name in _OTHER_QUEUES) or is_task(message):
            super()._deliver(message, queue)
        else:
            log.warning("a message that is no task was dropped", queue=queue)


def is_task(message: Any) -> bool:
    """Return whether a message of Redis has the form in which Celery sends tasks."""
    try:
        headers, properties = message["headers"], message["properties"]
        names = (headers["task"], headers["id"], properties["delivery_tag"])
        body = json.loads(base64.b64decode(message["body"], validate=True))
        args, kwargs, embed = body
    except (KeyError, TypeError, ValueError, RecursionError):
        return False
    found = (*names, args, kwargs, embed, properties.get("delivery_info"))
    wanted = (str, str, str, list, dict, dict, dict)
    return message.get("content-type") == "application/json" and all(map(isinstance, found, wanted))


def embedded(name: str) -> Celery:
    """Return an app whose broker and results are in this process's memory."""
    app = Celery(name, broker=EMBEDDED_BROKER, backend=EMBEDDED_RESULTS, set_as_current=False)
    app.conf.update(
        _everywhere(),
        include=_TASKS,
        # The next message waits at the threads already when one of them becomes free.
        worker_prefetch_multiplier=2,
        # Nobody sends commands to a Worker within this process.
        worker_enable_remote_control=False,
        broker_transport="acm_workers.app:Broker",
        # The default of 1 s allows 16 tasks a second instead of thousands; each look costs CPU.
        broker_transport_options={"polling_interval": 0.02},
    )
    return app


def shared(name: str) -> Celery:
    """Return an app whose broker is the Redis that the environment names, without connecting."""
    settings = Settings()
    # By the scheme of the URL, for Flower and Celery read its name where they choose what to do.
    TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "acm_workers.app:RedisBroker"))
    app = Celery(name, broker=settings.broker_url, backend=_SHARED_RESULTS, set_as_current=False)
    app.conf.update(
        _everywhere(),
        include=_TASKS,
        # A message that waits at a busy Worker is one that an idle Worker cannot take.
        worker_prefetch_multiplier=1,
        # Never off: without its socket a Worker does not notice that Redis was restarted, and
        # consumes nothing for ever.
        worker_enable_remote_control=True,
        # Redis may be away for hours: Workers wait for it, at their start as well.
        broker_connection_retry=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            # A Worker of another deployment would take our messages and drop them.
            "global_keyprefix": settings.key_prefix,
            "priority_steps": list(broker.PRIORITIES),
            # Redis keeps no copy of what a Worker holds: that takes two round trips a message, and
            # the sweep sends again what died with its Worker.
            "ack_emulation": False,
            # A half-open connection is noticed, and a Redis that hangs does not hang us.
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            # Every thread may publish at the same time.
            "max_connections": 1100,
        },
        # A publisher that cannot send says so soon: the sweep sends the message from the store.
        task_publish_retry_policy={
            "max_retries": 2,
            "interval_start": 0.1,
            "interval_step": 0.2,
            "interval_max": 0.3,
        },
    )
    return app


@lru_cache(maxsize=1)
def distributed() -> Celery:
    """Return the app through which this process publishes to the workers of all machines.

    ``celery -A acm_workers.app worker`` runs this app as a Worker as well.
    """
    app = shared("acm")
    app.conf.include = [*_TASKS, "acm_workers.engine.worker_signals"]
    # Chords are published from threads of Workers too, which know only the default app.
    app.set_default()
    return app


def _everywhere() -> dict[str, Any]:
    return {
        # Messages hold ids, and nothing that could be executed.
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        # A message is acknowledged when its result is saved: a dead worker's come back.
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        # Results exist only for the counting of chords; chord headers switch them on.
        "task_ignore_result": True,
        "result_expires": 3600,
        # Events cost a third of the speed; our own counts come from the store.
        "worker_send_task_events": False,
        "task_send_sent_event": False,
        # Without this, what the command line prints would disappear into the log.
        "worker_redirect_stdouts": False,
        "worker_hijack_root_logger": False,
        "broker_connection_retry_on_startup": True,
        "task_create_missing_queues": True,
        "task_default_queue": broker.CONTROL,
    }


def __getattr__(name: str) -> Celery:
    """Return the app that ``celery -A acm_workers.app`` looks for; created on first use."""
    if name == "app":
        return distributed()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
