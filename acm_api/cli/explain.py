"""`acm explain`: the reasons for a document's winner."""

from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson, RunId
from acm_workers.errors import NotFound, RequestError

if TYPE_CHECKING:
    from acm_api.client import Client
    from acm_workers.store.connection.database import Database
    from schemas.explained import Explanation
    from schemas.run import Run


def explain(
    run_id: RunId = None,
    document: Annotated[
        str | None,
        typer.Argument(metavar="DOC", help="Path of a document, or a part that no other has."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain why the winner of a document won, and what would change the result.

    Shows the winner's scores, comparisons and probabilities beside those of the runner-up, the
    judges' remarks, the number of further comparisons that each other candidate would need to win,
    the missing judgements and their possible effect on the winner, the reason why comparisons
    stopped, and the result of combining. A single argument that is not a run names a document of
    the latest run. Costs nothing.
    """
    from acm_api.cli.view.explanation import print_explanation
    from acm_api.cli.view.formatting import print_json

    explanation = _read(run_id, document)
    if as_json:
        print_json(explanation)
    else:
        print_explanation(explanation)


def _read(run_id: str | None, document: str | None) -> "Explanation":
    from acm_api.cli.common import find_run, open_store
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        return _at_server(remote.at(settings), run_id, document)
    from acm_api import explanations

    with open_store(settings) as database:
        if run_id is not None and document is None:
            run, document = _run_or_document(database, run_id)
        else:
            run = find_run(database, run_id)
        return explanations.of_document(database, run, document)


def _at_server(server: "Client", run_id: str | None, document: str | None) -> "Explanation":
    if run_id is not None and document is None:
        try:
            server.show(run_id)
        except RequestError:  # it has no such run, or this cannot be the id of one
            run_id, document = None, run_id
    return server.explain(run_id or server.latest(), document)


def _run_or_document(database: "Database", word: str) -> "tuple[Run, str | None]":
    """Return the run with that id, or the latest run and ``word`` as the name of a document."""
    from acm_workers.store import runs

    with database.read() as connection:
        try:
            return runs.get(connection, word), None
        except NotFound:
            return runs.latest(connection), word
