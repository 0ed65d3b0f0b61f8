"""`acm report`: write the files of a run again and print the path of its report."""

from acm_api.cli.common import ExportFolder, RunId
from acm_api.cli.export import write_files
from acm_api.cli.view.output import echo


def report(run_id: RunId = None, to: ExportFolder = None) -> None:
    """Write the files of a run again; print its report's path."""
    echo(str(write_files(run_id, to, with_report=True).report))
