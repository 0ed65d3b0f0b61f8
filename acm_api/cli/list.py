"""`acm list`: the newest runs."""

import json
from typing import Annotated

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo

_FIELDS = {"id", "title", "state", "rejudged_from", "created_at"}


def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Number of runs.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    from rich.table import Table
    from rich.text import Text

    from acm_api.cli.common import open_store
    from acm_api.cli.view.formatting import console, state
    from acm_api.files import locks
    from acm_workers.settings import Settings
    from acm_workers.store import runs

    with open_store(Settings()) as database:
        with database.read() as connection:
            newest = runs.page(connection, limit)
        going = [run for run in newest if run.state == "running" and not run.serves_submissions]
        nobody = {run.id for run in going if locks.is_idle(database)}
    if as_json:
        shown = [
            run.model_dump(mode="json", include=_FIELDS) | {"abandoned": run.id in nobody}
            for run in newest
        ]
        echo(json.dumps({"runs": shown}))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "state", "started (UTC)", "config"):
        table.add_column(heading)
    for run in newest:
        started = run.created_at.strftime("%Y-%m-%d %H:%M")
        rejudges = "" if run.rejudged_from is None else f", judges {run.rejudged_from} again"
        shown_state = "abandoned" if run.id in nobody else run.state
        table.add_row(run.id, state(shown_state), started, Text(f"{run.title}{rejudges}"))
    console().print(table)
    for run_id in sorted(nobody):
        echo(f"nobody works on run {run_id} now; `acm resume {run_id}` goes on")
