"""Signal handlers that make ``celery -A acm_workers.app worker`` a worker process.

Imported only by the app of this command; see ``acm_workers.app.distributed``.
"""

import sys
from typing import Any

import structlog
from celery.signals import (
    after_setup_logger,
    worker_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from celery.utils.imports import qualname

from acm_workers import broker, logs
from acm_workers.engine.worker_process import WorkerProcess
from acm_workers.errors import AcmError, RequestError
from acm_workers.settings import Settings

log = structlog.get_logger()

_POOL = "celery.concurrency.thread"
_process: list[WorkerProcess] = []


@worker_init.connect
def _join(sender: Any, **_: Any) -> None:
    """Build the runtime of tasks, or exit with a one-line error message."""
    if __name__ not in sender.app.conf.include:
        return  # a hosted Worker in a process where this was imported
    try:
        if _POOL not in str(_pool(sender)):
            raise RequestError("workers are threads: start this one with `-P threads`")
        settings = Settings()
        broker.check(settings)
        queues = tuple(sender.app.amqp.queues.consume_from)
        _process[:] = [
            WorkerProcess(
                settings,
                sender.hostname,
                queues,
                sender.concurrency,
                serves_control=broker.CONTROL in queues,
            )
        ]
    except AcmError as error:
        print(f"acm: {error}", file=sys.stderr)  # noqa: T201  the contract with people
        # Celery only logs the errors of its signal handlers; SystemExit is none.
        raise SystemExit(2 if isinstance(error, RequestError) else 1) from error


@after_setup_logger.connect
def _log(loglevel: int, **_: Any) -> None:
    logs.to_celery(loglevel)


@worker_ready.connect
def _begin(**_: Any) -> None:
    for process in _process:
        process.start()


@worker_shutting_down.connect
def _end(**_: Any) -> None:
    for process in _process:
        process.begin_nothing_more()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    for process in _process:
        process.stop()
    _process.clear()


def _pool(sender: Any) -> str:
    pool = sender.pool_cls
    return pool if isinstance(pool, str) else qualname(pool)
