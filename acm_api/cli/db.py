"""`acm db`: the tables of the store."""

import typer

from acm_api.cli.view.output import echo

app = typer.Typer(name="db", help="Manage the store's tables.", no_args_is_help=True)


@app.command(epilog="Example: ACM_DATABASE_URL=postgresql://... acm db upgrade")
def upgrade() -> None:
    """Upgrade the store's tables to this version.

    A SQLite store is also upgraded by the next run. A database server is upgraded only by this
    command; stop all workers first.
    """
    from acm_workers.settings import Settings
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    database = Database(Settings().store_url)
    before = schema.version(database)
    schema.upgrade(database)
    echo(f"the store is at step {schema.version(database)} (was {before or 'empty'})")
    database.close()
