"""Commands that work: run, resume, follow."""

from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.options import DEFAULT_CONFIG, DEMO_FOLDER, AsJson, ConfigFile, Plain, RunId


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm run config.yaml   or: acm run --demo")(run)
    app.command(epilog="Example: acm resume 01JD")(resume)
    app.command(epilog="Example: acm follow --plain")(follow)


def run(
    config: ConfigFile = DEFAULT_CONFIG,
    demo: Annotated[
        bool, typer.Option("--demo", help="Run shipped texts with a simulated provider; no config.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(help="Where --demo puts its files and results.")
    ] = DEMO_FOLDER,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Write, judge and compare candidates; name each winner.

    Works on every document of the config's input folder. The same command again goes on where
    an interrupted run stopped, and pays nothing for what is done. Exit codes: 0 every document
    has a winner; 1 a fault of ACM or the store; 2 bad config or input; 3 some documents have no
    winner; 4 paused: the budget is used up, or a provider's money, quota or key; 130 stopped or
    cancelled.
    """
    from acm_api.cli import demonstration, working
    from acm_api.cli.live import choose
    from acm_workers.errors import RequestError

    view = choose(plain=plain, as_json=as_json)
    if not demo:
        raise typer.Exit(working.run(config, view))
    if config != DEFAULT_CONFIG:
        raise RequestError(f"--demo brings its own config; leave {config} out")
    raise typer.Exit(demonstration.run(folder, view))


def resume(
    run_id: RunId = None,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="Also try failed units of documents that have a winner."),
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The run's new budget in all, in USD.")
    ] = None,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was stopped, paused, cancelled or failed.

    Documents without a winner are tried again; what is done stays done and is not paid again.
    """
    from acm_api.cli import working
    from acm_api.cli.live import choose

    view = choose(plain=plain, as_json=as_json)
    raise typer.Exit(working.resume(run_id, view, failed=failed, budget_usd=budget))


def follow(run_id: RunId = None, plain: Plain = False, as_json: AsJson = False) -> None:
    """Watch a run that others work on, until it has ended and its files are written.

    Who began the run writes them. Where that command is gone, this one does.
    """
    from acm_api.cli import working
    from acm_api.cli.live import choose

    raise typer.Exit(working.watch(run_id, choose(plain=plain, as_json=as_json)))
