"""Commands on a server, for users without access to its store."""

import io
import json
import zipfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from acm_api import run_events
from acm_api.cli import foreground
from acm_api.cli.view import ballots
from acm_api.cli.view import progress as view_progress
from acm_api.cli.view import results as view_results
from acm_api.cli.view.failures import cause_lines
from acm_api.cli.view.formatting import print_json
from acm_api.cli.view.output import echo
from acm_api.cli.view.progress import View, say
from acm_api.client import Client
from acm_api.config import loading, rejudging
from acm_api.config.rejudging import JudgingChanges
from acm_api.files import atomic, export
from acm_api.files.export import ExportFolders
from acm_workers.errors import RequestError
from acm_workers.settings import Settings
from schemas.events import RunEvent
from schemas.plan import RunPlan
from schemas.votes import Ballot, CastVote, Choice, VotingResult


def client(settings: Settings) -> Client | None:
    """Return the client of the server in the environment; None if no server is set."""
    return None if settings.api_url is None else Client(settings.api_url, settings.api_key)


def run(server: Client, path: Path, only: Sequence[str], view: View) -> int:
    """Execute a run on a server, follow it, write its files and print its result.

    Returns:
        The exit code; the same as that of ``acm run``.
    """
    run_id = server.start(path, only=only)
    say(
        view,
        f"run {run_id} on the server; Ctrl-C stops following, the same command follows it again",
    )
    if not followed(server, run_id, view):
        return foreground.INTERRUPTED
    folders = export.folders(loading.load(path, keys="workers").config)
    extract(server.files(run_id), folders)
    code = _outcome(server, run_id, view)
    if view != "json":
        report = folders.reports / run_id / "index.html"
        view_results.print_files(str(report), str(folders.winners))
    return code


def follow(settings: Settings, run_id: str | None, view: View) -> int:
    """Follow a run on the environment's server to its end; return the exit code."""
    server = at(settings)
    return _follow(server, run_id or server.latest(), view)


def resume(
    settings: Settings, run_id: str | None, view: View, *, failed: bool, budget_usd: float | None
) -> int:
    """Resume a run on the server, and follow it to its end; return the exit code."""
    server = at(settings)
    found = run_id or server.latest()
    server.resume(found, failed=failed, budget_usd=budget_usd)
    say(view, f"resuming run {found}")
    return _follow(server, found, view)


def settle(settings: Settings, run_id: str | None, view: View) -> int:
    """Settle a run on the server, and follow it to its end; return the exit code."""
    server = at(settings)
    found = run_id or server.latest()
    server.settle(found)
    return _follow(server, found, view)


def rejudge(settings: Settings, run_id: str | None, changes: JudgingChanges, view: View) -> int:
    """Have a run on the server judged again, and follow that to its end; return the exit code."""
    values = rejudging.as_values(changes)
    server = at(settings)
    source = run_id or _latest_writer(server)
    found = server.rejudge(
        source, judges=values.judges, criteria=values.criteria, budget_usd=changes.budget_usd
    )
    say(view, f"run {found} judges run {source} again on the server; no text is written")
    return _follow(server, found, view)


def _latest_writer(server: Client) -> str:
    """Return the latest run, or the run whose candidates it judges."""
    wanted = server.latest()
    for one in server.runs():
        if one["id"] == wanted:
            if one["rejudged_from"] is None:
                break
            wanted = one["rejudged_from"]
    return wanted


def stop(settings: Settings, run_id: str | None, how: str, *, as_json: bool) -> None:
    """Cancel or pause a run on the server."""
    server = at(settings)
    found = run_id or server.latest()
    if how == "cancel":
        server.cancel(found)
    else:
        server.pause(found)
    result = server.show(found)
    if as_json:
        print_json(result)
        return
    done = "is being cancelled" if how == "cancel" else f"is {result.state}"
    echo(f"run {result.run_id} {done}; calls in flight end and are kept")


def show(settings: Settings, run_id: str | None, *, as_json: bool) -> None:
    """Show the result of a run on the server."""
    server = at(settings)
    result = server.show(run_id or server.latest())
    if as_json:
        print_json(result)
        return
    echo(f"run {result.run_id}: {result.state}\n")
    view_results.print_result(result)
    voted = None if result.state == "deleted" else server.votes(result.run_id)
    if voted is not None and voted.votes:
        echo(ballots.summary(voted))
    hint = view_results.retry_hint(result)
    if hint is not None:
        echo(hint)


def status(settings: Settings, run_id: str | None, *, as_json: bool) -> None:
    """Show the progress of a run on the server."""
    server = at(settings)
    values = server.status(run_id or server.latest())
    if as_json:
        echo(json.dumps(values))
        return
    progress = run_events.as_progress(values)
    echo(f"run {values['run_id']}: {progress.state}")
    echo(view_progress.as_line(progress))
    for line in (*cause_lines(progress.failures), *view_progress.waits(progress)):
        echo(line)


def runs(settings: Settings, limit: int) -> list[dict[str, Any]]:
    """Return the newest runs on the server."""
    return list(islice(at(settings).runs(), limit))


def write_files(settings: Settings, run_id: str | None, to: Path | None) -> Path:
    """Write the files of a run on the server below ``to``; return the path of its report.

    Raises:
        RequestError: No folder is given; the folders of the config are on another machine.
    """
    if to is None:
        raise RequestError("choose a folder for the files of a run on a server, as in --to .")
    server = at(settings)
    found = server.show(run_id or server.latest()).run_id
    folders = ExportFolders(to / "outputs", to / "winners", to / "reports")
    extract(server.files(found), folders)
    return folders.reports / found / "index.html"


def at(settings: Settings) -> Client:
    """Return the client of the server in the environment, which must name one."""
    found = client(settings)
    assert found is not None  # noqa: S101  callers have looked
    return found


def _follow(server: Client, run_id: str, view: View) -> int:
    if not followed(server, run_id, view):
        return foreground.INTERRUPTED
    code = _outcome(server, run_id, view)
    say(view, f"`acm export {run_id} --to FOLDER` writes its files")
    return code


def followed(server: Client, run_id: str, view: View) -> bool:
    """Show the progress of a run until it ends; return False if the user stopped following."""
    try:
        with view_progress.reporter(view) as show_progress:

            def tell(event: RunEvent) -> None:
                if event.kind == "progress":
                    show_progress(run_events.as_progress(event.data))

            server.follow(run_id, tell)
    except KeyboardInterrupt:
        say(view, f"the server continues run {run_id}; `acm follow {run_id}` follows it again")
        return False
    return True


def _outcome(server: Client, run_id: str, view: View) -> int:
    result = server.show(run_id)
    if view == "json":
        print_json(result)
    else:
        view_results.print_result(result)
    return foreground.exit_code(result)


def plan(server: Client, path: Path, only: Sequence[str]) -> RunPlan:
    """Return a server's plan for a config."""
    return server.plan(path, only=only)


class RemoteVoting:
    """The votes of a person on the server that the environment names."""

    def __init__(self, settings: Settings, run_id: str | None, voter: str) -> None:
        self._server, self._voter = at(settings), voter
        self._run_id = run_id or self._server.latest()

    def next(self) -> Ballot | None:
        """Return the next pair; None if the person has seen all pairs."""
        return self._server.next_vote(self._run_id, voter=self._voter)

    def cast(self, vote_id: str, choice: Choice) -> CastVote:
        """Save the choice of the person for a pair."""
        return self._server.cast_vote(self._run_id, vote_id, choice, voter=self._voter)

    def undo(self) -> CastVote:
        """Undo the last vote."""
        return self._server.undo_vote(self._run_id, voter=self._voter)

    def result(self) -> VotingResult:
        """Return the results of the votes."""
        return self._server.votes(self._run_id)


def extract(archive: bytes, into: ExportFolders) -> None:
    """Write the files of an archive into the folders of a config; existing files are kept.

    Raises:
        RequestError: A file would be outside the folders, or a folder cannot be written.
    """
    places = {"outputs": into.outputs, "winners": into.winners, "reports": into.reports}
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            top, *rest = PurePosixPath(name).parts
            if top not in places or not rest or ".." in rest or name.startswith("/"):
                raise RequestError(f"the server's archive names {name!r}, which is not of a run")
            atomic.write(places[top].joinpath(*rest), files.read(name))
