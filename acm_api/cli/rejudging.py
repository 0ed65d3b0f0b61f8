"""What rejudge does: judge the texts of a run again, and show both rankings."""

from pathlib import Path

from acm_api.cli import show, working
from acm_api.cli.live import View
from acm_api.cli.opening import find, store
from acm_api.cli.terminal import plain
from acm_api.config import rejudging
from acm_api.config.rejudging import Changes
from acm_workers import broker, runtime, submit
from acm_workers.engine.rejudging import Begun
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from schemas.run import ExpectedTotals, Run


def rejudge(run_id: str | None, changes: Changes, view: View) -> int:
    """Judge the candidates of a run again; return the exit code."""
    settings = Settings()
    distributed = settings.broker_url is not None
    if distributed:
        broker.check(settings)
    with store(settings) as database:
        of = _meant(database, run_id)
        # Keys, and the way to providers, are matters of the workers.
        wanted = rejudging.effective(of, changes, keys=not distributed)
        for note in wanted.notes:
            working.say(view, note)
        if not distributed:
            place = changes.config or Path(f"run {of.id}")
            working.check_reach(wanted.config, place, writes=False)
        submitted = submit.rejudge(database, of, wanted.config, runtime.making())
        found = find(database, submitted.run_id)
        for line in _begun(of, found, submitted):
            working.say(view, line)
        return working.work_on(database, found, view, settings)


def _meant(database: Database, run_id: str | None) -> Run:
    """Return the run that was named, or the latest that wrote its candidates itself.

    So the same command again finds the run that it began, and not one to begin anew from.
    """
    found = find(database, run_id)
    while run_id is None and found.rejudged_from is not None:
        found = find(database, found.rejudged_from)
    return found


def _begun(of: Run, found: Run, submitted: Begun) -> list[str]:
    """Return what is judged, and what is not, for people."""
    stock = submitted.stock
    if stock is None:
        return [f"going on with run {found.id}; what is done stays done"]
    combined = sum(stock.combined)
    candidates = show.count(sum(stock.first) + combined, "candidate")
    lines = [
        f"run {found.id} judges run {of.id} again: {candidates} ({combined} combined) of"
        f" {show.count(len(stock.documents), 'document')}; nothing is written anew",
        *([] if found.expected is None else [_most(found.expected)]),
    ]
    if of.state in ("running", "paused"):
        lines.append(f"run {of.id} is {of.state}: only what it has written so far is judged")
    if stock.unwritten:
        lines.append(f"left out, for they were not written: {stock.unwritten} planned candidates")
    lines += [f"left out, for it has no candidate: {plain(path)}" for path in stock.empty]
    return lines


def _most(expected: ExpectedTotals) -> str:
    calls = show.count(expected.calls, "call")
    cost = "an unknown cost" if expected.usd is None else show.usd(expected.usd)
    return f"at most {calls} and {cost}; answers that are stored cost nothing"
