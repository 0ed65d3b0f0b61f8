"""Finding the document of a run that somebody means."""

from acm_api.config.nearest import nearest
from acm_workers.errors import NotFound
from acm_workers.store import documents, runs
from acm_workers.store.connection.database import Database
from schemas.run import Run
from schemas.units import Document

_MOST_NAMED = 8


def run_or_document(database: Database, word: str) -> tuple[Run, str | None]:
    """Return the run of that id, or else the latest run, whose document is meant."""
    with database.read() as connection:
        try:
            return runs.get(connection, word), None
        except NotFound:
            return runs.latest(connection), word


def named(database: Database, run: Run, name: str | None) -> Document:
    """Return the document of a run that ``name`` means: its path, or a part of one path alone.

    Args:
        run: Documents that it skipped are those of the run that has their winner.
        name: May be absent where the run has one document.

    Raises:
        NotFound: There is none, or more than one.
    """
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
    meant = [path for path in paths if name.casefold() in path.casefold()]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise NotFound(f'"{name}" is part of {len(meant)} documents: {_listed(meant)}')
    close = nearest(name, paths)
    hint = f"did you mean {close}?" if close is not None else f"there are: {_listed(paths)}"
    raise NotFound(f'run {run.id} has no document "{name}"; {hint}')


def _listed(paths: list[str]) -> str:
    more = f", and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(sorted(paths)[:_MOST_NAMED]) + more
