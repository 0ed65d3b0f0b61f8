"""`acm resources`: slots that versions of submissions hold while they run."""

import json
from typing import Annotated, Any

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo

app = typer.Typer(
    name="resources",
    help="Show and change the slots that submissions need: GPUs, licences, anything with a name.",
    epilog="Start with: acm resources add gpu 0 1 --variable CUDA_VISIBLE_DEVICES",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Slots = Annotated[
    list[str], typer.Argument(metavar="SLOT", help="Slots as `acm resources list` shows them.")
]


@app.command("list", epilog="Example: acm resources list")
def list_(as_json: AsJson = False) -> None:
    """List all slots and their holders."""
    from acm_api.cli.view import submissions as view
    from acm_workers.store import resource_pools

    with _store() as database, database.read() as connection:
        slots = resource_pools.every(connection)
    if as_json:
        shown = [{**slot._asdict(), "holder": slot.holder and list(slot.holder)} for slot in slots]
        echo(json.dumps({"slots": shown}, default=str))
        return
    view.print_slots(slots)


@app.command(epilog="Example: acm resources add gpu 0 1 --variable CUDA_VISIBLE_DEVICES")
def add(
    pool: Annotated[str, typer.Argument(help="Name of the pool.")],
    names: Annotated[list[str], typer.Argument(help="Names of the slots.")],
    shared: Annotated[
        bool, typer.Option("--shared", help="The slots belong to no machine, as licences do.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="Machine of the slots; default: this one.")
    ] = None,
    variable: Annotated[
        str | None, typer.Option(help="Environment variable that lists the slots of the code.")
    ] = None,
) -> None:
    """Add slots to a pool, or make drained slots available again."""
    import socket

    from acm_workers import runtime
    from acm_workers.store import resource_pools

    bound = None if shared else host or socket.gethostname()
    with _store(create=True) as database, database.write() as connection:
        new = resource_pools.add(
            connection, pool, names, runtime.utc_now(), host=bound, variable=variable
        )
    echo(f"added: {', '.join(new) or 'nothing, all were there'}")


@app.command(epilog="Example: acm resources drain gpu:0@box")
def drain(slots: Slots) -> None:
    """Drain slots: no further version gets them, and current holders continue."""
    from acm_workers.store import resource_pools

    with _store() as database, database.write() as connection:
        resource_pools.drain(connection, slots)
    echo(f"drained: {', '.join(slots)}")


@app.command(epilog="Example: acm resources release gpu:0@box")
def release(slots: Slots) -> None:
    """Make drained slots available again, and free slots that a dead worker holds.

    A slot whose worker may be alive is not freed, because its code may still run.
    """
    from acm_api import submissions

    with _store() as database:
        submissions.release(database, slots)
    echo(f"free: {', '.join(slots)}")


def _store(*, create: bool = False) -> Any:
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings

    return local_store(Settings(), create=create)
