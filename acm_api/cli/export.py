"""`acm export`: write the files of a run from the store."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from acm_api.cli.common import ExportFolder, RunId
from acm_api.cli.view.output import echo
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from acm_api.files.export import ExportedFiles


def export(run_id: RunId = None, to: ExportFolder = None) -> None:
    """Write the files of a run from the store; no calls are made."""
    from acm_api.cli.view.formatting import count
    from acm_workers.settings import Settings

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        echo(f"report: {remote.write_files(settings, run_id, to)}")
        return
    written = write_files(run_id, to)
    into = f" into {written.folders.winners}" if written.winners else ""
    report = "no report (report: false)" if written.report is None else f"report: {written.report}"
    echo(f"{count(len(written.winners), 'winner')} written{into}; {report}")


def write_files(
    run_id: str | None, to: Path | None, *, with_report: bool | None = None
) -> "ExportedFiles":
    """Write the files of a run below ``to``, or into the folders of its config.

    Args:
        run_id: The latest run if absent.
        to: Parent folder of the written folders.
        with_report: See ``files.export.everything``.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.files import export as files
    from acm_workers import runtime
    from acm_workers.settings import Settings

    below = None if to is None else Path(os.path.abspath(to))
    with open_store(Settings()) as database:
        run = find_run(database, run_id)
        moved = None if below is not None else files.moved_from(database, run)
        if moved is not None:
            message = f"run {run.id} was started in {moved}, and its folders are there"
            raise RequestError(f"{message}; say where to write, as in --to .")
        folders = files.folders(run.config, below)
        now = runtime.utc_now()
        return files.everything(database, run.id, folders, now, with_report=with_report)
