"""`acm tenants`, `acm users` and `acm keys`: the users of a shared server."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

tenants = typer.Typer(name="tenants", help="Manage tenants, which own runs and have quotas.")
users = typer.Typer(name="users", help="Manage the users of a shared server.")
keys = typer.Typer(name="keys", help="Manage users' keys for the HTTP API and the pages.")

_Tenant = Annotated[str, typer.Option(help="Name of the tenant.")]
_DAYS = 90
_LONGEST_TARGET = 200


@tenants.command("add", epilog="Example: acm tenants add editors --usd-per-day 20")
def add_tenant(
    name: str,
    usd_per_day: Annotated[float | None, typer.Option(min=0)] = None,
    runs_at_once: Annotated[int | None, typer.Option(min=1)] = None,
    documents_per_run: Annotated[int | None, typer.Option(min=1)] = None,
) -> None:
    """Add a tenant; quotas that are not given are unlimited."""
    from acm_api.cli.common import local_store
    from acm_workers import runtime
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings(), create=True) as database, database.write() as connection:
        made = accounts.add_tenant(connection, name, runtime.utc_now())
        accounts.set_quotas(
            connection,
            made.id,
            usd_per_day=usd_per_day,
            runs_at_once=runs_at_once,
            documents_per_run=documents_per_run,
        )
        _audit(connection, made.id, "add tenant", name)
    echo(f"tenant {name} added; `acm users add NAME --tenant {name}` gives it users")


@tenants.command("quota", epilog="Example: acm tenants quota editors --usd-per-day 50")
def set_quota(
    name: str,
    usd_per_day: Annotated[float | None, typer.Option(min=0)] = None,
    runs_at_once: Annotated[int | None, typer.Option(min=1)] = None,
    documents_per_run: Annotated[int | None, typer.Option(min=1)] = None,
) -> None:
    """Set the quotas of a tenant; quotas that are not given are removed."""
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.write() as connection:
        found = accounts.tenant(connection, name)
        accounts.set_quotas(
            connection,
            found.id,
            usd_per_day=usd_per_day,
            runs_at_once=runs_at_once,
            documents_per_run=documents_per_run,
        )
        _audit(connection, found.id, "set quotas", name)
    echo(f"quotas of {name} set")


@tenants.command("list", epilog="Example: acm tenants list")
def list_tenants(as_json: AsJson = False) -> None:
    """List the tenants and their quotas."""
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.read() as connection:
        _print([one._asdict() for one in accounts.tenants(connection)], as_json=as_json)


@users.command("add", epilog="Example: acm users add ann --tenant editors")
def add_user(name: str, tenant: _Tenant = "default") -> None:
    """Add a user; from then on a server requires a key from every user."""
    from acm_api.cli.common import local_store
    from acm_workers import runtime
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings(), create=True) as database, database.write() as connection:
        owner = accounts.tenant(connection, tenant)
        accounts.add_user(connection, owner.id, name, runtime.utc_now())
        _audit(connection, owner.id, "add user", name)
    echo(f"user {name} added; `acm keys add {name}` makes a key")


@users.command("disable", epilog="Example: acm users disable ann")
def disable_user(name: str) -> None:
    """Disable a user: its keys and sessions are no longer valid."""
    from acm_api.cli.common import local_store
    from acm_workers import runtime
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.write() as connection:
        accounts.disable_user(connection, name, runtime.utc_now())
        _audit(connection, accounts.user(connection, name).tenant_id, "disable user", name)
    echo(f"user {name} disabled")


@users.command("list", epilog="Example: acm users list")
def list_users(as_json: AsJson = False) -> None:
    """List the users."""
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.read() as connection:
        _print([one._asdict() for one in accounts.users(connection)], as_json=as_json)


@keys.command("add", epilog="Example: acm keys add ann --scope read --days 30")
def add_key(
    user: str,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, run or admin; repeatable. Default: read and run."),
    ] = None,
    name: Annotated[str, typer.Option(help="Purpose of the key.")] = "key",
    days: Annotated[int, typer.Option(min=0, help="Days until it expires; 0 for never.")] = _DAYS,
) -> None:
    """Create a key for a user and print it once; only its digest is stored."""
    from acm_api.cli.common import local_store
    from acm_workers import runtime
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    asked = scope or ["read", "run"]
    unknown = [one for one in asked if one not in accounts.SCOPES]
    if unknown:
        raise RequestError(f"{unknown[0]} is not a scope: use read, run or admin", "--scope")
    scopes = [one for one in accounts.SCOPES if one in asked]
    now = runtime.utc_now()
    with local_store(Settings()) as database, database.write() as connection:
        owner = accounts.user(connection, user)
        expires = now + timedelta(days=days) if days else None
        made = accounts.add_key(connection, owner, name, scopes, now, expires)
        _audit(connection, owner.tenant_id, "add key", made.id)
    echo(f"key {made.id} of {user}, scopes {', '.join(scopes)}; it is shown only now:", err=True)
    echo(made.secret)


@keys.command("revoke", epilog="Example: acm keys revoke 01JDZ3Y6M2N8Q4R7S9T1V5W0XA")
def revoke_key(key_id: str) -> None:
    """Revoke a key, and end the sessions that were started with it."""
    from acm_api.cli.common import local_store
    from acm_workers import runtime
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.write() as connection:
        accounts.revoke_key(connection, key_id, runtime.utc_now())
        owner = next(one for one in accounts.keys(connection) if one.id == key_id)
        _audit(connection, owner.tenant_id, "revoke key", key_id)
    echo(f"key {key_id} revoked")


@keys.command("list", epilog="Example: acm keys list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys by their first characters, the newest first."""
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings
    from acm_workers.store import accounts

    with local_store(Settings()) as database, database.read() as connection:
        _print([one._asdict() for one in accounts.keys(connection)], as_json=as_json)


def _audit(connection: "Connection", tenant_id: str, action: str, target: str) -> None:
    """Add a change to the audit log of the tenant that it concerns."""
    from acm_api.cli.common import operator
    from acm_workers import runtime
    from acm_workers.store import accounts
    from schemas.scope import Scope

    now, start = runtime.utc_now(), target[:_LONGEST_TARGET]
    accounts.audit(connection, Scope(tenant_id), operator(), action, now, start)


def _print(rows: "Sequence[dict[str, object]]", *, as_json: bool) -> None:
    import json

    if as_json:
        echo(json.dumps(rows, default=str))
        return
    from rich.table import Table
    from rich.text import Text

    from acm_api.cli.view.formatting import console

    if not rows:
        echo("there are none")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in rows[0]:
        table.add_column(heading.replace("_", " "))
    for row in rows:
        table.add_row(*(Text("" if value is None else _short(value)) for value in row.values()))
    console().print(table)


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    return str(value)[:40]
