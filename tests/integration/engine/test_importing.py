"""Results of older programs as runs: nothing lost, nothing twice, ratings as they were."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from acm_api.files import evaluation_tables, old_results
from acm_workers import runtime, submit
from acm_workers.engine import importing
from acm_workers.errors import RequestError
from acm_workers.settings import Settings
from acm_workers.store import artifacts, comparisons, documents, ratings, results
from acm_workers.store.connection.database import Database
from schemas.imported import ImportedResults, ImportedRun
from tests.support import old_databases
from tests.support.old_databases import SHAPES

ROWS = 2_000
"""Of each of the five shapes: 10,000 in all."""


def read(tmp_path: Path, name: str, scores: int, verdicts: int) -> tuple[Path, ImportedResults]:
    file = tmp_path / "old.sqlite"
    old_databases.make(file, SHAPES[name], scores, verdicts)
    (found,) = old_results.read(file)
    return file, found


def imported(database: Database, found: ImportedResults) -> ImportedRun:
    return submit.import_results(database, found, runtime.making())


def points(database: Database, run_id: str) -> dict[str, float]:
    with database.read() as connection:
        names = {one.id: one.file or "" for one in artifacts.of_run(connection, run_id)}
        (rated,) = ratings.of_run(connection, run_id).values()
    return {names[one.artifact_id]: one.points for one in rated}


@pytest.mark.parametrize("name", SHAPES)
def test_no_row_of_any_shape_is_lost_and_a_second_import_changes_nothing(
    sqlite_database: Database, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "old.sqlite"
    scores, verdicts = 2 * ROWS // 5, 3 * ROWS // 5
    stored = old_databases.make(file, SHAPES[name], scores, verdicts)
    digest = hashlib.sha256(file.read_bytes()).digest()
    (found,) = old_results.read(file)

    made = imported(sqlite_database, found)
    before = _content(sqlite_database)
    again = imported(sqlite_database, found)

    others = 1 if name == "llm-doc-eval" else 0  # its run_metadata
    assert (made.scores, made.verdicts, made.kept) == (scores, verdicts, others)
    assert made.different == ()
    assert again == made.model_copy(update={"new": False})
    assert _content(sqlite_database) == before
    with sqlite_database.read() as connection:
        known = results.records(connection, made.run_id)
    assert sum(len(one.scores) for one in known.evaluations) == scores
    assert len(known.comparisons) == verdicts
    assert points(sqlite_database, made.run_id) == pytest.approx(stored, abs=0.01)
    assert hashlib.sha256(file.read_bytes()).digest() == digest
    assert sorted(one.name for one in tmp_path.glob("old*")) == ["old.sqlite"]


def _content(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of a store, by table."""
    with database.read() as connection:
        names = inspect(connection).get_table_names()
        return {
            name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))]  # noqa: S608
            for name in names
        }


def test_an_imported_run_has_a_winner_a_report_and_an_explanation(
    database: Database, tmp_path: Path
) -> None:
    _, found = read(tmp_path, "second version", 40, 60)

    made = imported(database, found)

    with database.read() as connection:
        (document,) = documents.of_run(connection, made.run_id)
        known = results.records(connection, made.run_id)
        assert len(comparisons.of_run(connection, made.run_id)) == 60
    best = max(found.ratings, key=lambda name: found.ratings[name])
    winner = next(one for one in known.artifacts if one.id == document.winner_id)
    assert winner.file == best
    assert best.encode() in submit.report_files(known, runtime.utc_now())["index.html"]
    explained = submit.explain(database, document).winner
    assert explained is not None
    assert explained.file == best


def test_texts_are_found_by_name(sqlite_database: Database, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    old_databases.make(file, SHAPES["llm-doc-eval"], 20, 0)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/intro.fpf.1.m1.ab1.md").write_text("The text.")

    (found,) = old_results.read(file, tmp_path / "texts")

    made = imported(sqlite_database, found)
    with sqlite_database.read() as connection:
        texts = {one.file: one.text for one in artifacts.of_run(connection, made.run_id)}
    assert texts["intro.fpf.1.m1.ab1.md"] == "The text."
    assert "not imported" in (texts["intro.fpf.2.m2.ab2.md"] or "")


def test_a_rating_that_its_rows_do_not_give_is_named(
    sqlite_database: Database, tmp_path: Path
) -> None:
    _, found = read(tmp_path, "dimensions", 0, 50)
    wrong = dict(found.ratings)
    first, second = sorted(wrong)[:2]
    wrong[first], wrong[second] = wrong[first] + 1, wrong[second] - 1

    made = imported(sqlite_database, found.model_copy(update={"ratings": wrong}))

    assert made.different == (first, second)


def test_winners_become_runs_with_one_candidate(sqlite_database: Database, tmp_path: Path) -> None:
    (tmp_path / "winners/a").mkdir(parents=True)
    (tmp_path / "winners/a/intro.winner.md").write_text("Best of all.")

    (found,) = old_results.read(tmp_path / "winners")

    made = imported(sqlite_database, found)
    with sqlite_database.read() as connection:
        (document,) = documents.of_run(connection, made.run_id)
    assert (document.state, document.path) == ("done", "a-intro")


def test_exports_in_csv_give_the_ratings_of_their_database(
    sqlite_database: Database, tmp_path: Path
) -> None:
    file, folder = tmp_path / "old.sqlite", tmp_path / "exports"
    stored = old_databases.make(file, SHAPES["llm-doc-eval"], 40, 100)
    for table in ("single_doc_results", "pairwise_results"):
        evaluation_tables.export(file, table, folder / f"{table}_1.csv")
    evaluation_tables.export_ratings(file, folder / "elo_summary_1.csv")

    (found,) = old_results.read(folder)

    made = imported(sqlite_database, found)
    assert points(sqlite_database, made.run_id) == pytest.approx(stored, abs=0.01)
    assert made.different == ()


def test_a_foreign_database_as_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "acm.db"
    old_databases.make(file, SHAPES["llm-doc-eval"], 20, 5)
    before = file.read_bytes()

    with pytest.raises(RequestError, match="is a database of another program, and is left alone"):
        runtime.open_store(Settings(home=tmp_path, database_url=None, broker_url=None))

    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["acm.db"]


def test_an_import_without_comparisons_ranks_by_score(tmp_path: Path) -> None:
    _, found = read(tmp_path, "llm-doc-eval", 40, 0)

    config = importing.config_of(found)

    assert (config.ranking.method, config.pairwise.enabled) == ("score", False)
    assert [(one.name, one.min, one.max) for one in config.criteria] == [
        ("accuracy", 1, 5), ("wit", 1, 5)
    ]  # fmt: skip
