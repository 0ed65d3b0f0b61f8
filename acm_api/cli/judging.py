"""Commands about judgements that are there: rejudge, explain."""

from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.options import AsJson, Plain, RunId


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm rejudge 01JD --judges openai:gpt-5.6-sol,strict")(rejudge)
    app.command(epilog="Example: acm explain 01JD history/locks.md   or: acm explain locks")(
        explain
    )


def rejudge(  # noqa: PLR0913  each is an option of the command
    run_id: RunId = None,
    judges: Annotated[
        str | None,
        typer.Option(help="Who judges: a YAML file, or names of its judges and provider:model,…"),
    ] = None,
    criteria: Annotated[
        str | None, typer.Option(help="By what: a YAML file, or names with commas between.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A config whose judges, criteria and ranking hold instead.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The most that it may cost, in USD.")
    ] = None,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Judge the texts of a run again, by others or by other criteria.

    A new run takes over the candidates, combined ones included; nothing is written anew, and
    only judging is paid. Both rankings are shown side by side, with what changed and why. What
    the same judge was asked about the same text before is answered from the store. The earlier
    run and its winners stay as they are. Without RUN it is the latest that wrote its texts
    itself. Exit codes are those of acm run.
    """
    from acm_api.cli import rejudging
    from acm_api.cli.live import choose
    from acm_api.config.rejudging import Changes

    changes = Changes(judges, criteria, config, budget)
    raise typer.Exit(rejudging.rejudge(run_id, changes, choose(plain=plain, as_json=as_json)))


def explain(
    run_id: RunId = None,
    document: Annotated[
        str | None,
        typer.Argument(metavar="DOC", help="Path of a document, or a part that no other has."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell why a document has its winner, and what would have to change.

    Scores, comparisons and belief beside the runner-up's; how many more comparisons the others
    would have to win; which judgements are missing, and whether they could change the winner; why
    comparing stopped; what combining brought. With one argument that is no run, it names a
    document of the latest run. Costs nothing.
    """
    from acm_api.cli import explaining

    explaining.explain(run_id, document, as_json=as_json)
