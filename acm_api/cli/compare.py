"""`acm compare`: which of two runs writes better, by how much, and what differs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from schemas.run_difference import RunDifference


def compare(
    a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="The run to compare with: id or its beginning.")
    ],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_B", help="The run that is better or worse; the latest if absent."
        ),
    ] = None,
    fail_if_worse: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="POINTS", help="Exit with 5 if winners of RUN_B score lower by more."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the outcome as JUnit XML.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs over the same documents: which one writes better, and by how much.

    Documents are paired by path and content. Shown are the mean difference of the winners' scores
    and of all texts' scores, each with an interval; cost and time; what differs between the
    configs; and each document. "better" and "worse" are said where a whole interval lies on one
    side of 0, else "no difference seen"; "not comparable" where judges or criteria differ, or no
    document has a winner in both. Costs nothing. Exit codes: 0 compared; 2 bad input; 5 RUN_B is
    worse by more than --fail-if-worse allows, or nobody can tell.
    """
    from acm_api import gates
    from acm_api.cli.view import run_difference as shown
    from acm_api.cli.view.formatting import print_json
    from acm_api.cli.view.output import echo
    from acm_api.files import atomic
    from acm_workers.engine import run_differences

    found = _compared(a, b)
    missed = gates.worse(found, fail_if_worse)
    if junit is not None:
        atomic.write(junit.absolute(), run_differences.as_junit(found, missed))
    if as_json:
        print_json(found)
    else:
        shown.print_difference(found)
    if missed is not None:
        echo(missed, err=True)
        raise typer.Exit(gates.MISSED)


def _compared(a: str, b: str | None) -> "RunDifference":
    from acm_api.cli.common import find_run, open_store
    from acm_workers.engine import run_differences
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        server = remote.at(settings)
        return server.compare(a, b or server.latest())
    with open_store(settings) as database:
        runs = [find_run(database, one) for one in (a, b)]
        if runs[0].id == runs[1].id:
            raise RequestError(f"run {runs[0].id} is not compared with itself; name two runs")
        return run_differences.between(database, *runs)
