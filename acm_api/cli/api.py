"""`acm api`: health and metrics over HTTP."""

from typing import Annotated

import typer

from acm_api.cli.common import Host, is_loopback, secret
from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError


def api(
    host: Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; with 0 the system chooses.")
    ] = 8080,
) -> None:
    """Serve health and metrics of the store and its workers.

    /healthz says whether store and broker answer; /metrics is for Prometheus. Where ACM_API_TOKEN
    is set, /metrics requires it as a bearer token; on any other address than this machine's own it
    has to be set.
    """
    from acm_api.cli.common import open_store
    from acm_api.http import application, server
    from acm_workers import broker, logs
    from acm_workers.settings import Settings

    token = secret("ACM_API_TOKEN", min_length=16)
    if token is None and not is_loopback(host):
        raise RequestError(
            f"anyone who can connect to {host} could read the metrics:"
            " set ACM_API_TOKEN, or leave out --host"
        )
    settings = Settings()
    if settings.broker_url is not None:
        broker.check_urls(settings)
    logs.to_stderr(logs.worker_level(settings))
    with open_store(settings) as database, server.listening(host, port) as listener:
        echo(f"acm api listens on {server.address(listener)}", err=True)
        server.serve(application.make(database, settings, token), listener)
