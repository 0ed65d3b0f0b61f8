"""The Python API of llm-doc-eval, for programs that used it.

    from acm_api.llm_doc_eval import run_pairwise_evaluation, get_best_report_by_elo, DOC_PATHS

Results are in the two tables of llm-doc-eval in ``db_path``, and in ACM's own store, where
``acm list``, ``acm show`` and ``acm report`` find them.
"""

import asyncio
from pathlib import Path

from acm_api import doc_evaluation
from acm_api.config.evaluating import EvaluationOptions, Mode
from acm_api.files import evaluation_tables

DOC_PATHS: dict[str, str] = {}
"""Absolute paths of the documents of the latest evaluations, by id."""

DB_PATH: str = str(Path("results.sqlite").absolute())
"""Default database, in the folder where the program was started."""

_CONFIG, _CRITERIA = Path("config.yaml"), Path("criteria.yaml")


async def run_single_evaluation(
    folder_path: str,
    db_path: str | None = None,
    config_path: str | None = None,
    criteria_path: str | None = None,
) -> None:
    """Have every judge score every document of a folder; see ``run_pairwise_evaluation``."""
    await _run("single", folder_path, db_path, config_path, criteria_path)


async def run_pairwise_evaluation(
    folder_path: str,
    db_path: str | None = None,
    config_path: str | None = None,
    criteria_path: str | None = None,
) -> None:
    """Have every judge compare every pair of documents of a folder, and fill ``DOC_PATHS``.

    Args:
        folder_path: Folder of documents: Markdown, text, Word, PDF or HTML.
        db_path: Path of a SQLite database, created if missing; default: ``DB_PATH``.
        config_path: A config of llm-doc-eval; ``config.yaml`` in this folder if absent, and
            default judges if it does not exist.
        criteria_path: A file of criteria; if absent, the file named by the config, or
            ``criteria.yaml``.

    Raises:
        acm_workers.errors.RequestError: The config or a document is not valid.
    """
    await _run("pairwise", folder_path, db_path, config_path, criteria_path)


def get_best_report_by_elo(db_path: str, doc_paths: dict[str, str] | None = None) -> str | None:
    """Return the path of the document with the highest rating; None if none was compared.

    Among equal ratings the first name in sorted order wins, so the result is deterministic.

    Args:
        db_path: A database that evaluations have filled.
        doc_paths: Path by id; default: ``DOC_PATHS``.
    """
    if not Path(db_path).exists():
        return None
    paths = doc_paths or DOC_PATHS
    rated = evaluation_tables.ratings(evaluation_tables.verdicts(Path(db_path)))
    return next((paths[one] for one in rated if one in paths), None)


async def _run(
    mode: Mode, folder: str, db: str | None, config: str | None, criteria: str | None
) -> None:
    options = EvaluationOptions(
        mode,
        Path(folder),
        Path(config) if config else _existing(_CONFIG),
        Path(criteria) if criteria else _existing(_CRITERIA),
    )
    target = Path(db or DB_PATH)
    evaluated = await asyncio.to_thread(doc_evaluation.evaluate, options, target)
    DOC_PATHS.update(evaluated.documents)


def _existing(file: Path) -> Path | None:
    return file if file.exists() else None
