"""The difference of two runs on the terminal."""

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import console, count, number, usd
from acm_api.cli.view.output import printable
from schemas.run_difference import (
    ComparedRun,
    DocumentDifference,
    MeasuredDifference,
    RunDifference,
)

_COLOURS = {"better": "green", "worse": "red", "not comparable": "yellow"}
_MOST_DOCUMENTS = 30
_MOST_CHANGES = 40


def print_difference(found: RunDifference) -> None:
    """Print the conclusion, the measures, the config differences, and each document."""
    out = console()
    for letter, run in (("A", found.a), ("B", found.b)):
        out.print(
            Text(printable(f"{letter}: run {run.run_id} ({run.title}), {_cost_line(run)}")),
            soft_wrap=True,
        )
    for line in found.warnings:
        out.print(Text(printable(line)), style="yellow", soft_wrap=True)
    conclusion = Text(f"\nB is {found.conclusion}", style=_COLOURS.get(found.conclusion, "bold"))
    if found.conclusion == "no difference seen":
        conclusion = Text("\nno difference seen", style="bold")
    out.print(conclusion + Text(f": {printable(found.reason)}"), soft_wrap=True)
    if found.measures or found.win_rate:
        out.print(_measures(found))
        out.print(
            Text(f"winners and all texts: intervals of {100 * found.interval:g} %"),
            style="dim",
        )
    _print_changes(found)
    _print_documents(found)


def _cost_line(run: ComparedRun) -> str:
    took = "" if run.seconds is None else f", {_duration(run.seconds)}"
    cached = f" ({run.cached} answered from earlier calls)" if run.cached else ""
    return f"{run.state}: {usd(run.usd)} for {count(run.calls, 'call')}{cached}{took}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _measures(found: RunDifference) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("score of", no_wrap=True)
    for heading in ("A", "B", "B - A", "interval", "documents"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in (*found.measures, *found.criteria):
        table.add_row(*_cells(one))
    if found.win_rate is not None:
        table.add_row(*_cells(found.win_rate))
    return table


def _cells(one: MeasuredDifference) -> tuple[Text | str, ...]:
    difference = "" if one.difference is None else f"{one.difference:+.2f}"
    interval = "" if one.low is None else f"{one.low:+.2f} to {one.high:+.2f}"
    name = Text(printable(one.name))
    return name, number(one.a), number(one.b), difference, interval, str(one.pairs)


def _print_changes(found: RunDifference) -> None:
    out = console()
    if not found.changes:
        out.print("\nthe configs are equal")
        return
    out.print("\ndifferences between the configs:")
    for change in found.changes[:_MOST_CHANGES]:
        a, b = (("absent" if one is None else one) for one in (change.a, change.b))
        out.print(Text(printable(f"  {change.key}: {a} -> {b}")), soft_wrap=True)
    _print_rest(len(found.changes) - _MOST_CHANGES, "value")


def _print_documents(found: RunDifference) -> None:
    out = console()
    shown = sorted(found.documents, key=lambda one: -abs(one.difference or 0.0))
    if shown:
        out.print(f"\n{count(len(shown), 'document')}, the largest differences first:")
    for one in shown[:_MOST_DOCUMENTS]:
        out.print(Text(printable(_line(one))), soft_wrap=True)
    _print_rest(len(shown) - _MOST_DOCUMENTS, "document")
    for what, paths in (
        ("only in A", found.only_a),
        ("only in B", found.only_b),
        ("in both with different texts, so not compared", found.altered),
        ("without a winner in one of them", found.undecided),
    ):
        if paths:
            named = ", ".join(paths[:_MOST_DOCUMENTS])
            more = "" if len(paths) <= _MOST_DOCUMENTS else ", …"
            out.print(
                Text(printable(f"{what} ({len(paths)}): {named}{more}")),
                style="yellow",
                soft_wrap=True,
            )


def _line(one: DocumentDifference) -> str:
    difference = "" if one.difference is None else f" {one.difference:+.2f}"
    was = "" if one.path == one.a_path else f" (in A: {one.a_path})"
    return f"  {one.path}{was}{difference}: {' '.join(one.why)}"


def _print_rest(more: int, noun: str) -> None:
    if more > 0:
        console().print(f"  and {count(more, noun)} more; --json has all")
