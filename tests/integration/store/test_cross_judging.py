"""Runs that compare the winners of two others: what they copy, and that they go with either."""

import pytest

from acm_workers import submit
from acm_workers.engine import cross_judging
from acm_workers.errors import Conflict
from acm_workers.store import artifacts, runs
from acm_workers.store.connection.database import Database
from schemas.run import Run
from tests.support import stored


def decided(database: Database, text: str) -> Run:
    with database.write() as connection:
        return stored.decided(connection, text)


def test_winners_are_copied_without_their_authors_and_go_with_either_run(
    database: Database,
) -> None:
    a, b = decided(database, "A text."), decided(database, "Another text.")

    what = cross_judging.prepare(database, a, b, 5, stored.NOW, budget_usd=2.0)
    with database.write() as connection:
        before = cross_judging.earlier(connection, what)
        run = cross_judging.begin_in(connection, what, stored.making(90))
        same = cross_judging.earlier(connection, what)

    with database.write() as connection:
        copies = artifacts.of_run(connection, run.id)
        runs.cancel(connection, run.id)
        runs.finish(connection, run.id, "cancelled", stored.at(99))
    assert before is None
    assert same == run
    assert [one.text for one in copies] == ["A text.", "Another text."]
    assert (what.expected.calls, run.config.budget_usd) == (2, 2.0)
    assert run.config.comparing_judges == a.config.comparing_judges
    assert not run.config.scoring_judges
    assert submit.delete(database, b.id, stored.making(100)).also == (run.id,)


def test_runs_with_the_same_winners_have_nothing_to_compare(database: Database) -> None:
    a, b = decided(database, "A text."), decided(database, "A text.")

    with pytest.raises(Conflict, match="no document with two different winners"):
        cross_judging.prepare(database, a, b, 5, stored.NOW)
