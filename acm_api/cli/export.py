"""`acm export`: write the files of a run from the store."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from acm_api.cli.common import ExportFolder, RunId
from acm_api.cli.view.output import echo

if TYPE_CHECKING:
    from acm_api.files.export import Written


def export(run_id: RunId = None, to: ExportFolder = None) -> None:
    """Write the files of a run from the store; costs nothing."""
    written = write_files(run_id, to)
    echo(f"{len(written.winners)} winners written; report: {written.report}")


def write_files(run_id: str | None, to: Path | None) -> "Written":
    """Write the files of a run below ``to``, or into the folders of its config."""
    from acm_api.cli.common import find_run, open_store
    from acm_api.files import export as files
    from acm_workers import runtime
    from acm_workers.settings import Settings

    below = None if to is None else Path(os.path.abspath(to))
    with open_store(Settings()) as database:
        run = find_run(database, run_id)
        folders = files.folders(run.config, below)
        return files.everything(database, run.id, folders, runtime.utc_now())
