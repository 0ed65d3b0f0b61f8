"""What ``ops/bench crashpoints`` takes for wrong, and where it ends a process."""

import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ops.benchmarks import crash_books, crash_points
from ops.benchmarks.crash_books import Left, LoggedRequest, SavedResults
from ops.benchmarks.crash_points import CrashPoints
from ops.benchmarks.reckoning import CallReckoning

CALLS = frozenset({"a-1", "b-1"})
BOOKS = CallReckoning(
    requests=2, done=2, uncertain=0, cut=0, repeated=0, unsent=0, paid_again=0, unexplained=0
)
USUAL = Left(
    runs=1,
    unfinished=0,
    started=0,
    saved=SavedResults(frozenset({"unit"}), CALLS),
    books=BOOKS,
    bill={"a-1": 0.1, "b-1": 0.2},
    tokens={"a-1": (1, 2), "b-1": (3, 4)},
    cost_usd=0.3,
    texts={"a.md": "text"},
    winners={"a.winner.md": "text"},
    report=frozenset({"index.html"}),
)
CAME = [LoggedRequest("a-1", 1, 2), LoggedRequest("b-1", 3, 4)]
DIED = SavedResults(frozenset({"unit"}), frozenset({"a-1"}))


def wrong(found: Left, later: list[LoggedRequest] = CAME[1:]) -> list[str]:
    return list(crash_books.differences(found, USUAL, DIED, CAME, later))


def test_a_run_that_left_what_an_undisturbed_one_leaves_is_right() -> None:
    found = USUAL._replace(books=BOOKS._replace(requests=3, uncertain=1, repeated=1))

    assert wrong(found) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"runs": 2}, "2 runs"),
        ({"unfinished": 1}, "1 units"),
        ({"started": 1}, "1 calls without an end"),
        ({"saved": SavedResults(frozenset(), CALLS)}, "lost: ['unit']"),
        ({"saved": SavedResults(frozenset({"unit"}))}, "lost: ['a-1']"),
        ({"books": BOOKS._replace(paid_again=1)}, "finished calls sent again"),
        ({"books": BOOKS._replace(unexplained=1)}, "the store knows nothing"),
        ({"bill": {"a-1": 0.1, "b-1": 0.3}}, "other calls or costs: ['b-1']"),
        ({"books": BOOKS._replace(done=3)}, "other calls or costs"),
        ({"cost_usd": 0.4}, "the bill is 0.4"),
        ({"tokens": {"a-1": (1, 2), "b-1": (3, 5)}}, "tokens are not"),
        ({"texts": {"a.md": "half"}}, "other texts: ['a.md']"),
        ({"winners": {}}, "other winners: ['a.winner.md']"),
        ({"report": frozenset()}, "['index.html']"),
    ],
)
def test_each_difference_to_an_undisturbed_run_is_found(changes: Any, told: str) -> None:
    found = wrong(USUAL._replace(**changes))

    assert len(found) == 1
    assert told in found[0]


def test_a_call_that_was_saved_before_the_kill_and_came_again_is_wrong() -> None:
    assert wrong(USUAL, later=CAME) == ["finished calls sent again: 0, ['a-1']"]


class Noting(CrashPoints):
    """Keeps the names of points."""

    def __init__(self) -> None:
        super().__init__(None, Path("note"))
        self.names: list[str] = []

    def passed(self, what: str) -> None:
        self.names.append(what)


class Cursor(sqlite3.Cursor):
    """A class that can be changed."""


class Connection(sqlite3.Connection):
    """Counted."""

    def cursor(self, factory: Any = Cursor) -> Any:
        return super().cursor(factory)

    def execute(self, *args: Any) -> Any:
        return self.cursor().execute(*args)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Noting]:
    points = Noting()
    for owner, name in ((Cursor, "execute"), (Connection, "commit"), (Connection, "rollback")):
        monkeypatch.setattr(owner, name, getattr(owner, name), raising=False)  # restored
    monkeypatch.setattr(Cursor, "executemany", Cursor.executemany, raising=False)
    crash_points.around_store(points, Cursor, Connection)
    connection = sqlite3.connect(":memory:", isolation_level=None, factory=Connection)
    connection.execute("CREATE TABLE t (a INTEGER)")
    points.names.clear()
    return connection, points


def test_a_transaction_that_changes_rows_has_one_point_after_its_commit(store: Any) -> None:
    connection, points = store

    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("SELECT a FROM t")
    before = list(points.names)
    connection.commit()

    assert before == []
    assert points.names == ["store: INSERT INTO T VALUES (1)"]


def test_a_statement_outside_a_transaction_is_a_point_by_itself(store: Any) -> None:
    connection, points = store

    connection.execute("INSERT INTO t VALUES (1)")

    assert points.names == ["store: INSERT INTO T VALUES (1)"]


def test_reads_rollbacks_and_statements_that_find_no_row_are_no_points(store: Any) -> None:
    connection, points = store

    connection.execute("SELECT a FROM t")
    connection.execute("UPDATE t SET a = 2 WHERE a = 7")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.rollback()
    connection.execute("BEGIN")
    connection.execute("SELECT a FROM t")
    connection.commit()

    assert points.names == []


def test_a_file_has_a_point_beside_its_place_and_one_in_it() -> None:
    class Disk:
        def replace(self) -> None:
            points.names.append("replace")

    points = Noting()
    points.before(Disk, "replace", lambda _: "beside")
    points.after(Disk, "replace", lambda _: "in place")
    Disk().replace()

    assert points.names == ["beside", "replace", "in place"]


def test_the_commands_in_what_is_sent_to_redis_are_known() -> None:
    sent = b"*2\r\n$3\r\nGET\r\n$5\r\na\r\nbc\r\n*1\r\n$4\r\nPING\r\n"

    assert list(crash_points.commands(sent)) == ["GET", "PING"]


def test_a_process_ends_at_its_point_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *given: killed.append(given))
    points = CrashPoints(2, tmp_path / "note")

    for what in ("one", "two", "three"):
        points.passed(what)

    assert killed == [(os.getpid(), signal.SIGKILL)]
    assert (tmp_path / "note").read_text() == "two"
