"""Plans of runs, and effective configs."""

import json

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import console, count, usd
from acm_api.cli.view.output import echo
from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from schemas.run import RunPlan


def print_plan(loaded: LoadedConfig, plan: RunPlan) -> None:
    """Print the units, calls, tokens and cost of a plan, and the notes of its config."""
    out = console()
    units = plan.units
    candidates = count(units["generate"] + units["combine"], "candidate")
    out.print(
        f"{count(plan.documents, 'document')}; at the most {candidates} ({units['combine']}"
        f" combined), {count(units['score'], 'score')}, {count(units['compare'], 'comparison')}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("provider")
    table.add_column("model")
    table.add_column("calls at most", justify="right")
    for provider, by_model in plan.calls.items():
        for model, number in by_model.items():
            table.add_row(Text(provider), Text(model), str(number))
    table.add_row("", Text("total", style="bold"), Text(str(plan.calls_in_all), style="bold"))
    out.print(table)
    if sum(sum(by_model.values()) for by_model in plan.calls.values()) > plan.calls_in_all:
        out.print(
            "the models add up to more than the total: the model of the best candidate combines,"
            " whichever it is"
        )
    if plan.second_stage_calls:
        out.print(f"{count(plan.second_stage_calls, 'call')} of them convert prose to JSON")
    tokens = plan.tokens
    searches = f" and {plan.searches:,} searches" if plan.searches else ""
    out.print(f"about {tokens['input']:,} input, {tokens['output']:,} output tokens{searches}")
    out.print(_cost(plan))
    if plan.minutes is not None:
        out.print(f"at least {plan.minutes:g} minutes under the limits per minute")
    for note in loaded.notes:
        out.print(Text(note, style="dim"))


def _cost(plan: RunPlan) -> str:
    money = plan.usd
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
    """Print every value of a config and its origin."""
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
