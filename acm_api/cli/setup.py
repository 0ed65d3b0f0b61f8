"""Commands around the work: init, doctor, simulate, db."""

from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.options import AsJson


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm init my-texts")(init)
    app.command(epilog="Example: acm doctor config.yaml")(doctor)
    # The simulator is a program of its own, and reads its own options.
    passed_on = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(context_settings=passed_on, add_help_option=False)(simulate)
    app.add_typer(_database)


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to set up.", show_default=True)] = Path(),
) -> None:
    """Write a config and instructions to start from.

    Nothing is overwritten.
    """
    from acm_api.cli import starting

    starting.init(folder)


def doctor(
    config: Annotated[
        Path | None,
        typer.Argument(help="Config to check as well; config.yaml if it is there. Costs nothing."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the store, the broker if there is one, and a config's keys and servers."""
    from acm_api.cli import checking

    raise typer.Exit(checking.doctor(config, as_json=as_json))


def simulate(context: typer.Context) -> None:
    """Serve a simulated provider on this machine."""
    from acm_workers.simulator.__main__ import main

    raise typer.Exit(main(["--port", "8077", *context.args]))


_database = typer.Typer(name="db", help="Look after the store's tables.", no_args_is_help=True)


@_database.command(epilog="Example: ACM_DATABASE_URL=postgresql://... acm db upgrade")
def upgrade() -> None:
    """Bring the store's tables up to date.

    A SQLite store is upgraded by the next run; a server only by this command, and not while
    workers are at work on it.
    """
    from acm_workers.settings import Settings
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    database = Database(Settings().store_url)
    before = schema.version(database)
    schema.upgrade(database)
    typer.echo(f"the store is at step {schema.version(database)} (was {before or 'empty'})")
    database.close()
