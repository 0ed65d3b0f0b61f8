"""Commands that serve others: api, flower."""

import os
import sys
from typing import Annotated

import typer

from acm_workers.errors import RequestError

_LOOPBACK = ("127.", "::1", "localhost")
_SHORTEST_TOKEN = 16
_SHORTEST_PASSWORD = 8
_USER = "acm"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm api --port 8080")(api)
    app.command(epilog="Example: ACM_FLOWER_PASSWORD=... acm flower --tasks")(flower)


Host = Annotated[str, typer.Option(help="Address to listen on.")]


def api(
    host: Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; with 0 the system chooses.")
    ] = 8080,
) -> None:
    """Serve health and metrics of the store and its workers.

    /healthz says whether store and broker answer; /metrics is for Prometheus. Where ACM_API_TOKEN
    is set, /metrics asks for it as a bearer token; beyond this machine it has to be set.
    """
    from acm_api.cli.opening import store
    from acm_api.http import application, server
    from acm_workers import broker, logs
    from acm_workers.settings import Settings

    token = _secret("ACM_API_TOKEN", _SHORTEST_TOKEN)
    if token is None and not _is_loopback(host):
        raise RequestError(
            f"whoever reaches {host} could read the metrics: set ACM_API_TOKEN, or leave out --host"
        )
    settings = Settings()
    if settings.broker_url is not None:
        broker.check_urls(settings)
    logs.to_stderr(logs.worker_level(settings))
    with store(settings) as database, server.listening(host, port) as listener:
        typer.echo(f"acm api listens on {server.address(listener)}", err=True)
        server.serve(application.make(database, settings, token), listener)


def flower(
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 5555,
    tasks: Annotated[
        bool,
        typer.Option(
            "--tasks",
            help="Have workers tell of each task; costs a third of their speed until they restart.",
        ),
    ] = False,
) -> None:
    """Look at workers and queues in Flower, read-only.

    The user is acm, the password that of ACM_FLOWER_PASSWORD, or one that is made and told. Flower
    asks nobody who reads /metrics and /healthcheck: keep it on this machine, or behind a proxy.
    """
    from acm_workers import broker
    from acm_workers.settings import Settings

    password = _password(host)
    settings = Settings()
    if settings.broker_url is None:
        raise RequestError("ACM_BROKER_URL is not set: there are no workers and queues to look at")
    broker.check(settings)
    options = [f"--address={host}", f"--port={port}", f"--enable_events={tasks}"]
    # What is said here counts more than Flower's own file and variables.
    options += ["--read_only=true", f"--conf={os.devnull}", "--inspect_timeout=5000"]
    own = {name: value for name, value in os.environ.items() if name not in _WEAKENING}
    # In the environment, for everybody can read the arguments of a process.
    own["FLOWER_BASIC_AUTH"] = f"{_USER}:{password}"
    typer.echo(f"Flower listens on http://{host}:{port}, user {_USER}", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    command = [sys.executable, "-m", "celery", "-A", "acm_workers.app", "flower", *options]
    os.execve(sys.executable, command, own)  # noqa: S606  no shell is wanted


_WEAKENING = ("FLOWER_BASIC_AUTH", "FLOWER_UNAUTHENTICATED_API", "FLOWER_AUTH")


def _password(host: str) -> str:
    given = _secret("ACM_FLOWER_PASSWORD", _SHORTEST_PASSWORD)
    if given is not None:
        if "," in given:
            raise RequestError(
                "ACM_FLOWER_PASSWORD must not hold a comma, where Flower would cut it"
            )
        return given
    if not _is_loopback(host):
        raise RequestError(f"whoever reaches {host} could try: set ACM_FLOWER_PASSWORD")
    import secrets

    made = secrets.token_urlsafe(16)
    typer.echo(f"the password is {made} (ACM_FLOWER_PASSWORD sets another)", err=True)
    return made


def _secret(variable: str, shortest: int) -> str | None:
    value = os.environ.get(variable, "").strip()
    if value and len(value) < shortest:
        raise RequestError(f"{variable} is too short: {shortest} characters at least")
    return value or None


def _is_loopback(host: str) -> bool:
    return host.startswith(_LOOPBACK)
