"""The two tables of llm-doc-eval: writing, exporting, ratings and win rates."""

import csv
import sqlite3
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from acm_workers.errors import RequestError
from acm_workers.ranking import elo
from acm_workers.ranking.games import Game

TABLES = {
    "single_doc_results": (
        "doc_id TEXT NOT NULL", "model TEXT NOT NULL", "trial INTEGER NOT NULL",
        "criterion TEXT NOT NULL", "score INTEGER NOT NULL", "reason TEXT NOT NULL",
        "timestamp TEXT NOT NULL",
    ),
    "pairwise_results": (
        "doc_id_1 TEXT NOT NULL", "doc_id_2 TEXT NOT NULL", "model TEXT NOT NULL",
        "trial INTEGER NOT NULL", "winner_doc_id TEXT NOT NULL", "reason TEXT NOT NULL",
        "timestamp TEXT NOT NULL",
    ),
}  # fmt: skip
"""Columns of each table after ``id INTEGER PRIMARY KEY AUTOINCREMENT``."""

K, START = 32.0, 1000.0
"""Maximum change of a rating in one game, and first rating, in llm-doc-eval."""

TIE = "tie"
"""Replaces the id of the winner if a judge prefers neither text; half a win for both."""

_OUTLIER_Z = 2.0
_DOCUMENT_COLUMNS = (
    "doc_id", "elo", "overall_wins", "overall_total_participations", "overall_win_rate",
    "overall_average_score",
)  # fmt: skip


class ScoreRow(NamedTuple):
    """A score of one judge; ``model`` has the form ``provider:model``."""

    doc_id: str
    model: str
    trial: int
    criterion: str
    score: float
    reason: str


class VerdictRow(NamedTuple):
    """A verdict of one judge; ``doc_id_1`` is the document that was shown first."""

    doc_id_1: str
    doc_id_2: str
    model: str
    trial: int
    winner_doc_id: str
    reason: str


@contextmanager
def _opened(file: Path, *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a database; changes are rolled back after an error.

    Raises:
        RequestError: The file does not exist, is not a SQLite database, or cannot be written.
    """
    if not create and not file.exists():
        raise RequestError(f"{file} does not exist", str(file))
    try:
        if create:
            file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file)) as connection, connection:
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise RequestError(f"{file}: {error}", str(file)) from error


def append(
    file: Path, scores: Iterable[ScoreRow], verdicts: Iterable[VerdictRow], at: datetime
) -> None:
    """Add results to a database, and create missing tables.

    Raises:
        RequestError: The file cannot be written, or its tables have other columns.
    """
    time = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    with _opened(file, create=True) as connection:
        for name, columns in TABLES.items():
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {name}"
                f" (id INTEGER PRIMARY KEY AUTOINCREMENT, {', '.join(columns)})"
            )
        for name, rows in (("single_doc_results", scores), ("pairwise_results", verdicts)):
            names = [column.split()[0] for column in TABLES[name]]
            marks = ", ".join("?" * len(names))
            connection.executemany(
                f"INSERT INTO {name} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608  names of ours
                [(*row, time) for row in rows],
            )


def rows(file: Path, table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the column names and rows of a table, by id; no rows if the table is missing.

    Raises:
        RequestError: The table is not one of llm-doc-eval's, or the file cannot be read.
    """
    if table not in TABLES:
        raise RequestError(f"table {table} is none of {', '.join(TABLES)}", "--table")
    with _opened(file) as connection:
        known = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if (table,) not in known:
            return ["id", *(column.split()[0] for column in TABLES[table])], []
        found = connection.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608  one of ours
        return [column[0] for column in found.description], found.fetchall()


def verdicts(file: Path) -> list[VerdictRow]:
    """Return the verdicts of a database in the order in which they were stored."""
    names, found = rows(file, "pairwise_results")
    places = [names.index(name) for name in VerdictRow._fields]
    return [VerdictRow(*(row[place] for place in places)) for row in found]


def scores(file: Path) -> list[ScoreRow]:
    """Return the scores of a database in the order in which they were stored."""
    names, found = rows(file, "single_doc_results")
    places = [names.index(name) for name in ScoreRow._fields]
    return [ScoreRow(*(row[place] for place in places)) for row in found]


def ratings(given: Sequence[VerdictRow], k: float = K, start: float = START) -> dict[str, float]:
    """Return the rating of each document, best first; equal ratings are sorted by name.

    A verdict for neither document counts as half a win for both, as in llm-doc-eval.
    """
    players = sorted({one for row in given for one in (row.doc_id_1, row.doc_id_2)})
    games = [
        Game(row.doc_id_1, row.doc_id_2, _share(row))
        for row in given
        if row.doc_id_1 != row.doc_id_2
    ]
    rated = elo.ratings(players, games, k=k, initial=start)
    order = sorted(players, key=lambda player: (-rated[player].points, player))
    return {player: rated[player].points for player in order}


def _share(row: VerdictRow) -> float:
    return {row.doc_id_1: 1.0, row.doc_id_2: 0.0}.get(row.winner_doc_id, 0.5)


def export(file: Path, table: str, target: Path) -> int:
    """Write a table as CSV and return the number of its rows."""
    names, found = rows(file, table)
    _write(target, names, found)
    return len(found)


def export_ratings(file: Path, target: Path, k: float = K, start: float = START) -> None:
    """Write the ratings of a database as CSV with the columns ``doc_id,elo``, best first."""
    rated = ratings(verdicts(file), k, start)
    _write(target, ("doc_id", "elo"), [(one, f"{points:.2f}") for one, points in rated.items()])


def summary(file: Path, target: Path, k: float = K, start: float = START) -> list[Path]:
    """Write the results of a database's documents as CSV; return the written files.

    ``target`` has a row for each document with rating, win rate and mean score. Two further files
    in the same folder have the scores of each judge with spread and outliers, and the win rates by
    judge.
    """
    given, scored = verdicts(file), scores(file)
    rated = ratings(given, k, start)
    wins, played = _counts(given)
    means = {one: statistics.fmean(row.score for row in scored if row.doc_id == one)
             for one in {row.doc_id for row in scored}}  # fmt: skip
    order = list(rated) or sorted(means, key=lambda one: (-means[one], one))
    order += sorted(means.keys() - set(order))
    documents = [
        (
            one,
            f"{rated[one]:.2f}" if one in rated else "",
            wins[one],
            played[one],
            f"{wins[one] / played[one]:.4f}" if played[one] else "",
            f"{means[one]:.4f}" if one in means else "",
        )
        for one in order
    ]
    _write(target, _DOCUMENT_COLUMNS, documents)
    written = [target]
    if scored:
        written.append(target.with_name(f"{target.stem}.scores{target.suffix}"))
        _write(written[-1], *_score_table(scored))
    if given:
        written.append(target.with_name(f"{target.stem}.judges{target.suffix}"))
        _write(written[-1], *_judge_table(given))
    return written


def _counts(given: Sequence[VerdictRow]) -> tuple[Counter[str], Counter[str]]:
    """Return the numbers of wins and comparisons by document."""
    wins, played = Counter[str](), Counter[str]()
    for row in given:
        played.update((row.doc_id_1, row.doc_id_2))
        if row.winner_doc_id in (row.doc_id_1, row.doc_id_2):
            wins[row.winner_doc_id] += 1
    return wins, played


def _score_table(scored: Sequence[ScoreRow]) -> tuple[list[str], list[tuple[Any, ...]]]:
    cells: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    averages: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in sorted(scored, key=lambda one: one.trial):
        cells[row.doc_id, row.model, row.criterion].append(row.score)
        averages[row.doc_id, row.model].append(row.score)
    trials = max(len(values) for values in cells.values())
    names = ["doc_id", "model", "criterion"]
    names += [f"score_trial_{number}" for number in range(1, trials + 1)]
    names += ["mean_score", "std_dev_score", "has_outlier", "overall_average_score"]
    table = []
    for key, values in sorted(cells.items()):
        mean = statistics.fmean(values)
        deviation = statistics.pstdev(values)
        outlier = any(abs(value - mean) > _OUTLIER_Z * deviation for value in values)
        padded = [*values, *[""] * (trials - len(values))]
        average = statistics.fmean(averages[key[0], key[1]])
        table.append((*key, *padded, f"{mean:.4f}", f"{deviation:.4f}", outlier, f"{average:.4f}"))
    return names, table


def _judge_table(given: Sequence[VerdictRow]) -> tuple[list[str], list[tuple[Any, ...]]]:
    by_judge: dict[str, list[VerdictRow]] = defaultdict(list)
    for row in given:
        by_judge[row.model].append(row)
    table = []
    for model, own in sorted(by_judge.items()):
        wins, played = _counts(own)
        table += [(model, one, wins[one], played[one], f"{wins[one] / played[one]:.4f}")
                  for one in sorted(played)]  # fmt: skip
    return ["model", "doc_id", "wins", "participations", "win_rate"], table


def _write(target: Path, names: Sequence[str], table: Iterable[Sequence[Any]]) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(table)
    except OSError as error:
        raise RequestError(f"{target} cannot be written: {error.strerror}", str(target)) from error
