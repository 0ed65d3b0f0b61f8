"""Following a run: a live view in a terminal, plain lines elsewhere, JSON lines for machines."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from acm_api.cli import interrupts
from acm_api.cli.show import doubt, usd
from acm_api.following import Watcher
from acm_workers.store.results import Progress
from schemas.units import UnitKind

View = Literal["live", "plain", "json"]

_WORK: dict[UnitKind, str] = {
    "artifact": "candidates",
    "evaluation": "scores",
    "comparison": "comparisons",
}
_STAGES = ("generate", "compare", "combine", "playoff")
_PLAIN_EVERY_S = 5.0
_ENOUGH = 20


def choose(*, plain: bool, as_json: bool) -> View:
    """Return the view that fits: what was asked for, else what the output can show."""
    if as_json:
        return "json"
    return "plain" if plain or not sys.stdout.isatty() else "live"


@contextmanager
def watcher(view: View, console: Console) -> Iterator[Watcher]:
    """Give a function that shows progress for as long as the context is open.

    Where Ctrl-C came and was lost, it raises ``KeyboardInterrupt`` instead.
    """
    with interrupts.kept() as interrupted, _shower(view, console) as show:

        def look(progress: Progress) -> None:
            interrupted()
            show(progress)

        yield look


@contextmanager
def _shower(view: View, console: Console) -> Iterator[Watcher]:
    if view != "live":
        yield _Lines(as_json=view == "json")
        return
    picture = _Picture()
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        yield lambda progress: live.update(picture.of(progress))


class _Lines:
    """Prints a line when something moved, but not too often."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._last = ""
        self._printed_at = -_PLAIN_EVERY_S

    def __call__(self, progress: Progress) -> None:
        line = json.dumps({"progress": as_dict(progress)}) if self._as_json else as_line(progress)
        ended = progress.state != "running"
        due = time.monotonic() - self._printed_at >= _PLAIN_EVERY_S
        if line != self._last and (due or ended):
            typer.echo(line)
            sys.stdout.flush()
            self._last, self._printed_at = line, time.monotonic()


def as_dict(progress: Progress) -> dict[str, Any]:
    """Return progress for machines."""
    waiting = [
        {**wait._asdict(), "until": None if wait.until is None else wait.until.isoformat()}
        for wait in progress.waits
    ]
    expected = None if progress.expected is None else progress.expected.model_dump()
    return {
        "units": progress.units,
        "documents": progress.stages,
        "calls": progress.calls._asdict(),
        "reason": progress.reason,
        "waits": waiting,
        "expected": expected,
    }


def as_line(progress: Progress) -> str:
    """Return progress as one line for people."""
    work = ", ".join(_of(progress, kind, name) for kind, name in _WORK.items())
    return f"{_documents(progress)}; {work}; {_calls(progress)}; {_spent(progress)}"


class _Picture:
    """The live view of one process, which knows when it began and with how much done."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._before: int | None = None

    def of(self, progress: Progress) -> Group:
        """Return the picture of ``progress``."""
        elapsed_s = time.monotonic() - self._began
        table = Table.grid(padding=(0, 2))
        for kind, name in _WORK.items():
            states = progress.units[kind]
            ended, total = _ended(states), sum(states.values())
            failed = f"{states['failed']} failed" if states.get("failed") else ""
            done = f"{states.get('done', 0)}/{total}"
            table.add_row(name, _bar(ended, total), done, Text(failed, style="red"))
        return Group(
            Text(f"{_documents(progress)}   {_clock(elapsed_s)}"),
            table,
            Text(_calls(progress), style="dim"),
            Text(_spent(progress) + self._left(progress, elapsed_s), style="dim"),
            *(Text(line, style="yellow") for line in waits(progress)),
        )

    def _left(self, progress: Progress, elapsed_s: float) -> str:
        """Return how long it will take if calls go on as they did; nothing before that is known."""
        ended = progress.calls.sent + progress.calls.cached - progress.calls.in_flight
        if self._before is None:
            self._before = ended
        done = ended - self._before
        if progress.expected is None or done < _ENOUGH:
            return ""
        left = max(_most(progress) - ended, 0)
        return f"; at most about {_clock(left * elapsed_s / done)} left"


def waits(progress: Progress) -> list[str]:
    """Return what units wait for, a line for each provider."""
    lines = [
        f"{wait.units} wait for {wait.provider}: {wait.reason}"
        + ("" if wait.until is None else f" (next at {wait.until:%H:%M:%S} UTC)")
        for wait in progress.waits
    ]
    return lines if progress.reason is None else [*lines, f"{progress.state}: {progress.reason}"]


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _bar(ended: int, total: int, width: int = 28) -> Text:
    full = 0 if total == 0 else round(width * ended / total)
    return Text("━" * full, style="green") + Text("─" * (width - full), style="bright_black")


def _documents(progress: Progress) -> str:
    stages = progress.stages
    parts = [f"{stages[name]} in {name}" for name in _STAGES if stages.get(name)]
    parts += [f"{number} {name}" for name, number in sorted(stages.items()) if name not in _STAGES]
    return "documents: " + (", ".join(parts) or "none yet")


def _calls(progress: Progress) -> str:
    calls = progress.calls
    most = "" if progress.expected is None else f" of at most {_most(progress)}"
    uncertain = f" {calls.uncertain} uncertain," if calls.uncertain else ""
    return (
        f"{calls.sent}{most} calls, {calls.in_flight} in flight, {calls.failed} failed,{uncertain}"
        f" {calls.cached} cached"
    )


def _most(progress: Progress) -> int:
    """Return the most calls that a run may take: what fails or is uncertain is asked for again."""
    expected = 0 if progress.expected is None else progress.expected.calls
    calls = progress.calls
    # Who asks for repairs asks more often than anybody could expect.
    return max(expected + calls.failed + calls.uncertain, calls.sent)


def _spent(progress: Progress) -> str:
    calls, expected = progress.calls, progress.expected
    unpriced = f" and {calls.unpriced} calls of unknown price" if calls.unpriced else ""
    uncertain = doubt(calls.uncertain, calls.uncertain_usd)
    spent = f"spent {usd(calls.cost_usd)}{unpriced}{uncertain}"
    if expected is None or expected.usd is None:
        return spent
    return f"{spent}, at most about {usd(expected.usd)} expected"


def _of(progress: Progress, kind: UnitKind, name: str) -> str:
    states = progress.units[kind]
    failed = f" ({states['failed']} failed)" if states.get("failed") else ""
    return f"{states.get('done', 0)}/{sum(states.values())} {name}{failed}"


def _ended(states: dict[str, int]) -> int:
    return sum(states.get(state, 0) for state in ("done", "failed"))
