"""Reading results of older programs: rows that fit nowhere are kept, with the reason."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from acm_api.files import old_results
from acm_workers.errors import RequestError
from schemas.imported import ImportedResults


def database(file: Path, *statements: str) -> ImportedResults:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    (found,) = old_results.read(file)
    return found


SINGLE = "CREATE TABLE single_doc_results (doc_id, dimension, score, iteration, created_at)"
PAIRS = "CREATE TABLE pairwise_results (doc_a, doc_b, winner, iteration)"


def test_rows_that_fit_nowhere_are_kept_with_the_reason(tmp_path: Path) -> None:
    found = database(
        tmp_path / "x.db",
        SINGLE,
        "INSERT INTO single_doc_results VALUES ('a', 'wit', NULL, 0, 'once')",
        "INSERT INTO single_doc_results VALUES ('a', 'wit', 3, 0, '')",
        "INSERT INTO single_doc_results VALUES (NULL, 'wit', 3, 0, ''), ('a', 'wit', 'x', 0, '')",
        PAIRS,
        "INSERT INTO pairwise_results VALUES ('a', 'a', 'A', 0), ('a', 'b', 'C', 0)",
        "CREATE TABLE notes (text)",
        "INSERT INTO notes VALUES ('kept')",
    )

    assert [score.score for score in found.scores] == [3]
    assert [(one.winner, one.raw is not None) for one in found.verdicts] == [("tie", True)]
    assert [line.rpartition(": {")[0] for line in found.kept] == [
        "notes: a table of another kind",
        "pairwise_results: a document compared with itself",
        "single_doc_results: no score",
        "single_doc_results: no document",
        "single_doc_results: could not convert string to float: 'x'",
    ]
    assert found.rows == {"notes": 1, "pairwise_results": 2, "single_doc_results": 4}


def test_each_run_of_a_database_is_one_import(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE eval_results (run_id, artifact_id, overall_score)")
        connection.execute("INSERT INTO eval_results VALUES ('R1', 'a', 7), ('R2', 'a', 8)")

    assert [(one.title, one.scores[0].score) for one in old_results.read(file)] == [
        ("x R1", 7), ("x R2", 8)
    ]  # fmt: skip


def test_the_summary_that_had_a_column_for_each_trial_is_read(tmp_path: Path) -> None:
    file = tmp_path / "summary.csv"
    file.write_text("doc_id,model,criterion,score_trial_1,score_trial_2,mean_score\na,p:j,wit,3,,3\n"
                    "b,p:j,wit,4,5,4.5\n")  # fmt: skip

    (found,) = old_results.read(file)

    assert [(one.document, one.trial, one.score) for one in found.scores] == [
        ("a", 1, 3), ("b", 1, 4), ("b", 2, 5)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("no.db", None, "no.db does not exist"),
        ("x.db", b"this is not a database, however long it may be: " * 9, "cannot be read"),
        ("x.csv", b"caf\xe9", "cannot be read"),
        ("x.csv", b"doc_id,score\n", "has no results of ACM 1 or llm-doc-eval"),
    ],
)
def test_what_holds_no_results_is_refused(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)

    with pytest.raises(RequestError, match=message):
        old_results.read(tmp_path / name)


def test_a_store_of_acm_is_no_import(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is a store of ACM"):
        database(tmp_path / "acm.db", "CREATE TABLE alembic_version (version_num)")
