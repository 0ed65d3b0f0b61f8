"""`acm worker`: execute runs that were started by other processes."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_workers.errors import (
    AcmError,
    BrokerFailed,
    BrokerRefused,
    RequestError,
    StoreFailed,
    StoreRefused,
)

if TYPE_CHECKING:  # commands that only print help would wait for it
    from acm_workers.monitoring.health import HealthPublisher
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database

_AGAIN_S = 5.0


def add_to(app: typer.Typer) -> None:
    """Add the command of this module to the command line."""
    app.command(epilog="Example: acm worker --provider openai --provider anthropic --control")(
        worker
    )


def worker(  # noqa: PLR0913  options of a command
    provider: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve the queues of this provider; repeatable."),
    ] = None,
    generators: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Serve generators in child processes: gptr, dr, ma, fpf.",
        ),
    ] = None,
    queues: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Serve these queues with one set of threads."),
    ] = None,
    control: Annotated[
        bool,
        typer.Option("--control", help="Advance documents; at least one worker must do so."),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Serve control and every queue that a run needs."),
    ] = False,
    submissions: Annotated[bool, typer.Option("--submissions", help="Run submitted code.")] = False,
    jobs: Annotated[
        int,
        typer.Option(min=1, max=256, help="Number of submissions that a process runs at a time."),
    ] = 1,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Threads for each provider; default: its limit, or 32."),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Number of identical processes; a process that dies is replaced."
        ),
    ] = 1,
    name: Annotated[
        str | None, typer.Option(help="Name of this machine; default: its host name.")
    ] = None,
    health_file: Annotated[
        Path | None, typer.Option(help="Write the state to this file every 2 seconds, as JSON.")
    ] = None,
    health_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Serve the state at http://127.0.0.1:PORT/healthz."),
    ] = None,
    watchdog: Annotated[
        float,
        typer.Option(
            min=0, help="Seconds until a process that hangs is ended, exit code 1; 0: never."
        ),
    ] = 60.0,
    stop_within: Annotated[
        float | None,
        typer.Option(min=0, help="Maximum duration of calls after the first signal, in seconds."),
    ] = None,
    no_wait: Annotated[
        bool,
        typer.Option("--no-wait", help="Fail if the broker or the store is unavailable at start."),
    ] = False,
) -> None:
    """Execute runs that were started by other processes.

    ACM_BROKER_URL, ACM_DATABASE_URL and the keys of the providers must be set; everything else is
    in the store. After the first SIGTERM or Ctrl-C, calls in flight finish and the remaining units
    are given back (exit code 0). After the second one the process ends at once, and calls in flight
    are uncertain (130). Logs are JSON lines on stderr.
    """
    import structlog

    from acm_api.cli import worker_options
    from acm_workers import logs
    from acm_workers.engine.process_manager import ProcessManager
    from acm_workers.engine.worker_plan import WorkerOptions
    from acm_workers.engine.worker_service import WorkerService
    from acm_workers.monitoring.health import HealthPublisher
    from acm_workers.settings import Settings

    options = WorkerOptions(
        tuple(provider or ()),
        _split(generators),
        _split(queues),
        control,
        everything,
        concurrency,
        name,
        watchdog,
        stop_within,
        jobs if submissions else 0,
    )
    worker_options.check(options)
    settings = Settings()
    logs.to_stderr(logs.worker_level(settings))
    health = HealthPublisher(health_file, health_port)
    database = _reached(settings, health, wait=not no_wait)
    for why in worker_options.unneeded(database, options):
        structlog.get_logger().warning("not needed by any active run", why=why)
    database.close()
    if processes > 1:
        code = ProcessManager(settings, options, processes, health.show).run()
    else:
        code = WorkerService(settings, options, health.show).run()
    health.close()
    sys.stderr.flush()
    os._exit(code)  # calls that are still in flight after the second signal hold their threads


def _split(queues: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (queues or "").split(",") if name.strip())


def _reached(settings: "Settings", health: "HealthPublisher", *, wait: bool) -> "Database":
    """Return the store as soon as it and the broker are available.

    Machines can start in any order: the worker waits for unavailable servers. Invalid settings are
    an error.
    """
    import socket
    import time

    import structlog

    from acm_workers.monitoring.health import HealthReport

    log = structlog.get_logger()
    while True:
        try:
            return _opened(settings)
        except (BrokerFailed, StoreFailed) as error:
            if not wait or isinstance(error, (BrokerRefused, StoreRefused)):
                raise
            log.warning("waiting", why=str(error), again_in_s=_AGAIN_S)
            health.show(HealthReport(socket.gethostname(), (str(error),), {}, ()))
            time.sleep(_AGAIN_S)


def _opened(settings: "Settings") -> "Database":
    from acm_workers import broker
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    if settings.broker_url is None:
        raise RequestError(
            "ACM_BROKER_URL is not set: workers receive messages through Redis, such as"
            " redis://HOST:6379/0; without Redis, `acm run` executes runs itself"
        )
    broker.check(settings)
    database = Database(settings.store_url)
    try:
        schema.ensure(database)
    except AcmError:
        database.close()
        raise
    return database
