"""`acm run` and `acm plan` at a server: for people without access to its store."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from acm_api.cli import foreground
from acm_api.cli.view import results as view_results
from acm_api.cli.view.formatting import print_json
from acm_api.cli.view.progress import View, say
from acm_api.client import Client
from acm_api.config import loading
from acm_api.files import atomic, export
from acm_api.files.export import ExportFolders
from acm_workers.errors import RequestError
from acm_workers.settings import Settings
from schemas.events import RunEvent
from schemas.plan import RunPlan


def client(settings: Settings) -> Client | None:
    """Return the server that the environment names; None if it names none."""
    return None if settings.api_url is None else Client(settings.api_url, settings.api_key)


def run(server: Client, path: Path, only: Sequence[str], view: View) -> int:
    """Have a run executed by a server, follow it, write its files and print its result.

    Returns:
        The exit code, as of ``acm run``.
    """
    run_id = server.start(path, only=only)
    say(view, f"run {run_id} at the server; Ctrl-C leaves, the same command comes back to it")

    def show(event: RunEvent) -> None:
        if event.kind == "progress" and view != "json":
            calls = event.data["calls"]
            spent = f"{calls['sent']} calls, {calls['in_flight']} in flight"
            say(view, f"{spent}, {calls['cost_usd']:.4f} USD")
        elif event.kind == "document_finished":
            say(view, f"document finished: {event.data.get('state', '')}")

    try:
        server.follow(run_id, show)
    except KeyboardInterrupt:
        say(view, f"the server goes on with run {run_id}")
        return foreground.INTERRUPTED
    folders = export.folders(loading.load(path, keys="workers").config)
    extract(server.files(run_id), folders)
    result = server.show(run_id)
    if view == "json":
        print_json(result)
    else:
        view_results.print_result(result)
        report = folders.reports / run_id / "index.html"
        view_results.print_files(str(report), str(folders.winners))
    return foreground.exit_code(result)


def plan(server: Client, path: Path, only: Sequence[str]) -> RunPlan:
    """Return the plan that a server makes of a config."""
    return server.plan(path, only=only)


def extract(archive: bytes, into: ExportFolders) -> None:
    """Write the files of an archive into the folders of a config; what is there stays.

    Raises:
        RequestError: A name leads out of the folders, or a folder cannot be written.
    """
    places = {"outputs": into.outputs, "winners": into.winners, "reports": into.reports}
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            top, *rest = PurePosixPath(name).parts
            if top not in places or not rest or ".." in rest or name.startswith("/"):
                raise RequestError(f"the server's archive names {name!r}, which is not of a run")
            atomic.write(places[top].joinpath(*rest), files.read(name))
