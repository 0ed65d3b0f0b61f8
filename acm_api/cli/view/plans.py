"""Plans of runs, and effective configs."""

import json
from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import console, count, usd
from acm_api.cli.view.output import echo
from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from schemas.plan import ExpectedTotals, PlanAmounts, RunPlan

_NONE = "-"
"""Printed instead of a number that is unknown or has no bound."""


def print_plan(loaded: LoadedConfig, plan: RunPlan, more_notes: tuple[str, ...] = ()) -> None:
    """Print the likely and maximum amounts of a run, and the notes on its config and inputs."""
    out = console()
    units = plan.units
    candidates = count(units["generate"] + units["combine"], "candidate")
    out.print(
        f"{count(plan.documents, 'document')}; at the most {candidates} ({units['combine']}"
        f" combined), {count(units['score'], 'score')}, {count(units['compare'], 'comparison')}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("stage")
    table.add_column("model")
    for heading in ("calls", "most", "tokens", "most", "USD", "most", "minutes"):
        table.add_column(heading, justify="right")
    for line in plan.lines:
        model = Text(f"{line.provider}:{line.model}{' (batch)' if line.batched else ''}")
        table.add_row(line.stage, model, *_cells(line.likely, line.most))
    total = (Text(cell, style="bold") for cell in _cells(plan.likely, plan.most))
    table.add_row("", Text("total", style="bold"), *total)
    out.print(table)
    for remark in _remarks(plan):
        out.print(Text(remark), soft_wrap=True)
    for note in (*loaded.notes, *more_notes):
        out.print(Text(note, style="dim"), soft_wrap=True)


def in_one_line(plan: RunPlan) -> str:
    """Return the likely and maximum amounts of a run as one line."""
    return expectation(
        ExpectedTotals(
            calls=plan.likely.calls or 0,
            usd=plan.likely.usd,
            most_calls=plan.most.calls,
            most_usd=plan.most.usd,
        ),
        plan.likely.minutes,
        batched=any(line.batched for line in plan.lines),
    )


def expectation(
    expected: ExpectedTotals, minutes: float | None = None, *, batched: bool = False
) -> str:
    """Return the likely and maximum calls and cost of a run as text.

    Args:
        batched: Whether the run waits for batches.
    """
    cost = "unknown cost" if expected.usd is None else usd(expected.usd)
    time = "" if minutes is None else f", {minutes:.1f} minutes"
    time += " and up to 24 h for each batch" if batched else ""
    most = []
    if expected.most_calls is not None:
        most.append(f"{expected.most_calls:,} calls")
    if expected.most_usd is not None:
        most.append(usd(expected.most_usd))
    likely = f"likely {expected.calls:,} calls, {cost}{time}"
    return f"{likely}; at the most {', '.join(most)}" if most else likely


def _cells(likely: PlanAmounts, most: PlanAmounts) -> tuple[str, ...]:
    return (
        _formatted(likely.calls),
        _formatted(most.calls),
        _formatted(_tokens(likely)),
        _formatted(_tokens(most)),
        _NONE if likely.usd is None else f"{likely.usd:,.4f}",
        _NONE if most.usd is None else f"{most.usd:,.2f}",
        _NONE if likely.minutes is None else f"{likely.minutes:.1f}",
    )


def _tokens(amounts: PlanAmounts) -> int | None:
    read, written = amounts.input_tokens, amounts.output_tokens
    return None if read is None or written is None else read + written


def _formatted(number: int | None) -> str:
    return _NONE if number is None else f"{number:,}"


def _remarks(plan: RunPlan) -> Iterator[str]:
    likely = plan.likely
    yield (
        f"likely: {likely.input_tokens or 0:,} input, {likely.output_tokens or 0:,} output tokens"
        + (f", {likely.searches:,} searches" if likely.searches else "")
        + ", if no call is repeated"
    )
    yield (
        "most: if every answer has to be repaired and every request repeated as often as retries"
        " allows; not counted are requests that a rate limit refuses, for they cost nothing, and"
        " calls that are repeated because a process ended"
        + ("; budget_usd limits the cost" if plan.budget_usd is None else "")
    )
    for reason in plan.unbounded:
        yield f"no most: {reason}"
    if plan.unknown_prices:
        yield f"cost unknown: there is no price of {', '.join(plan.unknown_prices)}"
    batched = dict.fromkeys(line.stage for line in plan.lines if line.batched)
    if batched:
        yield (
            f"in batches ({', '.join(batched)}): at the batch price, and each may take up to 24 h,"
            " which minutes leaves out; what fails in one is sent again by itself at the full price"
        )
    if any(line.alternative for line in plan.lines):
        yield "combine: one of these models for each document, that of the best candidate"
    if plan.budget_usd is not None:
        budget = f"the budget is {usd(plan.budget_usd)}, which the run cannot exceed"
        if likely.usd is not None and plan.budget_usd < likely.usd:
            budget += "; this one is likely to be paused before it is done"
        yield budget
    yield "minutes: there is no maximum, because providers can make calls wait"


def print_config(loaded: LoadedConfig, *, as_json: bool) -> None:
    """Print all values of a config with their origins."""
    values = loading.effective(loaded)
    if as_json:
        about = {key: {"value": value, "origin": origin} for key, value, origin in values}
        echo(json.dumps(about))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("key", "value", "from"):
        table.add_column(heading, overflow="fold")
    for key, value, origin in values:
        table.add_row(Text(key), Text(json.dumps(value, ensure_ascii=False)), Text(origin))
    console().print(table)
