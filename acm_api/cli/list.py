"""`acm list`: list the newest runs."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo

if TYPE_CHECKING:
    from acm_workers.settings import Settings

_FIELDS = ("id", "title", "state", "rejudged_from", "created_at", "abandoned")


def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Number of runs.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        newest = remote.runs(settings, limit)
    else:
        newest = _here(settings, limit)
    shown = [{name: run.get(name, False) for name in _FIELDS} for run in newest]
    if as_json:
        echo(json.dumps({"runs": shown}))
        return
    _print(shown)


def _here(settings: "Settings", limit: int) -> list[dict[str, Any]]:
    from acm_api.cli.common import open_store
    from acm_api.files import locks
    from acm_workers.store import runs

    with open_store(settings) as database:
        with database.read() as connection:
            newest = runs.page(connection, limit)
        going = [run for run in newest if run.state == "running" and not run.serves_submissions]
        nobody = {run.id for run in going if locks.is_idle(database)}
        return [
            run.model_dump(mode="json", include=set(_FIELDS)) | {"abandoned": run.id in nobody}
            for run in newest
        ]


def _print(found: list[dict[str, Any]]) -> None:
    from datetime import datetime

    from rich.table import Table
    from rich.text import Text

    from acm_api.cli.view.formatting import console, state

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "state", "started (UTC)", "title"):
        table.add_column(heading)
    for run in found:
        started = datetime.fromisoformat(run["created_at"]).strftime("%Y-%m-%d %H:%M")
        of = run["rejudged_from"]
        title = run["title"] if of is None else f"{run['title']}, rejudges {of}"
        shown_state = "abandoned" if run["abandoned"] else run["state"]
        table.add_row(run["id"], state(shown_state), started, Text(title))
    console().print(table)
    for run in found:
        if run["abandoned"]:
            echo(f"no process executes run {run['id']} now; `acm resume {run['id']}` continues it")
