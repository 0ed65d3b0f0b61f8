"""Structured logs: JSON lines with ids, without texts or keys."""

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from acm_workers.settings import Settings

# Celery tells of each message twice, where our own lines tell more. httpcore tells all headers of
# a response, in which a provider may repeat the key.
_TALKATIVE = ("celery.worker.strategy", "celery.app.trace", "httpx", "httpcore", "kombu")


def file(settings: Settings) -> Path:
    """Return the path of the log file for processes that use a SQLite store."""
    return settings.home / "acm.log"


def to_file(path: Path, level: str) -> None:
    """Send all logs of this process to a file, to keep the terminal free for output.

    Args:
        level: Lowest logged level, such as ``warning``.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _send(_PrivateFileHandler(path, encoding="utf-8", delay=True), level)


def to_stderr(level: str, worker: str | None = None) -> None:
    """Send all logs of this process to stderr.

    Args:
        worker: Name of this process, which is added to every line.
    """
    _send(logging.StreamHandler(sys.stderr), level, {} if worker is None else {"worker": worker})
    logging.captureWarnings(capture=True)


def to_celery(level: int) -> None:
    """Send ACM's logs to the destination of Celery's logs, in a process started by `celery`.

    Args:
        level: Lowest logged level, from the command line of `celery`.
    """
    _quieten(level)
    # The usual one shows the values of variables in tracebacks: texts and keys.
    render = structlog.dev.ConsoleRenderer(
        colors=False,
        sort_keys=False,
        pad_event_to=0,
        exception_formatter=structlog.dev.plain_traceback,
    )
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, render],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
    )


def worker_level(settings: Settings) -> str:
    """Return the log level of workers, which is lower than that of commands."""
    return settings.log_level if "log_level" in settings.model_fields_set else "info"


class _PrivateFileHandler(logging.FileHandler):
    """A log handler whose file is private to the user, and that ignores write errors."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, ignoring errors of the file."""
        with suppress(OSError):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore the error, to keep the terminal free for output."""

    def _open(self) -> Any:
        return open(
            self.baseFilename,
            self.mode,
            encoding=self.encoding,
            errors=self.errors,
            opener=lambda path, flags: os.open(path, flags, 0o600),
        )


def _send(
    handler: logging.Handler, level: str, everywhere: Mapping[str, str] = MappingProxyType({})
) -> None:
    def add(_logger: Any, _method: str, event: EventDict) -> EventDict:
        return {**everywhere, **event}

    shared: list[Processor] = [
        add,
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=structlog.processors.JSONRenderer(), foreign_pre_chain=shared
        )
    )
    root = logging.getLogger()
    for former in root.handlers:
        if isinstance(former, logging.FileHandler):
            former.close()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    _quieten(_number(level))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
    )


def _quieten(level: int) -> None:
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, level))


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
