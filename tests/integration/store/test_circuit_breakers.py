"""When a judge of a run is paused: many failures in a row, for one cause, and no result between."""

from typing import Any

from sqlalchemy import update

from acm_workers.store import circuit_breakers
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import EvaluationRow
from schemas.run import PausedRole
from schemas.units import Role
from tests.support import stored

_JUDGE = Role("judge", "j1")
_CAUSE = "alpha: HTTP 500: broken (after 4 failures in {} s)"


def _ended(database: Database, *ends: str | None) -> str:
    """Add a run whose judge j1 ended one unit after the other; None is one with a result."""
    with database.write() as connection:
        scene = stored.scene(connection)
        for number, error in enumerate(ends):
            unit = stored.evaluation(connection, scene.candidates[0], iteration=number + 1)
            values: dict[str, Any] = {"state": "done", "finished_at": stored.at(number)}
            if error is not None:
                kind = "given_up" if error.startswith("not tried") else "out_of_attempts"
                values |= {"state": "failed", "error": error, "error_kind": kind}
            row = UNIT_ROWS["evaluation"]
            connection.execute(update(row).where(EvaluationRow.id == unit.id).values(**values))
    return scene.run.id


def _opened(database: Database, run_id: str, most: int = 3) -> PausedRole | None:
    with database.write() as connection:
        return circuit_breakers.open_if_failing(connection, run_id, _JUDGE, most, stored.at(99))


def test_the_same_cause_so_many_times_in_a_row_pauses_the_judge_once(database: Database) -> None:
    run_id = _ended(database, None, *(_CAUSE.format(seconds) for seconds in (1, 2, 3)))

    paused = _opened(database, run_id)

    assert paused is not None
    assert (paused.name, paused.model, paused.failures) == ("j1", "j1", 3)
    assert paused.reason == "HTTP 500: broken"
    assert _opened(database, run_id) is None
    with database.read() as connection:
        assert circuit_breakers.of_run(connection, run_id) == (paused,)


def test_fewer_failures_other_causes_or_a_result_between_pause_nobody(database: Database) -> None:
    broken = _CAUSE.format(1)
    for ends in (
        (broken, broken),
        (broken, broken, "alpha: HTTP 404: no such model"),
        (broken, broken, None, broken),
        (broken, broken, "not tried: paused"),
    ):
        assert _opened(database, _ended(database, *ends)) is None


def test_another_run_is_not_concerned(database: Database) -> None:
    failing = _ended(database, *[_CAUSE.format(1)] * 3)
    other = _ended(database, *[_CAUSE.format(1)] * 2)

    assert _opened(database, failing) is not None
    assert _opened(database, other) is None


def test_closing_returns_whom_to_try_again(database: Database) -> None:
    run_id = _ended(database, *[_CAUSE.format(1)] * 3)
    _opened(database, run_id)

    with database.write() as connection:
        assert circuit_breakers.close(connection, run_id) == [_JUDGE]
        assert circuit_breakers.close(connection, run_id) == []
        assert circuit_breakers.of_run(connection, run_id) == ()
