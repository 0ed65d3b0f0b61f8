"""`acm delete`: delete the texts of runs and keep their bills."""

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson
from acm_api.cli.view.output import echo, echo_json
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acm_workers.settings import Settings
    from schemas.run import DeletedRun

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_MOST = 10_000
"""Maximum number of runs that one command deletes."""


def delete(
    run_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Ids of runs, or their first characters."),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Every run that ended longer ago than this, such as 30d, 12h or 4w.",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="With --older-than: delete the runs instead of listing them."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the texts of runs from the store: prompts, answers, candidates, documents, scores.

    Their bills are kept: names of documents and models, calls, tokens, times and cost. Runs that
    judged the same candidates again are deleted with them. Files in your folders are not changed. A
    run that is in progress is not deleted.
    """
    from acm_workers.settings import Settings

    if bool(run_ids) == (older_than is not None):
        raise RequestError("name runs, or give --older-than TIME")
    age = None if older_than is None else _age(older_than)
    work = _at_server if Settings().api_url is not None else _here
    work(Settings(), run_ids or (), age, lambda found: _confirmed(found, yes=yes), as_json=as_json)


def _here(
    settings: "Settings",
    run_ids: "Sequence[str]",
    age: timedelta | None,
    confirm: "Callable[[Sequence[str]], None]",
    *,
    as_json: bool,
) -> None:
    from acm_api.cli.common import open_store, operator
    from acm_workers import runtime, submit
    from acm_workers.store import deletion

    with open_store(settings) as database:
        if age is not None:
            with database.read() as connection:
                before = runtime.utc_now() - age
                run_ids = deletion.ended_before(connection, before, _MOST)
            confirm(run_ids)
        _report(
            run_ids,
            lambda one: submit.delete(database, one, runtime.making(), operator()),
            as_json=as_json,
        )


def _at_server(
    settings: "Settings",
    run_ids: "Sequence[str]",
    age: timedelta | None,
    confirm: "Callable[[Sequence[str]], None]",
    *,
    as_json: bool,
) -> None:
    from acm_api.cli import remote
    from acm_workers import runtime

    server = remote.at(settings)
    if age is not None:
        before = (runtime.utc_now() - age).isoformat()
        run_ids = [
            one["id"]
            for one in server.runs()
            if one["state"] != "deleted" and one["finished_at"] and one["finished_at"] < before
        ]
        confirm(run_ids)
    _report(run_ids, server.delete, as_json=as_json)


def _report(
    run_ids: "Sequence[str]", delete_one: "Callable[[str], DeletedRun]", *, as_json: bool
) -> None:
    """Delete runs one after another, and print one line for each."""
    gone: set[str] = set()
    for run_id in run_ids:
        if run_id in gone:  # with the run whose candidates it judged
            continue
        deleted = delete_one(run_id)
        gone |= {deleted.run_id, *deleted.also}
        if as_json:
            echo_json(deleted.model_dump_json())
            continue
        echo(f"run {deleted.run_id} is {deleted.reason}; files in your folders are not changed")
        for other in deleted.also:
            echo(f"run {other}, which judged its candidates again, is deleted as well")


def _confirmed(found: "Sequence[str]", *, yes: bool) -> None:
    if not found:
        echo("no run is that old", err=True)
        raise typer.Exit(0)
    if yes:
        return
    for run_id in found:
        echo(run_id)
    which = "this run" if len(found) == 1 else f"these {len(found)} runs"
    raise RequestError(f"--yes deletes the texts of {which}")


def _age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,5})([hdw])", text.strip())
    if found is None:
        raise RequestError(f"--older-than takes a time such as 30d, 12h or 4w, not {text}")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
