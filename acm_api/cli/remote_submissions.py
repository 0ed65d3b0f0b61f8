"""`acm submissions` on a server: for users without access to its store."""

import json
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from acm_api.cli import remote
from acm_api.cli.view import submissions as view
from acm_api.cli.view.output import echo
from acm_api.cli.view.submissions import ShownNotice
from acm_api.client import Client
from acm_api.submissions import SubmittedCode
from acm_workers.errors import NotFound
from acm_workers.settings import Settings
from acm_workers.store.submissions import NewSubmission, SubmissionFilter
from schemas.submissions import DebugSession, Submission, Version

_LOOK_S = 0.5


def submit(settings: Settings, new: NewSubmission, code: str) -> int:
    """Submit code on the server; return the number of the submission."""
    return remote.at(settings).submit_code(
        new.task_key,
        code,
        author=new.author,
        title=new.title,
        tags=new.tags,
        abstract=new.abstract,
        tick=new.tick,
        no_debugger=new.no_debugger,
    )


def require_task(settings: Settings, task: str) -> None:
    """Raise an error if the server has no task of that name.

    Raises:
        NotFound: The server has no such task.
    """
    remote.at(settings).top_submissions(task, 1)


def page(
    settings: Settings, wanted: SubmissionFilter, limit: int, before: int | None
) -> list[SubmittedCode]:
    """Return submissions of the server, the newest first; each with one of its versions."""
    found = map(_with_one_version, remote.at(settings).submissions(wanted.task_key))
    return list(islice(_matching(found, wanted, before), limit))


def top(settings: Settings, task: str, limit: int) -> list[SubmittedCode]:
    """Return the best submissions of a task, the best first."""
    return list(map(_with_one_version, remote.at(settings).top_submissions(task, limit)))


def show(settings: Settings, number: int, *, as_json: bool) -> None:
    """Show a submission of the server."""
    shown = remote.at(settings).submission(number)
    if as_json:
        echo(json.dumps(shown.pop("submission") | shown))
        return
    versions = tuple(map(Version.model_validate, shown["versions"]))
    found = SubmittedCode(Submission.model_validate(shown["submission"]), versions)
    sessions = [DebugSession.model_validate(one) for one in shown["sessions"]]
    notices = [
        ShownNotice(one["channel"], one["state"], one["error"], one["text"])
        for one in shown["notices"]
    ]
    view.print_one(found, (), sessions, notices)


def logs(settings: Settings, number: int, version: int | None, *, follow: bool) -> None:
    """Print the output of a version on the server.

    Raises:
        NotFound: The submission has no such version.
    """
    server, shown = remote.at(settings), ""
    while True:
        found = _version(server, number, version)
        log = server.submission_log(number, found["version"])
        shown = view.print_log(log, shown)
        if not follow or found["finished_at"] is not None:
            return
        time.sleep(_LOOK_S)


def _version(server: Client, number: int, version: int | None) -> dict[str, Any]:
    one: dict[str, Any]
    for one in reversed(server.submission(number)["versions"]):
        if version in (None, one["version"]):
            return one
    raise NotFound(f"submission {number} has no version {version}")


def _with_one_version(listed: dict[str, Any]) -> SubmittedCode:
    version = Version.model_validate(listed["version"])
    return SubmittedCode(Submission.model_validate(listed["submission"]), (version,))


def _matching(
    found: Iterator[SubmittedCode], wanted: SubmissionFilter, before: int | None
) -> Iterator[SubmittedCode]:
    for one in found:
        about = one.submission
        if (
            (before is None or about.id < before)
            and wanted.author in (None, about.author)
            and wanted.state in (None, about.state)
        ):
            yield one
