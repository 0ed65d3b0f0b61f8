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
    """Return the log of processes that work beside a SQLite store."""
    return settings.home / "acm.log"


def to_file(path: Path, level: str) -> None:
    """Send every log of this process to a file, so that the terminal stays the user's.

    Args:
        level: Lowest level that is kept, such as ``warning``.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _send(_PrivateFileHandler(path, encoding="utf-8", delay=True), level)


def to_stderr(level: str, worker: str | None = None) -> None:
    """Send every log of this process to stderr.

    Args:
        worker: Name of this process, which is added to every line.
    """
    _send(logging.StreamHandler(sys.stderr), level, {} if worker is None else {"worker": worker})
    logging.captureWarnings(capture=True)


def to_celery(level: int) -> None:
    """Send our own lines where Celery sends its, in a process that `celery` started.

    Args:
        level: Lowest level that is kept, as its command line says.
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
    """Creates its file for the user alone; errors of writing the log are ignored."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; errors of the file do not affect the caller."""
        with suppress(OSError):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Leave the terminal to the command."""

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
