"""Explanations of winners: finding the document that a user names, and the reasons."""

from collections.abc import Iterable

from acm_api.config.nearest import nearest
from acm_workers import submit
from acm_workers.errors import NotFound
from acm_workers.store import documents
from acm_workers.store.connection.database import Database
from schemas.explained import Explanation
from schemas.run import Run
from schemas.units import Document

_MOST_LISTED = 8


def of_document(database: Database, run: Run, name: str | None) -> Explanation:
    """Explain why the winner of a document of a run won.

    Args:
        name: Path of the document, or a part that no other path has; absent if there is only one.

    Raises:
        NotFound: No document, or more than one, matches.
    """
    return submit.explain(database, _document(database, run, name))


def _document(database: Database, run: Run, name: str | None) -> Document:
    """Return the document that is named; a skipped one from the run that has its winner."""
    with database.read() as connection:
        found = {document.path: document for document in documents.of_run(connection, run.id)}
        for entry in run.skipped:
            found[entry.path] = documents.get(connection, entry.document_id)
    return found[_path(list(found), run, name)]


def _path(paths: list[str], run: Run, name: str | None) -> str:
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
