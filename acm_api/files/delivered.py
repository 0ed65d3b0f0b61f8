"""Winners that stand in the user's folders: where, and of which runs."""

import json
from pathlib import Path

from acm_api.files import export, naming
from acm_workers.store import documents
from acm_workers.store.connection.database import Database
from schemas.run import Run


def runs(database: Database, run: Run, winners: Path) -> set[str]:
    """Return the runs whose winners a folder has for the documents of ``run``."""
    with database.read() as connection:
        paths = [document.path for document in documents.of_run(connection, run.id)]
    clashing = naming.clashing(paths)
    stems = (naming.stem(path, full_name=path in clashing) for path in paths)
    found = (_run(winners / f"{stem}.winner.json") for stem in stems)
    return {run_id for run_id in found if run_id is not None}


def folder(database: Database, run: Run, report: Path) -> Path | None:
    """Return the folder that has winners of ``run``, if one has: that of its report comes first."""
    named = export.folders(run.config)
    places = [named.winners]
    if report.parents[1] != named.reports:
        places.insert(0, export.folders(run.config, report.parents[2]).winners)
    return next((place for place in places if run.id in runs(database, run, place)), None)


def _run(about: Path) -> str | None:
    try:
        return str(json.loads(about.read_bytes())["run_id"])
    except (OSError, ValueError, KeyError, TypeError):  # not there, or not ours
        return None
