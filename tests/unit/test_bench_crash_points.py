"""What ``ops/bench crashpoints`` takes for wrong, and where it ends a process."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from ops.benchmarks import crash_books
from ops.benchmarks.crash_books import Left, LoggedRequest, Saved
from ops.benchmarks.crash_points import CrashPoints, Touch
from ops.benchmarks.reckoning import Reckoning

CALLS = frozenset({"a-1", "b-1"})
BOOKS = Reckoning(
    requests=2, done=2, uncertain=0, cut=0, repeated=0, unsent=0, paid_again=0, unexplained=0
)
USUAL = Left(
    runs=1,
    unfinished=0,
    started=0,
    saved=Saved(frozenset({"unit"}), CALLS),
    books=BOOKS,
    bill={"a-1": 0.1, "b-1": 0.2},
    tokens={"a-1": (1, 2), "b-1": (3, 4)},
    cost_usd=0.3,
    texts={"a.md": "text"},
    winners={"a.winner.md": "text"},
    report=frozenset({"index.html"}),
)
CAME = [LoggedRequest("a-1", 1, 2), LoggedRequest("b-1", 3, 4)]
DIED = Saved(frozenset({"unit"}), frozenset({"a-1"}))


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
        ({"saved": Saved(frozenset(), CALLS)}, "lost: ['unit']"),
        ({"saved": Saved(frozenset({"unit"}))}, "lost: ['a-1']"),
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


def test_points_are_before_and_after_changes_and_after_reads(tmp_path: Path) -> None:
    passed: list[str] = []

    class Noting(CrashPoints):
        def passed(self, what: str) -> None:
            passed.append(what)

    class Store:
        def change(self) -> None:
            passed.append("change")

        def read(self, found: bool) -> bool:
            return found

    points = Noting(None, tmp_path / "note")
    points.around(Store, "change", lambda _: Touch("a row"))
    points.around(Store, "read", lambda *_: Touch("a message", reads=True))
    store = Store()
    store.change()
    store.read(True)
    store.read(False)

    assert passed == ["before a row", "change", "after a row", "after a message"]


def test_a_process_ends_at_its_point_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *given: killed.append(given))
    points = CrashPoints(2, tmp_path / "note")

    for what in ("before one", "after one", "before two"):
        points.passed(what)

    assert killed == [(os.getpid(), signal.SIGKILL)]
    assert (tmp_path / "note").read_text() == "after one"
