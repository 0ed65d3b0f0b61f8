"""`acm report`: write the files of a run again and print the path of its report."""

from acm_api.cli.common import ExportFolder, RunId
from acm_api.cli.export import write_files
from acm_api.cli.view.output import echo


def report(run_id: RunId = None, to: ExportFolder = None) -> None:
    """Write the files of a run again, and print the path of its report."""
    from acm_workers.settings import Settings

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        echo(str(remote.write_files(settings, run_id, to)))
        return
    echo(str(write_files(run_id, to, with_report=True).report))
