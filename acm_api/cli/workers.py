"""`acm status --workers`: machines, their processes, and the queues they serve."""

import json
from datetime import datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from acm_api.cli.common import open_store
from acm_api.cli.view.formatting import console, count
from acm_api.cli.view.output import echo
from acm_workers import broker
from acm_workers.errors import RequestError
from acm_workers.monitoring.state import SystemState, SystemStateReader
from acm_workers.monitoring.worker_registry import ALIVE, RegisteredProcess
from acm_workers.settings import Settings
from acm_workers.store.workers import Worker


def status(*, as_json: bool) -> None:
    """Print the current state of all machines.

    Raises:
        RequestError: No broker is set, or its URL is not valid.
    """
    settings = Settings()
    if settings.broker_url is None:
        raise RequestError(
            "ACM_BROKER_URL is not set, so there are no workers: `acm run` executes runs itself"
        )
    broker.check_urls(settings)
    with open_store(settings) as database:
        state = SystemStateReader(database, settings).look()
    if as_json:
        echo(json.dumps(as_dict(state), default=str))
        return
    out = console()
    if state.processes:
        out.print(_processes(state))
    else:
        out.print("no worker is running: start `acm worker --all` on a machine")
    if state.queues is not None:
        out.print(_queues(state))
    for line in _lines(state):
        out.print(Text(line), soft_wrap=True)


def as_dict(state: SystemState) -> dict[str, Any]:
    """Return a system state as values for JSON."""
    return {
        "now": state.now.isoformat(),
        "processes": [_as_dict(state, process) for process in state.processes],
        "supervisors": [
            {**one._asdict(), "alive": _is_there(state, one)} for one in state.registered
        ],
        "queues": None
        if state.queues is None
        else {
            name: {"waiting": number, "served_by": state.servers(name)}
            for name, number in state.queues.items()
        },
        "waits": [
            {"run_id": run_id, **held._asdict()}
            for run_id, waiting in state.waiting.items()
            for held in waiting
        ],
        "limits": {name: dict(limits) for name, limits in state.limits.items()},
        "runs": list(state.runs),
        "swept_at": state.swept_at,
        "faults": list(state.faults),
    }


def _as_dict(state: SystemState, process: Worker) -> dict[str, Any]:
    about = process._asdict()
    del about["owner"]
    return {**about, "queues": list(process.queues), "alive": state.is_alive(process)}


def _processes(state: SystemState) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("machine")
    table.add_column("process", overflow="fold")
    for column in ("pid", "threads", "in flight"):
        table.add_column(column, justify="right")
    for column in ("last task", "last seen", "queues"):
        table.add_column(column)
    for process in state.processes:
        seen = _ago(state.now, process.seen_at)
        alive = state.is_alive(process)
        table.add_row(
            process.host,
            process.name,
            str(process.pid),
            str(process.threads),
            str(process.in_flight) if alive else "",
            _ago(state.now, process.last_task_at),
            Text(seen) if alive else Text(f"{seen}: dead", style="red"),
            " ".join(process.queues),
        )
    return table


def _queues(state: SystemState) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("\nqueue")
    table.add_column("\nmessages", justify="right")
    table.add_column("\nserved by")
    for name, waiting in (state.queues or {}).items():
        servers = state.servers(name)
        by = "1 process" if servers == 1 else f"{servers} processes"
        table.add_row(name, str(waiting), by if servers else Text("nobody", style="red"))
    return table


def _lines(state: SystemState) -> list[str]:
    lines = [f"\n{count(len(state.runs), 'run')} under way"]
    swept = _ago(state.now, state.swept_at)
    lines.append(f"last sweep: {swept}" if swept else "no sweep yet")
    for run_id, waiting in state.waiting.items():
        lines += [
            f"run {run_id}: {count(held.units, 'unit')} of {held.provider} wait: {held.why}"
            for held in waiting
        ]
    for one in state.registered:
        who = f"{one.name} (acm worker, pid {one.pid} on {one.host})"
        if not _is_there(state, one):
            lines.append(f"{who}: dead, last seen {_ago(state.now, one.seen_at)}")
            continue
        lines += [f"{who}: {reason}" for reason in one.reasons]
        lines += [f"{who} does not serve {name}: {why}" for name, why in one.lacking.items()]
    return [*lines, *state.faults]


def _is_there(state: SystemState, one: RegisteredProcess) -> bool:
    return state.now - one.seen_at <= ALIVE


def _ago(now: datetime, then: datetime | None) -> str:
    if then is None:
        return ""
    seconds = max((now - then).total_seconds(), 0.0)
    return f"{seconds:.0f} s ago" if seconds < 120 else f"{seconds / 60:.0f} min ago"
