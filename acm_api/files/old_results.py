"""Results of ACM 1 and llm-doc-eval: databases of every historic shape, CSV exports, winners."""

import csv
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.files import inputs
from acm_workers.errors import RequestError
from schemas.imported import ImportedResults, ImportedScore, ImportedVerdict
from schemas.units import Winner

DATABASES = (".db", ".sqlite", ".sqlite3")

_SINGLE = ("single_doc_results", "eval_results", "run_eval_scores")
_PAIRS = ("pairwise_results", "pairwise_comparisons", "run_pairwise_results")
_RATINGS = ("elo_ratings",)
_OURS = "alembic_version"

_NAMES: dict[str, tuple[str, ...]] = {
    "document": ("doc_id", "doc_name", "artifact_id", "combined_output_id"),
    "a": ("doc_id_1", "doc_a", "artifact_a_id", "combined_output_a_id"),
    "b": ("doc_id_2", "doc_b", "artifact_b_id", "combined_output_b_id"),
    "winner": ("winner_doc_id", "winner"),
    "judge": ("judge", "judge_model", "model"),
    "trial": ("trial", "iteration"),
    "criterion": ("criterion", "dimension"),
    "score": ("score", "overall_score"),
    "reason": ("reason", "reasoning"),
    "at": ("timestamp", "created_at"),
    "rating": ("elo_rating", "rating", "elo"),
}
"""Earlier and current names of columns, newest first."""

_TRIAL_COLUMN = re.compile(r"score_trial_(\d+)")
_CSV = re.compile(r"(single_doc_results|pairwise_results|elo_summary)_?(.*)\.csv", re.IGNORECASE)
_UNKNOWN_JUDGE = "unknown:unknown"
_WINNER = re.compile(r"\.winner$")


class _Table(NamedTuple):
    name: str
    rows: list[dict[str, Any]]


def read(path: Path, texts: Path | None = None) -> list[ImportedResults]:
    """Return the results in a database, a CSV file, or a folder of CSV files or winners.

    No file is written, not even temporary files of a database.

    Args:
        path: Database, CSV file or folder with the results.
        texts: Folder with the texts of the candidates, found by name.

    Raises:
        RequestError: The path has no results of an older program.
    """
    if not path.exists():
        raise RequestError(f"{path} does not exist", str(path))
    known = {} if texts is None else _texts(texts)
    if path.is_dir():
        found = _folder(path)
    elif path.suffix.lower() == ".csv":
        found = [_results(path.stem, [_csv_table(path)])]
    else:
        found = _database(path)
    found = [one for one in found if one.scores or one.verdicts or one.texts or one.kept]
    if not found:
        message = f"{path} has no results of ACM 1 or llm-doc-eval"
        raise RequestError(message, str(path))
    return [_with_texts(one, known) for one in found]


def _with_texts(results: ImportedResults, known: Mapping[str, str]) -> ImportedResults:
    wanted = {score.document for score in results.scores}
    wanted |= {one for verdict in results.verdicts for one in (verdict.a, verdict.b)}
    texts = {name: known[Path(name).stem] for name in wanted if Path(name).stem in known}
    return results.model_copy(update={"texts": {**results.texts, **texts}})


def _texts(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder", str(folder))
    return {file.stem: inputs.text_of(file, folder) for file in inputs.files(folder)}


def _database(path: Path) -> list[ImportedResults]:
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            names = [
                str(row[0])
                for row in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
                )
            ]
            if _OURS in names:
                message = f"{path} is a store of ACM: `ACM_HOME={path.parent} acm list` shows it"
                raise RequestError(message, str(path))
            tables = [
                _Table(name, [dict(row) for row in _rows(connection, name)])
                for name in names
                if not name.startswith("sqlite_")
            ]
    except sqlite3.Error as error:
        raise RequestError(f"{path} cannot be read: {error}", str(path)) from error
    return [
        _results(f"{path.stem}" if not run else f"{path.stem} {run}", own)
        for run, own in _by_run(tables)
    ]


def _rows(connection: sqlite3.Connection, name: str) -> Iterable[sqlite3.Row]:
    quoted = name.replace('"', '""')
    return connection.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid')  # noqa: S608  quoted


def _by_run(tables: list[_Table]) -> list[tuple[str, list[_Table]]]:
    """Return the tables of each run; databases of older programs have a single run."""
    runs = {str(row["run_id"]) for table in tables for row in table.rows
            if table.name in (*_SINGLE, *_PAIRS) and row.get("run_id")}  # fmt: skip
    if len(runs) < 2:
        return [("", tables)]
    return [
        (run, [_Table(one.name, [row for row in one.rows if str(row.get("run_id", run)) == run])
               for one in tables])
        for run in sorted(runs)
    ]  # fmt: skip


def _folder(path: Path) -> list[ImportedResults]:
    """Return the results in a folder, from exports or else from winners."""
    groups: dict[str, list[_Table]] = defaultdict(list)
    for file in sorted(path.glob("*.csv")):
        named = _CSV.fullmatch(file.name)
        if named is not None:
            groups[named[2]].append(_csv_table(file))
    if groups:
        folder = path.resolve().name
        return [_results(f"{folder} {name}".strip(), tables) for name, tables in groups.items()]
    databases = [file for file in sorted(path.iterdir()) if file.suffix.lower() in DATABASES]
    if databases:
        return [results for file in databases for results in _database(file)]
    return [
        ImportedResults(
            title=_WINNER.sub("", file.relative_to(path).with_suffix("").as_posix()),
            texts={file.name: inputs.text_of(file, path)},
            rows={"winners": 1},
        )
        for file in inputs.files(path)
    ]


def _csv_table(file: Path) -> _Table:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows: list[dict[str, Any]] = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RequestError(f"{file} cannot be read: {error}", str(file)) from error
    columns = rows[0].keys() if rows else set()
    if {"doc_id_1", "doc_a"} & columns:
        return _Table("pairwise_results", rows)
    if "elo" in columns:
        return _Table("elo_ratings", rows)
    trials = [match for column in columns if (match := _TRIAL_COLUMN.fullmatch(str(column)))]
    if trials:
        rows = [
            {**row, "trial": match[1], "score": row[match[0]]}
            for match in trials
            for row in rows
            if row[match[0]] not in (None, "")
        ]
    return _Table("single_doc_results", rows)


def _results(title: str, tables: list[_Table]) -> ImportedResults:
    scores: list[ImportedScore] = []
    verdicts: list[ImportedVerdict] = []
    ratings: dict[str, float] = {}
    kept: list[str] = []
    for table in tables:
        for row in table.rows:
            try:
                if table.name in _SINGLE:
                    scores.extend(_scores(row))
                elif table.name in _PAIRS:
                    verdicts.append(_verdict(row))
                elif table.name in _RATINGS:
                    ratings[_text(row, "document")] = float(_value(row, "rating"))
                else:
                    kept.append(_kept_row(table.name, row, "a table of another kind"))
            except (ValueError, TypeError, KeyError) as error:
                kept.append(_kept_row(table.name, row, str(error)))
    return ImportedResults(
        title=title,
        scores=tuple(scores),
        verdicts=tuple(verdicts),
        ratings=ratings,
        kept=tuple(kept),
        rows={table.name: len(table.rows) for table in tables},
    )


def _scores(row: Mapping[str, Any]) -> Iterator[ImportedScore]:
    """Yield the scores in a row: a single score, or the scores of a JSON object by criterion."""
    cells = row.get("criteria_scores")
    found = json.loads(cells) if isinstance(cells, str) and cells else None
    if not isinstance(found, dict):
        found = {_value(row, "criterion") or "overall": _value(row, "score")}
    made = [
        ImportedScore(
            document=_text(row, "document"),
            judge=_judge(row),
            trial=_trial(row),
            criterion=str(criterion),
            score=_score(score),
            reason=str(_value(row, "reason") or ""),
            at=_time(row),
        )
        for criterion, score in found.items()
    ]
    yield from made


def _score(value: Any) -> float:
    if value is None or isinstance(value, bool) or value == "":
        raise ValueError("no score")
    number = float(value)
    if not -1e6 < number < 1e6:
        raise ValueError("a score out of any scale")
    return number


def _verdict(row: Mapping[str, Any]) -> ImportedVerdict:
    a, b = _text(row, "a"), _text(row, "b")
    if a == b:
        raise ValueError("a document compared with itself")
    said = str(_value(row, "winner") or "")
    names: dict[str, Winner] = {"A": "a", "B": "b", "a": "a", "b": "b", a: "a", b: "b"}
    winner = names.get(said, "tie")
    # A winner that is NULL was a tie.
    known = winner != "tie" or said.lower() in ("tie", "draw", "")
    confidence = row.get("confidence")
    return ImportedVerdict(
        a=a,
        b=b,
        judge=_judge(row),
        trial=_trial(row),
        winner=winner,
        confidence=None if confidence is None else float(confidence),
        reason=str(_value(row, "reason") or ""),
        raw=None if known else _dumped(row),
        at=_time(row),
    )


def _value(row: Mapping[str, Any], name: str) -> Any:
    """Return the first value in a row for any of the names of a column."""
    return next((row[one] for one in _NAMES[name] if row.get(one) not in (None, "")), None)


def _text(row: Mapping[str, Any], name: str) -> str:
    value = _value(row, name)
    if value is None:
        raise ValueError(f"no {'document' if name == 'document' else f'document {name}'}")
    return str(value)


def _judge(row: Mapping[str, Any]) -> str:
    name = str(_value(row, "judge") or _UNKNOWN_JUDGE)
    provider = row.get("judge_provider")
    return (f"{provider}:{name}" if provider and ":" not in name else name)[:200]


def _trial(row: Mapping[str, Any]) -> int:
    return max(int(_value(row, "trial") or 1), 1)


def _time(row: Mapping[str, Any]) -> datetime | None:
    value = _value(row, "at")
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _kept_row(table: str, row: Mapping[str, Any], why: str) -> str:
    return f"{table}: {why}: {_dumped(row)}"


def _dumped(row: Mapping[str, Any]) -> str:
    return json.dumps(dict(row), ensure_ascii=False, default=repr)
