"""How plans, configs and lists of runs look."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from acm_api.cli.show import console, count, state, usd
from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from acm_api.files import inputs
from acm_workers.pipeline import plan as planning
from schemas.run import Run, RunPlan


def plan(loaded: LoadedConfig) -> RunPlan:
    """Return what a run of a config would do."""
    config = loaded.config
    found = inputs.read(Path(config.input_folder), inputs.not_inputs(config))
    texts = [document.text for document in found]
    return planning.plan(config, loaded.instructions, texts, datetime.now(UTC))


def print_plan(loaded: LoadedConfig, found: RunPlan) -> None:
    """Print a plan for people."""
    out = console()
    units = found.units
    candidates = count(units["generate"] + units["combine"], "candidate")
    out.print(
        f"{count(found.documents, 'document')}; at the most {candidates} ({units['combine']}"
        f" combined), {count(units['score'], 'score')}, {count(units['compare'], 'comparison')}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("provider")
    table.add_column("model")
    table.add_column("calls at most", justify="right")
    for provider, by_model in found.calls.items():
        for model, number in by_model.items():
            table.add_row(Text(provider), Text(model), str(number))
    table.add_row("", Text("in all", style="bold"), Text(str(found.calls_in_all), style="bold"))
    out.print(table)
    if sum(sum(by_model.values()) for by_model in found.calls.values()) > found.calls_in_all:
        out.print(
            "by model they add up to more: that of the best candidate combines, whichever it is"
        )
    if found.second_stage_calls:
        out.print(f"{count(found.second_stage_calls, 'call')} of them put prose into JSON")
    tokens = found.tokens
    searches = f" and {found.searches:,} searches" if found.searches else ""
    out.print(f"about {tokens['input']:,} input, {tokens['output']:,} output tokens{searches}")
    out.print(_cost(found))
    if found.minutes is not None:
        out.print(f"at least {found.minutes:g} minutes under the limits per minute")
    for note in loaded.notes:
        out.print(Text(note, style="dim"))


def _cost(found: RunPlan) -> str:
    money = found.usd
    unknown = money["unknown_models"]
    if unknown:
        return f"expected cost: unknown, for there is no price of {', '.join(unknown)}"
    line = f"expected cost: {usd(money['expected'])} at the most"
    if money["searches"]:
        line += f", {usd(money['searches'])} of it for searches"
    if money["budget"] is not None:
        line += f"; the budget is {usd(money['budget'])}"
        if money["budget"] < money["expected"]:
            line += ", and the run may be paused before it is done"
    return line


def print_config(loaded: LoadedConfig, *, as_json: bool) -> None:
    """Print every value of a config and where it came from."""
    values = loading.effective(loaded)
    if as_json:
        kept = {key: {"value": value, "origin": origin} for key, value, origin in values}
        typer.echo(json.dumps(kept))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("key", "value", "from"):
        table.add_column(heading, overflow="fold")
    for key, value, origin in values:
        table.add_row(Text(key), Text(json.dumps(value, ensure_ascii=False)), Text(origin))
    console().print(table)


def print_runs(found: Sequence[Run]) -> None:
    """Print a list of runs."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "state", "started (UTC)", "config"):
        table.add_column(heading)
    for run in found:
        started = run.created_at.strftime("%Y-%m-%d %H:%M")
        again = "" if run.rejudged_from is None else f", judges {run.rejudged_from} again"
        table.add_row(run.id, state(run.state), started, Text(f"{run.title}{again}"))
    console().print(table)
