"""The two tables of llm-doc-eval, their exports and what they are summed up to."""

import csv
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acm_api.files import evaluation_tables
from acm_api.files.evaluation_tables import ScoreRow, VerdictRow
from acm_workers.errors import RequestError

AT = datetime(2026, 11, 22, 9, tzinfo=UTC)
JUDGE = "openai:gpt-4.1"


def verdict(first: str, second: str, winner: str, model: str = JUDGE) -> VerdictRow:
    return VerdictRow(first, second, model, 1, winner, "Better.")


def score(document: str, value: float, trial: int = 1, criterion: str = "wit") -> ScoreRow:
    return ScoreRow(document, JUDGE, trial, criterion, value, "Fine.")


def table(file: Path) -> list[list[str]]:
    with file.open(newline="") as lines:
        return list(csv.reader(lines))


def test_the_tables_have_the_columns_of_llm_doc_eval(tmp_path: Path) -> None:
    file = tmp_path / "deep/r.sqlite"

    evaluation_tables.append(file, [score("a", 4)], [verdict("a", "b", "b")], AT)

    with closing(sqlite3.connect(file)) as connection:
        single = connection.execute("select * from single_doc_results").fetchall()
        pairs = connection.execute("select * from pairwise_results").fetchall()
        columns = [row[1] for row in connection.execute("pragma table_info(pairwise_results)")]
    time = "2026-11-22T09:00:00Z"
    assert single == [(1, "a", JUDGE, 1, "wit", 4, "Fine.", time)]
    assert pairs == [(1, "a", "b", JUDGE, 1, "b", "Better.", time)]
    assert columns == [
        "id", "doc_id_1", "doc_id_2", "model", "trial", "winner_doc_id", "reason", "timestamp"
    ]  # fmt: skip


def test_results_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    for value in (3, 4):
        evaluation_tables.append(file, [score("a", value)], [], AT)

    assert [row.score for row in evaluation_tables.scores(file)] == [3, 4]


def test_ratings_are_those_of_one_pass_in_the_order_of_the_rows() -> None:
    given = [verdict("a", "b", "a"), verdict("b", "c", "b"), verdict("a", "c", "c")]

    rated = evaluation_tables.ratings(given)

    # a 1016, b 984; b wins 32 * (1 - 1 / (1 + 10 ** (16 / 400))) = 16.7363 from c; c, now
    # 32.7363 points behind a, wins 32 * (1 - 1 / (1 + 10 ** (32.7363 / 400))) = 17.5031 from it.
    assert {one: round(points, 4) for one, points in rated.items()} == {
        "c": 1000.7668, "b": 1000.7363, "a": 998.4969
    }  # fmt: skip


def test_a_verdict_for_neither_is_worth_half_a_win() -> None:
    assert evaluation_tables.ratings([verdict("b", "a", "tie")]) == {"a": 1000.0, "b": 1000.0}


def test_k_and_start_can_be_set() -> None:
    assert evaluation_tables.ratings([verdict("a", "b", "a")], 10, 1500) == {"a": 1505, "b": 1495}


def test_the_summary_has_ratings_win_rates_and_means(tmp_path: Path) -> None:
    file, out = tmp_path / "r.sqlite", tmp_path / "out/s.csv"
    scores = [score("a", 4), score("a", 2, 2), score("b", 5), score("z", 1)]
    evaluation_tables.append(file, scores, [verdict("a", "b", "b")], AT)

    written = evaluation_tables.summary(file, out)

    assert [one.name for one in written] == ["s.csv", "s.scores.csv", "s.judges.csv"]
    assert table(out)[1:] == [
        ["b", "1016.00", "1", "1", "1.0000", "5.0000"],
        ["a", "984.00", "0", "1", "0.0000", "3.0000"],
        ["z", "", "0", "0", "", "1.0000"],
    ]
    assert table(written[1])[:2] == [
        ["doc_id", "model", "criterion", "score_trial_1", "score_trial_2", "mean_score",
         "std_dev_score", "has_outlier", "overall_average_score"],
        ["a", JUDGE, "wit", "4", "2", "3.0000", "1.0000", "False", "3.0000"],
    ]  # fmt: skip
    assert table(written[2])[1] == [JUDGE, "a", "0", "1", "0.0000"]


def test_a_score_far_from_the_others_is_an_outlier(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    given = [score("a", value, trial) for trial, value in enumerate([3, 3, 3, 3, 3, 1], start=1)]
    evaluation_tables.append(file, given, [], AT)

    evaluation_tables.summary(file, tmp_path / "s.csv")

    assert table(tmp_path / "s.scores.csv")[1][-2] == "True"


def test_tables_are_exported_as_they_are(tmp_path: Path) -> None:
    file, out = tmp_path / "r.sqlite", tmp_path / "x.csv"
    evaluation_tables.append(file, [score("a", 4)], [], AT)

    assert evaluation_tables.export(file, "single_doc_results", out) == 1
    assert table(out)[1][:2] == ["1", "a"]
    evaluation_tables.export_ratings(file, out)
    assert table(out) == [["doc_id", "elo"]]


@pytest.mark.parametrize(
    ("name", "message"),
    [("no.sqlite", "no.sqlite does not exist"), ("text.sqlite", "file is not a database"),
     ("table", "table calls is none of single_doc_results, pairwise_results")],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "text.sqlite").write_text("this is no database at all, but long enough to be one")

    with pytest.raises(RequestError, match=message):
        evaluation_tables.rows(tmp_path / name, "calls" if name == "table" else "pairwise_results")
