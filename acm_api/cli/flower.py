"""`acm flower`: workers and queues in Flower, read-only."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.common import Host, is_loopback, secret
from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

_USER = "acm"
_AUTH_VARIABLES = ("FLOWER_BASIC_AUTH", "FLOWER_UNAUTHENTICATED_API", "FLOWER_AUTH")
"""Environment variables that could weaken Flower's authentication."""


def flower(
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 5555,
    tasks: Annotated[
        bool,
        typer.Option(
            "--tasks",
            help="Have workers report each task; they are a third slower until they restart.",
        ),
    ] = False,
) -> None:
    """Show workers and queues in Flower, read-only.

    The user is acm. The password is ACM_FLOWER_PASSWORD, or a random one that is printed. Flower
    requires no password for /metrics and /healthcheck: listen on a loopback address, or use a
    proxy.
    """
    from acm_workers import broker
    from acm_workers.settings import Settings

    given = _given_password(host)
    settings = Settings()
    if settings.broker_url is None:
        raise RequestError("ACM_BROKER_URL is not set, so there are no workers or queues to show")
    broker.check(settings)
    password = given or _random_password()
    options = [f"--address={host}", f"--port={port}", f"--enable_events={tasks}"]
    # These options override Flower's own config file and variables.
    options += ["--read_only=true", f"--conf={os.devnull}", "--inspect_timeout=5000"]
    environ = {name: value for name, value in os.environ.items() if name not in _AUTH_VARIABLES}
    # In the environment, because all users of a machine can read the arguments of a process.
    environ["FLOWER_BASIC_AUTH"] = f"{_USER}:{password}"
    echo(f"Flower listens on http://{host}:{port}, user {_USER}", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Celery imports from the folder that it is started in, which may be anybody's.
    os.chdir(Path(broker.__file__).parents[1])
    command = [sys.executable, "-P", "-m", "celery", "-A", "acm_workers.app", "flower", *options]
    os.execve(sys.executable, command, environ)  # noqa: S606  no shell is wanted


def _given_password(host: str) -> str | None:
    given = secret("ACM_FLOWER_PASSWORD", min_length=8)
    if given is not None:
        if "," in given:
            raise RequestError(
                "ACM_FLOWER_PASSWORD must not contain a comma: Flower cuts the password there"
            )
        return given
    if not is_loopback(host):
        raise RequestError(
            f"anyone who can connect to {host} could try passwords: set ACM_FLOWER_PASSWORD"
        )
    return None


def _random_password() -> str:
    import secrets

    made = secrets.token_urlsafe(16)
    echo(f"the password is {made} (ACM_FLOWER_PASSWORD sets another)", err=True)
    return made
