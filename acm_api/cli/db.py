"""`acm db`: the tables of the store."""

import typer

from acm_api.cli.view.output import echo

app = typer.Typer(name="db", help="Upgrade the store's tables.", no_args_is_help=True)


@app.command(epilog="Example: ACM_DATABASE_URL=postgresql://... acm db upgrade")
def upgrade() -> None:
    """Upgrade the store's tables to this version.

    The next run upgrades a SQLite store; only this command upgrades a server, and no worker may
    use it meanwhile.
    """
    from acm_workers.settings import Settings
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    database = Database(Settings().store_url)
    before = schema.version(database)
    schema.upgrade(database)
    echo(f"the store is at step {schema.version(database)} (was {before or 'empty'})")
    database.close()
