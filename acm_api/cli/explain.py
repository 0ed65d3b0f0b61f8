"""`acm explain`: the reasons for a document's winner."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson, RunId
from acm_api.config.nearest import nearest
from acm_workers.errors import NotFound

if TYPE_CHECKING:
    from acm_workers.store.connection.database import Database
    from schemas.run import Run
    from schemas.units import Document

_MOST_LISTED = 8


def explain(
    run_id: RunId = None,
    document: Annotated[
        str | None,
        typer.Argument(metavar="DOC", help="Path of a document, or a part that no other has."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain why a document has its winner, and what would change the result.

    Scores, comparisons and probabilities beside the runner-up's, and the judges' remarks; how many
    more comparisons the others would have to win; which judgements are missing, and whether they
    could change the winner; why comparing stopped; what combining brought. A single argument that
    is not a run names a document of the latest run. Costs nothing.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view.explanation import print_explanation
    from acm_api.cli.view.formatting import print_json
    from acm_workers import submit
    from acm_workers.settings import Settings

    with open_store(Settings()) as database:
        if run_id is not None and document is None:
            run, document = _run_or_document(database, run_id)
        else:
            run = find_run(database, run_id)
        explanation = submit.explain(database, _document(database, run, document))
    if as_json:
        print_json(explanation)
    else:
        print_explanation(explanation)


def _run_or_document(database: "Database", word: str) -> "tuple[Run, str | None]":
    """Return the run with that id, or the latest run and ``word`` as the name of a document."""
    from acm_workers.store import runs

    with database.read() as connection:
        try:
            return runs.get(connection, word), None
        except NotFound:
            return runs.latest(connection), word


def _document(database: "Database", run: "Run", name: str | None) -> "Document":
    """Return the document of a run with this path, or the only document whose path contains it.

    A skipped document is read from the run that has its winner.

    Raises:
        NotFound: No document, or more than one, matches.
    """
    from acm_workers.store import documents

    with database.read() as connection:
        found = {document.path: document for document in documents.of_run(connection, run.id)}
        for entry in run.skipped:
            found[entry.path] = documents.get(connection, entry.document_id)
    return found[_path(list(found), run, name)]


def _path(paths: list[str], run: "Run", name: str | None) -> str:
    if name is None:
        if len(paths) == 1:
            return paths[0]
        raise NotFound(f"run {run.id} has {len(paths)} documents; name one: {_listed(paths)}")
    if name in paths:
        return name
    matches = [path for path in paths if name.casefold() in path.casefold()]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFound(f'"{name}" is part of {len(matches)} documents: {_listed(matches)}')
    close = nearest(name, paths)
    hint = f"did you mean {close}?" if close is not None else f"there are: {_listed(paths)}"
    raise NotFound(f'run {run.id} has no document "{name}"; {hint}')


def _listed(paths: Iterable[str]) -> str:
    ordered = sorted(paths)
    more = f", and {len(ordered) - _MOST_LISTED} more" if len(ordered) > _MOST_LISTED else ""
    return ", ".join(ordered[:_MOST_LISTED]) + more
