"""`acm api`: runs, health and metrics over HTTP."""

from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import Host, is_loopback, secret
from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence


def api(
    host: Host = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0: the system chooses one.")
    ] = 8080,
    proxy_headers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="ACM_TRUSTED_PROXIES",
            help="Trust X-Forwarded-For and -Proto of this proxy or network; repeatable.",
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            envvar="ACM_CORS_ORIGINS",
            help="Allow pages of this origin to call /api/v1 with API keys; repeatable.",
        ),
    ] = None,
) -> None:
    """Serve runs, health and metrics of the store and its workers.

    /api/v1 starts, follows and shows runs; /api/v1/openapi.json describes it. Without a broker,
    this server executes the requested runs one after another.

    While there are no users, only this machine may use the API: a loopback address needs no login,
    and on any other address only /healthz and /metrics are served. As soon as there are users (acm
    users, acm keys), every request needs a key.

    /healthz reports whether the store and the broker answer. /metrics is for Prometheus. If
    ACM_API_TOKEN is set, /metrics requires it as a bearer token. The token is needed on any address
    but a loopback one, and as soon as there are users.
    """
    from acm_api.cli.common import open_store
    from acm_api.http import application, cross_origin, server
    from acm_workers import broker, logs
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    proxies = _networks(proxy_headers or ())
    origins = cross_origin.checked(cors_origin or ())
    token = secret("ACM_API_TOKEN", min_length=16)
    if token is None and not is_loopback(host):
        raise RequestError(
            f"anyone who can connect to {host} could read the metrics:"
            " set ACM_API_TOKEN, or leave out --host"
        )
    settings = Settings()
    if settings.broker_url is not None:
        broker.check_urls(settings)
    with open_store(settings, create=is_loopback(host)) as database:
        logs.to_stderr(logs.worker_level(settings))
        with database.read() as connection:
            has_users = accounts.any_user(connection)
        serves_runs = has_users or is_loopback(host)
        if origins and serves_runs and not has_users:
            raise RequestError(
                "--cors-origin needs users, because pages of other origins send their keys"
                " (acm users add NAME, acm keys add NAME)"
            )
        if not serves_runs:
            hint = "only health and metrics are served: runs on this address need users"
            echo(f"{hint} (acm users add NAME, acm keys add NAME; then start again)", err=True)
        app = application.make(
            database,
            settings,
            token,
            single_user=not has_users,
            serves_runs=serves_runs,
            origins=origins,
        )
        with server.listening(host, port) as listener:
            echo(f"acm api listens on {server.address(listener)}", err=True)
            server.serve(app, listener, proxies)


def _networks(given: "Sequence[str]") -> list[str]:
    """Return the addresses of proxies after checking them."""
    import ipaddress

    for one in given:
        try:
            network = ipaddress.ip_network(one)
        except ValueError as error:
            message = f"--proxy-headers takes an address such as 10.0.0.5 or 10.0.0.0/24, not {one}"
            raise RequestError(message) from error
        if network.prefixlen == 0:
            raise RequestError("--proxy-headers must not include every address")
    return list(given)
