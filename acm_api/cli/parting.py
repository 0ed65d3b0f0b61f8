"""What is said of a run that goes on without the command that began it."""

import shlex

from acm_api.cli import show
from acm_workers.settings import Settings
from acm_workers.store import open_calls
from acm_workers.store.connection.database import Database
from schemas.run import Run


def detached(database: Database, found: Run, settings: Settings, again: str | None) -> str:
    """Return what to say of a run that this process worked on and left."""
    elsewhere = settings.home != Settings().home
    acm = f"ACM_HOME={shlex.quote(str(settings.home))} acm" if elsewhere else "acm"
    again = again or f"{acm} resume {found.id}   (or the same command again)"
    told = (
        f"stopped; everything answered so far is saved. Run {found.id}:\n"
        f"  go on:   {again}\n"
        f"  look:    {acm} status {found.id}\n"
        f"  give up: {acm} cancel {found.id}"
    )
    with database.read() as connection:
        going_on = len(open_calls.awaited(connection, found.id))
    if not going_on:
        return told
    number = show.count(going_on, "answer")
    return f"{told}\nin the background: {number}; going on finds them, giving up ends them"


def left_to_workers(found: Run) -> str:
    """Return what to say of a run that workers elsewhere go on with."""
    return (
        f"workers go on with run {found.id}:\n"
        f"  follow:  acm follow {found.id}   (or the same command again; both write the files)\n"
        f"  look:    acm status {found.id}\n"
        f"  give up: acm cancel {found.id}"
    )
