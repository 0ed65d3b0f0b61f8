"""Candidates, winners and report of a run, written from the store into the user's folders."""

import json
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from acm_api.files import atomic, naming, outputs
from acm_workers import submit
from acm_workers.store import artifact_files, artifacts, documents, events, reports, results
from acm_workers.store.connection.database import Database
from schemas.children import ArtifactFile
from schemas.config.config import Config
from schemas.run import Run, RunRecords
from schemas.units import Artifact, Document

_TEXTS_AT_ONCE = 200
_DELIVERY_INTERVAL_S = 2.0
_DELIVERY_COST_RATIO = 20
"""The pause between two deliveries is at least this many times as long as a delivery."""


_MOST_DOCUMENTS = 100
"""Maximum number of documents of a run whose report is written before its end."""


class ExportFolders(NamedTuple):
    """The folders of exported files."""

    outputs: Path
    winners: Path
    reports: Path


class ExportedFiles(NamedTuple):
    """The exported winners and the report, which is absent if the config disables reports."""

    folders: ExportFolders
    winners: list[Path]
    report: Path | None


def folders(config: Config, to: Path | None = None) -> ExportFolders:
    """Return the folders of a config, or ``outputs``, ``winners`` and ``reports`` below ``to``."""
    if to is not None:
        return ExportFolders(to / "outputs", to / "winners", to / "reports")
    named = (config.output_folder, config.winners_folder, config.reports_folder)
    return ExportFolders(*(Path(folder) for folder in named))


def moved_from(database: Database, run: Run) -> Path | None:
    """Return the original folder of a run whose project was copied or moved with its store."""
    if not database.is_sqlite:
        return None
    with database.read() as connection:
        started = events.data_of(connection, run.id, "run_started")
    if started is None or not started["store"]:
        return None
    then, now = Path(started["store"]).parent.parent, Path(str(database.url.database)).parent.parent
    if then == now or (then.exists() and then.samefile(now)):
        return None
    return None if any(one.is_relative_to(now) for one in folders(run.config)) else then


def candidates(database: Database, run: Run, into: ExportFolders) -> int:
    """Write the candidates of a run that ended since the last call; return their number.

    Raises:
        RequestError: The folder cannot be written.
    """
    number = 0
    while True:
        with database.read() as connection:
            ended = artifacts.without_file(connection, run.id, _TEXTS_AT_ONCE)
            if not ended:
                return number
            found = documents.of_run(connection, run.id)
        paths = {document.id: document.path for document in found}
        names = _write_all(
            run.config, into, paths, ended, _child_files(database, run.config, ended)
        )
        with database.write() as connection:
            for artifact_id, name in names.items():
                artifacts.set_file(connection, artifact_id, name)
        number += len(ended)


class FileDelivery:
    """Writes winners and the report soon after documents have ended, and each winner only once.

    Documents are read one by one, because a large run does not fit into the memory of a client. The
    report of a large run is written at the end of the run; for other runs, writing the report takes
    at most a fixed share of the time.

    Args:
        winners: Whether winners are written in addition to the report.
    """

    def __init__(self, database: Database, run: Run, into: ExportFolders, *, winners: bool) -> None:
        self._database = database
        self._run = run
        self._into = into
        self._winners = winners
        self._ended = 0
        self._written: set[str] = set()
        self._due_at = 0.0

    def __call__(self, ended: int, now: datetime) -> None:
        """Write the files of the documents that have ended since the last call.

        Args:
            ended: Number of documents that have ended.

        Raises:
            RequestError: A folder cannot be written.
        """
        began = time.monotonic()
        if ended == self._ended or began < self._due_at:
            return
        self._ended = ended
        with self._database.read() as connection:
            found = documents.of_run(connection, self._run.id)
        paths = [document.path for document in found]
        for document in found if self._winners else ():
            if document.winner_id and document.id not in self._written:
                with self._database.read() as connection:
                    known = results.document_records(connection, self._run, document)
                _winner(known, document, self._into, paths)
                self._written.add(document.id)
        if self._run.config.report and len(found) <= _MOST_DOCUMENTS:
            with self._database.read() as connection:
                records = results.records(connection, self._run.id)
            _report(self._database, records, self._into, now)
        done = time.monotonic()
        self._due_at = done + max(_DELIVERY_INTERVAL_S, _DELIVERY_COST_RATIO * (done - began))


def everything(
    database: Database,
    run_id: str,
    into: ExportFolders,
    now: datetime,
    *,
    with_report: bool | None = None,
) -> ExportedFiles:
    """Write all files of a run so far, except files with unchanged content.

    Args:
        with_report: Whether the report is written; default: the setting of the config.

    Raises:
        RequestError: A folder cannot be written.
    """
    with database.read() as connection:
        known = results.records(connection, run_id)
    paths = {document.id: document.path for document in known.documents}
    ended = [
        artifact
        for artifact in known.artifacts
        if artifact.state in {"done", "failed"} and artifact.generator != "files"
    ]
    others = _child_files(database, known.run.config, ended)
    files = _write_all(known.run.config, into, paths, ended, others)
    with database.write() as connection:
        for artifact in ended:
            if artifact.file != files[artifact.id]:
                artifacts.set_file(connection, artifact.id, files[artifact.id])
    with database.read() as connection:
        known = results.records(connection, run_id)
    winners = [
        _winner(known, document, into, list(paths.values()))
        for document in known.documents
        if document.winner_id
    ]
    texts = [into.outputs / name for name in files.values()]
    for folder in {file.parent for file in [*texts, *winners]}:
        atomic.remove_leftovers(folder)
    wanted = known.run.config.report if with_report is None else with_report
    return ExportedFiles(into, winners, _report(database, known, into, now) if wanted else None)


def report(database: Database, run_id: str, into: ExportFolders, now: datetime) -> ExportedFiles:
    """Write only the report of a run, if its config enables reports.

    Raises:
        RequestError: The folder cannot be written.
    """
    with database.read() as connection:
        known = results.records(connection, run_id)
    wanted = known.run.config.report
    return ExportedFiles(into, [], _report(database, known, into, now) if wanted else None)


def _report(database: Database, known: RunRecords, into: ExportFolders, now: datetime) -> Path:
    folder = into.reports / known.run.id
    outputs.write_report(folder, submit.report_files(known, now))
    with database.write() as connection:
        reports.replace(connection, known.run.id, str(folder / "index.html"), now)
    return folder / "index.html"


def is_complete(database: Database, run_id: str) -> bool:
    """Return whether all files of a run are written, including a report after its end."""
    with database.read() as connection:
        written_at = reports.written_at(connection, run_id)
        last_at = events.last_at(connection, run_id)
    return written_at is not None and last_at is not None and written_at >= last_at


def _child_files(
    database: Database, config: Config, ended: Sequence[Artifact]
) -> dict[str, tuple[ArtifactFile, ...]]:
    """Return the additional files of child processes, if the config exports such files."""
    wrote = [artifact.id for artifact in ended if artifact.child is not None]
    if config.one_file_only or not wrote:
        return {}
    with database.read() as connection:
        return artifact_files.of_artifacts(connection, wrote)


def _write_all(
    config: Config,
    into: ExportFolders,
    paths: dict[str, str],
    ended: Sequence[Artifact],
    others: dict[str, tuple[ArtifactFile, ...]],
) -> dict[str, str]:
    """Write a file for each candidate or its failure; return the file names by artifact id."""
    clashing = naming.clashing(paths.values())
    names: dict[str, str] = {}
    for artifact in ended:
        path = paths[artifact.document_id]
        full_name = path in clashing
        if artifact.state == "done":
            extension = "json" if config.writes_json(artifact) else "md"
            file = outputs.write_artifact(
                into.outputs, path, artifact, full_name=full_name, extension=extension
            )
            outputs.write_beside(file, others.get(artifact.id, ()))
        else:
            file = outputs.write_failed(into.outputs, path, artifact, full_name=full_name)
        names[artifact.id] = file.relative_to(into.outputs).as_posix()
    return names


def _winner(
    known: RunRecords, document: Document, into: ExportFolders, paths: Sequence[str]
) -> Path:
    winner = next(one for one in known.artifacts if one.id == document.winner_id)
    return outputs.write_winner(
        into.winners,
        document.path,
        winner.text or "",
        submit.about_winner(known, document),
        full_name=document.path in naming.clashing(paths),
    )


def delivered_runs(database: Database, run: Run, winners: Path) -> set[str]:
    """Return the runs that wrote the winners in a folder for the documents of ``run``."""
    with database.read() as connection:
        paths = [document.path for document in documents.of_run(connection, run.id)]
    clashing = naming.clashing(paths)
    stems = {
        naming.stem(path, full_name=full) for path in paths for full in (path in clashing, True)
    }
    found = (_run_of(winners / f"{stem}.winner.json") for stem in stems)
    return {run_id for run_id in found if run_id is not None}


def winners_folder(database: Database, run: Run, report: Path) -> Path | None:
    """Return the folder with winners of ``run``: next to its ``report``, else from the config."""
    configured = folders(run.config)
    places = [configured.winners]
    if report.parents[1] != configured.reports:
        places.insert(0, folders(run.config, report.parents[2]).winners)
    return next((place for place in places if run.id in delivered_runs(database, run, place)), None)


def _run_of(about: Path) -> str | None:
    """Return the run that wrote a winner; None if the file is missing or not written by ACM."""
    try:
        return str(json.loads(about.read_bytes())["run_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
