"""Judging the documents of a folder as llm-doc-eval did, and storing results in its tables."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from acm_api import library
from acm_api.config import evaluating
from acm_api.config.evaluating import EvaluationOptions
from acm_api.config.loading import LoadedConfig
from acm_api.files import evaluation_tables, inputs
from acm_api.files.evaluation_tables import ScoreRow, VerdictRow
from acm_api.ranked_results import Results
from acm_workers import broker, runtime, submit
from acm_workers.errors import RequestError
from acm_workers.settings import Settings
from acm_workers.submit import GivenText, RunInput
from schemas.run import Run


class EvaluatedFolder(NamedTuple):
    """The outcome of judging a folder.

    Attributes:
        documents: Absolute paths of documents by id.
        missing: Number of judgements that failed; they are not in the tables.
    """

    run_id: str
    documents: dict[str, str]
    scores: int
    verdicts: int
    missing: int
    usd: float | None


def documents(folder: Path) -> dict[str, Path]:
    """Return the documents in and below a folder by id: the file name, and a hash if two share it.

    Raises:
        RequestError: The folder cannot be read, or has no document.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder", str(folder))
    files = sorted(inputs.files(folder), key=lambda file: (file.name, file))
    if not files:
        raise RequestError(f"{folder} holds no documents", str(folder))
    names = Counter(file.name for file in files)
    found = {}
    for file in files:
        relative = file.relative_to(folder).as_posix()
        digest = hashlib.sha256(relative.encode()).hexdigest()[:8]
        unique = f"{file.stem}-{digest}{file.suffix}"
        found[file.name if names[file.name] == 1 else unique] = file
    return found


def evaluate(
    options: EvaluationOptions, db: Path, tell: Callable[[str], None] = lambda _line: None
) -> EvaluatedFolder:
    """Judge the documents of a folder and add the results to the tables of ``db``.

    Stored answers of earlier evaluations are not paid for again.

    Args:
        options: The documents, and how they are judged.
        db: Path of a SQLite database, created if missing.
        tell: Callback for messages to users.

    Raises:
        RequestError: The config, a document or the database is not valid.
    """
    settings = Settings()
    if settings.broker_url is not None:
        broker.check(settings)
    here = settings.broker_url is None
    loaded = evaluating.load(options, keys="here" if here else "workers")
    for note in loaded.notes:
        tell(note)
    files = documents(options.docs)
    # Before anything is paid.
    evaluation_tables.append(db, (), (), runtime.utc_now())
    run, results = _judged(_work(options, loaded, files), settings)
    names = {one.artifact_id: one.model for one in results.candidates}
    scores, verdicts = _scores(run, results, names), _verdicts(run, results, names)
    evaluation_tables.append(db, scores, verdicts, runtime.utc_now())
    return EvaluatedFolder(
        run.id,
        {name: str(file.absolute()) for name, file in files.items()},
        len(scores),
        len(verdicts),
        sum(one.missing for one in results.documents),
        results.usd,
    )


def _work(options: EvaluationOptions, loaded: LoadedConfig, files: dict[str, Path]) -> RunInput:
    name = options.docs.absolute().name or "documents"
    texts = tuple(
        GivenText(1, one, str(file.absolute()), inputs.text_of(file, options.docs))
        for one, file in files.items()
    )
    return RunInput(
        f"eval {name}", loaded.config, loaded.instructions, None, {name: ""}, {name: texts}
    )


def _judged(work: RunInput, settings: Settings) -> tuple[Run, Results]:
    database = runtime.open_store(settings)
    try:
        submitted = submit.submit(database, work, runtime.making())
        run_id = submitted.run_id or ""  # documents are never skipped
        return library.finished(database, run_id, settings)
    finally:
        database.close()


def _scores(run: Run, results: Results, names: dict[str, str]) -> list[ScoreRow]:
    models = {judge.name: f"{judge.provider}:{judge.model}" for judge in run.config.judges}
    found = [
        ScoreRow(
            names[one.artifact_id],
            models[one.judge],
            one.iteration,
            one.criterion,
            int(one.score) if one.score == int(one.score) else one.score,
            one.reason or "",
        )
        for one in results.scores
    ]
    return sorted(found)


def _verdicts(run: Run, results: Results, names: dict[str, str]) -> list[VerdictRow]:
    judges = run.config.comparing_judges
    models = {judge.name: f"{judge.provider}:{judge.model}" for judge in judges}
    found = []
    for one in results.verdicts:
        first, second = names[one.a_id], names[one.b_id]
        winner = {"a": first, "b": second}.get(one.winner, evaluation_tables.TIE)
        reason = one.reason or ""
        model = models[one.judge]
        found.append(VerdictRow(first, second, model, one.iteration, winner, reason))
    return sorted(found)
