"""The progress of a run: a live view in a terminal, plain lines elsewhere, JSON for machines."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from acm_api import run_events
from acm_api.cli.view.activity import ActivityReader, ActivityTables
from acm_api.cli.view.failures import cause_lines
from acm_api.cli.view.formatting import console, count, uncertain_cost, usd
from acm_api.cli.view.output import echo
from acm_api.execution import ProgressCallback
from acm_workers.store.results import Progress
from schemas.run import FailureCause, Phase
from schemas.units import UnitKind

View = Literal["live", "plain", "json"]

_KINDS: dict[UnitKind, str] = {
    "artifact": "candidates",
    "evaluation": "scores",
    "comparison": "comparisons",
}
_STAGES = ("generate", "score", "compare", "combine", "playoff")
_PHASES: dict[Phase, str] = {
    "generation": "generating",
    "single_doc": "scoring",
    "pairwise": "comparing",
    "post_combine": "in the playoffs",
    "finished": "",
}
_LINE_INTERVAL_S = 5.0
_OTHER_LINES = 6
"""Lines of the live view besides units, causes and waits: totals, and some for wrapped lines."""

_MOST_CAUSES = 5
"""Maximum lines of failures in the live view."""

_STOP_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
]
_ENOUGH_CALLS = 20
"""Number of ended calls from which the remaining time is estimated."""


def phase_and_percent(progress: Progress) -> str:
    """Return the phase and the percentage of a run, printed after its state; empty at its end."""
    doing = _PHASES[progress.phase]
    return f", {doing}, {progress.percent} %" if doing else ""


def choose(*, plain: bool, as_json: bool) -> View:
    """Return the view that the options select; by default the best one that the output supports."""
    if as_json:
        return "json"
    return "plain" if plain or not sys.stdout.isatty() else "live"


def say(view: View, line: str) -> None:
    """Print a message; with JSON output it goes to stderr."""
    if view == "json":
        echo(line, err=True)
    else:
        console().print(Text(line), soft_wrap=True)


@contextmanager
def reporter(view: View, read: ActivityReader | None = None) -> Iterator[ProgressCallback]:
    """Provide a callback that shows progress while the context is open.

    The callback raises ``KeyboardInterrupt`` where Python lost one.

    Args:
        view: The kind of view.
        read: Function that reads the activity of the run by document and model, for the live view.
    """
    with pending_interrupts() as raise_pending, _display(view, read) as show:

        def report(progress: Progress) -> None:
            raise_pending()
            show(progress)

        yield report


@contextmanager
def pending_interrupts() -> Iterator[Callable[[], None]]:
    """Provide a function that raises ``KeyboardInterrupt`` if a request to stop was lost.

    Such requests are Ctrl-C, the end of the terminal, and SIGTERM. Python raises
    ``KeyboardInterrupt`` at the current position of the main thread. Within a callback of the
    garbage collector the exception is printed and dropped, so that the command would continue and
    cost money. Ignored signals, as with ``nohup``, stay ignored.
    """
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if number != signal.SIGINT:  # a shell and the system both tell that a terminal has gone
            signal.signal(number, signal.SIG_IGN)
        signal.default_int_handler(number, frame)

    def raise_pending() -> None:
        if received:
            received.clear()
            raise KeyboardInterrupt

    report_dropped = sys.unraisablehook

    def report_others(dropped: "sys.UnraisableHookArgs") -> None:
        if not isinstance(dropped.exc_value, KeyboardInterrupt):  # which is raised again
            report_dropped(dropped)

    sys.unraisablehook = report_others
    usual = (signal.SIG_DFL, signal.default_int_handler)
    previous = {number: signal.getsignal(number) for number in _STOP_SIGNALS}
    handled = {number: one for number, one in previous.items() if one in usual}
    for number in handled:
        signal.signal(number, handle)
    try:
        yield raise_pending
    finally:
        sys.unraisablehook = report_dropped
        for number, handler in handled.items():
            signal.signal(number, handler)


@contextmanager
def _display(view: View, read: ActivityReader | None) -> Iterator[ProgressCallback]:
    if view != "live":
        yield _LinePrinter(as_json=view == "json")
        return
    picture = _LiveView(None if read is None else ActivityTables(read))
    with Live(console=console(), refresh_per_second=8, transient=True) as live:
        yield lambda progress: live.update(picture.of(progress))


class _LinePrinter:
    """Prints a line when progress has changed, at most every few seconds."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._last = ""
        self._told: set[tuple[str, str, str]] = set()
        self._printed_at = -_LINE_INTERVAL_S

    def __call__(self, progress: Progress) -> None:
        line = (
            json.dumps({"progress": run_events.as_values(progress)})
            if self._as_json
            else as_line(progress)
        )
        ended = progress.state != "running"
        due = time.monotonic() - self._printed_at >= _LINE_INTERVAL_S
        if line != self._last and (due or ended):
            echo(line)
            if not self._as_json:
                self._print_new_causes(progress)
            sys.stdout.flush()
            self._last, self._printed_at = line, time.monotonic()

    def _print_new_causes(self, progress: Progress) -> None:
        new = [cause for cause in progress.failures if _name(cause) not in self._told]
        for line in cause_lines(new, _MOST_CAUSES):
            echo(f"  {line}")
        self._told.update(map(_name, new))


def _name(cause: FailureCause) -> tuple[str, str, str]:
    return cause.provider, cause.model, cause.reason


def as_line(progress: Progress) -> str:
    """Return progress as one line of text."""
    units = ", ".join(_units(progress, kind, name) for kind, name in _KINDS.items())
    return f"{_documents(progress)}; {units}; {_calls(progress)}; {_spent(progress)}"


def waits(progress: Progress) -> list[str]:
    """Return a line for each provider that units wait for, and why the run is paused."""
    lines = [
        f"{wait.units} {'waits' if wait.units == 1 else 'wait'} for {wait.provider}: {wait.why}"
        + ("" if wait.until is None else f" (next at {wait.until:%H:%M:%S} UTC)")
        for wait in progress.waits
    ]
    if progress.state == "running":
        lines += [f"{paused}; its remaining units are not tried" for paused in progress.paused]
    return lines if progress.reason is None else [*lines, f"{progress.state}: {progress.reason}"]


class _LiveView:
    """A live view of progress, with elapsed and remaining time since the start of this process."""

    def __init__(self, activity: ActivityTables | None) -> None:
        self._activity = activity
        self._began = time.monotonic()
        self._calls_before: int | None = None

    def of(self, progress: Progress) -> Group:
        elapsed_s = time.monotonic() - self._began
        table = Table.grid(padding=(0, 2))
        for kind, name in _KINDS.items():
            states = progress.units[kind]
            done, failed, total = (
                states.get("done", 0),
                states.get("failed", 0),
                sum(states.values()),
            )
            failures = Text(f"{failed} failed" if failed else "", style="red")
            table.add_row(name, _bar(done + failed, total), f"{done}/{total}", failures)
        lines: list[RenderableType] = [
            *(Text(line, style="dim") for line in progress.children),
            *(Text(line, style="red") for line in cause_lines(progress.failures, _MOST_CAUSES)),
            *(Text(line, style="yellow") for line in waits(progress)),
        ]
        space = console().height - len(_KINDS) - len(lines) - _OTHER_LINES
        tables = None
        if self._activity is not None:
            tables = self._activity.draw(console().width, space)
        return Group(
            Text(f"{_documents(progress)}   {_clock(elapsed_s)}"),
            table,
            Text(_calls(progress), style="dim"),
            Text(_spent(progress) + self._remaining(progress, elapsed_s), style="dim"),
            *lines,
            *(() if tables is None else (Text(""), tables)),
        )

    def _remaining(self, progress: Progress, elapsed_s: float) -> str:
        """Return the remaining time at the speed so far, once enough calls have ended."""
        ended = progress.calls.sent + progress.calls.cached - progress.calls.in_flight
        if self._calls_before is None:
            self._calls_before = ended
        done = ended - self._calls_before
        if progress.expected is None or done < _ENOUGH_CALLS:
            return ""
        left = max(_likely_calls(progress) - ended, 0)
        return f"; about {_clock(left * elapsed_s / done)} left"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _bar(ended: int, total: int, width: int = 28) -> Text:
    full = 0 if total == 0 else round(width * ended / total)
    return Text("━" * full, style="green") + Text("─" * (width - full), style="bright_black")


def _documents(progress: Progress) -> str:
    stages = dict(progress.stages)
    written = progress.units["artifact"]
    if "generate" in stages and written and written.keys() <= {"done", "failed"}:
        stages["score"] = stages.pop("generate")  # nothing is left to write at this stage
    parts = [f"{stages[name]} in {name}" for name in _STAGES if stages.get(name)]
    parts += [f"{number} {name}" for name, number in sorted(stages.items()) if name not in _STAGES]
    return "documents: " + (", ".join(parts) or "none yet")


def _calls(progress: Progress) -> str:
    calls = progress.calls
    sent = count(calls.sent, "call")
    if progress.expected is not None:
        sent = f"{calls.sent} of about {count(_likely_calls(progress), 'call')}"
    uncertain = f" {calls.uncertain} uncertain," if calls.uncertain else ""
    return (
        f"{sent}, {calls.in_flight} in flight, {calls.failed} failed,{uncertain}"
        f" {calls.cached} cached"
    )


def _likely_calls(progress: Progress) -> int:
    """Return the likely number of calls of a run; failed and uncertain calls are repeated."""
    expected = 0 if progress.expected is None else progress.expected.calls
    calls = progress.calls
    # Repairs are not expected, so more calls may have been sent.
    return max(expected + calls.failed + calls.uncertain, calls.sent)


def _spent(progress: Progress) -> str:
    calls, expected = progress.calls, progress.expected
    unpriced = f" and {count(calls.unpriced, 'call')} of unknown price" if calls.unpriced else ""
    uncertain = uncertain_cost(calls.uncertain, calls.uncertain_usd)
    spent = f"spent {usd(calls.cost_usd)}{unpriced}{uncertain}"
    if expected is None or expected.usd is None:
        return spent
    return f"{spent}, about {usd(expected.usd)} expected"


def _units(progress: Progress, kind: UnitKind, name: str) -> str:
    states = progress.units[kind]
    failed = f" ({states['failed']} failed)" if states.get("failed") else ""
    return f"{states.get('done', 0)}/{sum(states.values())} {name}{failed}"
