"""Putting a run into the user's folders: candidates, winners and report, from the store."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from acm_api.files import naming, outputs
from acm_workers import submit
from acm_workers.store import artifacts, documents, events, material, reports
from acm_workers.store.connection.database import Database
from schemas.config.config import Config
from schemas.run import Run, RunRecords
from schemas.units import Artifact, Document


class Folders(NamedTuple):
    """Where files go."""

    outputs: Path
    winners: Path
    reports: Path


class Written(NamedTuple):
    """What was written."""

    winners: list[Path]
    report: Path


def folders(config: Config, to: Path | None = None) -> Folders:
    """Return the folders a config names, or those of the same names below ``to``."""
    if to is not None:
        return Folders(to / "outputs", to / "winners", to / "reports")
    named = (config.output_folder, config.winners_folder, config.reports_folder)
    return Folders(*(Path(folder) for folder in named))


def candidates(database: Database, run: Run, where: Folders) -> int:
    """Write the candidates of a run that ended since the last call; return how many.

    Raises:
        RequestError: The folder does not take a file.
    """
    with database.read() as connection:
        ended = artifacts.unwritten(connection, run.id)
        if not ended:
            return 0
        paths = {document.id: document.path for document in documents.of_run(connection, run.id)}
    names = _write_all(where, paths, ended)
    with database.write() as connection:
        for artifact_id, name in names.items():
            artifacts.written(connection, artifact_id, name)
    return len(ended)


def everything(database: Database, run_id: str, where: Folders, now: datetime) -> Written:
    """Write all that a run has so far; files that are there and right stay untouched.

    Raises:
        RequestError: A folder does not take a file.
    """
    with database.read() as connection:
        known = material.of_run(connection, run_id)
    paths = {document.id: document.path for document in known.documents}
    ended = [artifact for artifact in known.artifacts if artifact.state in {"done", "failed"}]
    files = _write_all(where, paths, ended)
    with database.write() as connection:
        for artifact in ended:
            if artifact.file != files[artifact.id]:
                artifacts.written(connection, artifact.id, files[artifact.id])
    with database.read() as connection:
        known = material.of_run(connection, run_id)
    winners = [
        _winner(known, document, where) for document in known.documents if document.winner_id
    ]
    return Written(winners, _report(database, known, where, now))


def report(database: Database, run_id: str, where: Folders, now: datetime) -> Written:
    """Write the report of a run, and neither its candidates nor its winners.

    Raises:
        RequestError: The folder does not take a file.
    """
    with database.read() as connection:
        known = material.of_run(connection, run_id)
    return Written([], _report(database, known, where, now))


def _report(database: Database, known: RunRecords, where: Folders, now: datetime) -> Path:
    folder = where.reports / known.run.id
    outputs.write_report(folder, submit.report_files(known, now))
    with database.write() as connection:
        reports.replace(connection, known.run.id, str(folder / "index.html"), now)
    return folder / "index.html"


def is_complete(database: Database, run_id: str) -> bool:
    """Return whether all files of a run are there: its report, the last of them, tells its end."""
    with database.read() as connection:
        written_at = reports.written_at(connection, run_id)
        last_at = events.last_at(connection, run_id)
    return written_at is not None and last_at is not None and written_at >= last_at


def _write_all(where: Folders, paths: dict[str, str], ended: Sequence[Artifact]) -> dict[str, str]:
    """Write candidates, or why there are none; return their files' names in the folder by id."""
    clashing = naming.clashing(paths.values())
    names: dict[str, str] = {}
    for artifact in ended:
        path = paths[artifact.document_id]
        write = outputs.write_artifact if artifact.state == "done" else outputs.write_failed
        file = write(where.outputs, path, artifact, _nobodys, full_name=path in clashing)
        names[artifact.id] = file.relative_to(where.outputs).as_posix()
    return names


def _nobodys(_file: Path) -> bool:
    """Return that a path belongs to no other artifact: each is written before the next is named."""
    return False


def _winner(known: RunRecords, document: Document, where: Folders) -> Path:
    winner = next(one for one in known.artifacts if one.id == document.winner_id)
    paths = [one.path for one in known.documents]
    return outputs.write_winner(
        where.winners,
        document.path,
        winner.text or "",
        submit.about_winner(known, document),
        full_name=document.path in naming.clashing(paths),
    )
