"""Submissions, tasks and slots on the terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import console, count
from acm_api.cli.view.output import echo
from schemas.submissions import DebugSession, SubmissionTask, Version

if TYPE_CHECKING:
    from acm_api.submissions import SubmittedCode
    from acm_workers.store.outbox import OutboxNotice
    from acm_workers.store.resource_pools import Slot

_COLOURS = {
    "scored": "green",
    "finished": "green",
    "running": "cyan",
    "claimed": "cyan",
    "open": "cyan",
    "rejected": "yellow",
    "timed_out": "yellow",
    "cancelled": "yellow",
    "void": "yellow",
    "failed": "red",
    "lost": "red",
}


def as_dict(found: "SubmittedCode", *, with_content: bool = False) -> dict[str, Any]:
    """Return a submission for JSON."""
    hidden = set() if with_content else {"content", "log"}
    versions = [one.model_dump(mode="json", exclude=hidden) for one in found.versions]
    return {**found.submission.model_dump(mode="json"), "versions": versions}


def message_as_dict(message: "OutboxNotice") -> dict[str, Any]:
    """Return a notice for JSON."""
    return {**message._asdict(), "target": message.target.model_dump(mode="json")}


def print_tasks(tasks: Sequence[SubmissionTask], counts: Mapping[str, Mapping[str, int]]) -> None:
    """Print tasks with the number of their versions by state."""
    if not tasks:
        echo("no tasks yet; `acm submissions tasks FILE` registers the tasks of a file")
        return
    table = _table("task", "title", "mode", "best is", "isolation", "needs", "versions")
    for task in tasks:
        needs = ", ".join(f"{number} {pool}" for pool, number in task.resources.items())
        states = ", ".join(f"{number} {name}" for name, number in counts.get(task.key, {}).items())
        table.add_row(
            task.key, task.title, task.mode, task.direction, task.isolation, needs, states
        )
    console().print(table)


def print_list(found: "Sequence[SubmittedCode]") -> None:
    """Print submissions, one per line."""
    table = _table("number", "task", "author", "state", "versions", "score", "title")
    for one in found:
        latest = one.versions[-1]
        versions = Text(latest.state, style=_COLOURS.get(latest.state, ""))
        if len(one.versions) > 1:
            versions.append(f" ({count(len(one.versions), 'version')})")
        best = next((v.score for v in reversed(one.versions) if v.score is not None), None)
        about = one.submission
        table.add_row(
            str(about.id),
            about.task_key,
            about.author,
            _state(about.state),
            versions,
            _score(best),
            about.title,
        )
    console().print(table)


class ShownNotice(NamedTuple):
    """A notice with the state of its delivery."""

    channel: str
    state: str
    error: str | None
    text: str

    @classmethod
    def of(cls, message: "OutboxNotice") -> "ShownNotice":
        """Return a notice of the store."""
        return cls(message.target.channel, message.state, message.error, message.payload["text"])


def print_one(
    found: "SubmittedCode",
    runs: Sequence[Mapping[str, Any]],
    sessions: Sequence[DebugSession],
    notices: Sequence[ShownNotice],
) -> None:
    """Print a submission without its code and logs."""
    about = found.submission
    echo(f"submission {about.id} for {about.task_key} by {about.author}: {about.state}")
    if about.title:
        echo(f"title: {about.title}")
    if about.tags:
        echo(f"tags: {', '.join(about.tags)}")
    if about.abstract:
        echo(f"abstract: {about.abstract}")
    table = _table("version", "by", "state", "score", "sandbox", "seconds", "what happened")
    for one in found.versions:
        table.add_row(
            str(one.version),
            one.source,
            _state(one.state),
            _score(one.score),
            one.isolation or "",
            _seconds(one),
            _first_message_line(one),
        )
    console().print(table)
    for run in runs:
        if run["outcome"] not in {one.state for one in found.versions}:
            where = f"version {run['version']} on {run['host']}"
            echo(f"an earlier run of {where}: {run['outcome'] or 'still running'}")
    for session in sessions:
        told = session.report_kind or ("no report" if session.state == "ended" else session.state)
        why = "" if session.report_kind or not session.log else f" ({session.log[-500:]})"
        echo(f"debugger: {told}{why}")
    for notice in notices:
        problem = f" ({notice.error})" if notice.error else ""
        echo(f"notice by {notice.channel}: {notice.state}{problem}")
        echo(f"  {notice.text}")


def print_log(log: str, shown: str) -> str:
    """Print the part of a log that follows ``shown``, and return the log."""
    new = log[len(shown) :] if log.startswith(shown) else log
    if new.strip():
        echo(new.rstrip("\n"))
    return log


def print_top(best: "Sequence[SubmittedCode]", formats: Mapping[str, str | None]) -> None:
    """Print the best submissions of a task.

    Args:
        formats: Formats of the secondary metrics by name.
    """
    names = list(formats)
    table = _table("rank", "number", "version", "score", *names, "author", "title")
    for rank, one in enumerate(best, start=1):
        version = one.versions[0]
        metrics = [metric(version.metrics.get(name), formats[name]) for name in names]
        table.add_row(
            str(rank),
            str(version.submission_id),
            str(version.version),
            _score(version.score),
            *metrics,
            one.submission.author,
            one.submission.title,
        )
    console().print(table)


def print_slots(slots: "Sequence[Slot]") -> None:
    """Print slots with their holders."""
    if not slots:
        echo("no slots; `acm resources add POOL NAMES` adds some")
        return
    table = _table("slot", "pool", "variable", "state", "held by", "since (UTC)")
    for slot in slots:
        held = slot.holder is not None
        state = "held" if held else "drained" if slot.drained else "free"
        state += " (drained)" if held and slot.drained else ""
        holder = f"{slot.holder.submission_id} version {slot.holder.version}" if slot.holder else ""
        since = slot.held_since.strftime("%Y-%m-%d %H:%M:%S") if slot.held_since else ""
        table.add_row(slot.id, slot.pool, slot.variable or "", state, holder, since)
    console().print(table)


def metric(value: Any, form: str | None) -> str:
    """Return a secondary metric in its format; a value that does not match it is not formatted."""
    if value is None:
        return ""
    try:
        return format(value, form or "")
    except (ValueError, TypeError):
        return str(value)


def _first_message_line(version: Version) -> str:
    text = version.error or version.message
    return text.splitlines()[0][:200] if text else ""


def _seconds(version: Version) -> str:
    if version.started_at is None or version.finished_at is None:
        return ""
    return f"{(version.finished_at - version.started_at).total_seconds():.1f}"


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.8g}"


def _state(name: str) -> Text:
    return Text(name, style=_COLOURS.get(name, ""))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    return table
