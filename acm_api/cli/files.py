"""Commands that write files from the store: export, report."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.options import RunId

if TYPE_CHECKING:
    from acm_api.files.export import Written

To = Annotated[
    Path | None,
    typer.Option("--to", help="Folder to write below; the config's folders if absent."),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm export 01JD --to elsewhere")(export)
    app.command(epilog="Example: acm report")(report)


def export(run_id: RunId = None, to: To = None) -> None:
    """Write the files of a run from the store; costs nothing."""
    written = _write(run_id, to)
    typer.echo(f"{len(written.winners)} winners written; report: {written.report}")


def report(run_id: RunId = None, to: To = None) -> None:
    """Write the files of a run again; print its report's path."""
    typer.echo(str(_write(run_id, to).report))


def _write(run_id: str | None, to: Path | None) -> "Written":
    from datetime import UTC, datetime

    from acm_api.cli.opening import find, store
    from acm_api.files import export as files_export
    from acm_workers.settings import Settings

    with store(Settings()) as database:
        found = find(database, run_id)
        where = files_export.folders(
            found.config, None if to is None else Path(os.path.abspath(to))
        )
        return files_export.everything(database, found.id, where, datetime.now(UTC))
