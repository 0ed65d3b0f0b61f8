"""`acm leaderboard`: the results of each model, over all runs and over time."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from acm_api.cli.common import AsJson

if TYPE_CHECKING:
    from schemas.leaderboard import Leaderboard

Period = Literal["all", "month", "week", "day"]


def leaderboard(
    by: Annotated[Period, typer.Option(help="Length of a period (UTC).")] = "all",
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Only documents decided on this day or later."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Only documents decided before this day."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only runs whose title contains this.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the results of each model that wrote texts, over all runs of the store.

    For each model: the number of documents that it wrote for and won, the number of wins expected
    by chance, the probability that one of its texts is the best, its mean score as a share of the
    scale, and the cost of a text. The results include all runs, regardless of their judges and
    documents. To compare models on the same task, use acm compare.
    """
    from acm_api.cli.view.output import echo
    from acm_workers.errors import RequestError

    if as_csv and as_json:
        raise RequestError("choose one of --csv and --json")
    first, last = (None if day is None else day.date() for day in (since, until))
    found = _read(by, first, last, title)
    if as_json:
        from acm_api.cli.view.formatting import print_json

        print_json(found)
    elif as_csv:
        from acm_workers.reporting import tables

        echo(tables.leaderboard(found).decode().rstrip("\n"))
    else:
        _print(found)


def _read(by: Period, since: date | None, until: date | None, title: str | None) -> "Leaderboard":
    from acm_api.cli.common import open_store
    from acm_workers.settings import Settings
    from acm_workers.store import leaderboard

    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        return remote.at(settings).leaderboard(by=by, since=since, until=until, title=title)
    with open_store(settings) as database, database.read() as connection:
        return leaderboard.models(connection, by=by, since=since, until=until, title=title)


def _print(found: "Leaderboard") -> None:
    from rich.table import Table
    from rich.text import Text

    from acm_api.cli.view.formatting import console, number, usd
    from acm_api.cli.view.output import printable

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("period", "model"):
        table.add_column(heading, no_wrap=True)
    for heading in (
        "runs",
        "documents",
        "texts",
        "wins",
        "by chance",
        "P(best)",
        "score",
        "a text",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        combined = " combined" if row.combined else ""
        table.add_row(
            row.period,
            Text(printable(f"{row.provider}:{row.model}{combined}")),
            *(str(one) for one in (row.runs, row.documents, row.texts, row.wins)),
            number(row.expected_wins, 1),
            number(row.p_best),
            "" if row.score is None else f"{row.score:.0%}",
            "" if row.usd_per_text is None else usd(row.usd_per_text),
        )
    console().print(table)
