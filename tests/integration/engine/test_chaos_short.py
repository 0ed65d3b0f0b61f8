"""A run survives whatever happens to its workers: the short form of ``ops/bench chaos``."""

import pytest

from ops.benchmarks import chaos
from ops.benchmarks.table import Measured


@pytest.fixture(scope="module")
def suffered() -> Measured:
    """Return what came of a run that suffered everything, by a server and on one machine."""
    return chaos.measure(chaos.SHORT)


def _numbers(suffered: Measured, name: str) -> list[float]:
    found = [row["number"] for row in suffered.rows if row["what"].endswith(f": {name}")]
    assert len(found) == 2
    return found


def test_everything_happened_that_can_happen(suffered: Measured) -> None:
    happened = {row["what"] for row in suffered.rows if row["at_s"] is not None}

    assert happened == {
        "Redis killed and started empty",
        "Redis FLUSHALL",
        "Postgres killed and started again",
        "provider unreachable for 5 s",
        "server killed and started again",
        "kill -9 of a worker",
    }


def test_work_goes_on_within_a_minute_of_each_fault(suffered: Measured) -> None:
    recovered = [row["recovered_s"] for row in suffered.rows if row["at_s"] is not None]

    assert max(recovered) <= 60


def test_no_result_is_lost(suffered: Measured) -> None:
    assert _numbers(suffered, "results lost") == [0, 0]


def test_no_call_whose_answer_was_saved_is_sent_again(suffered: Measured) -> None:
    assert min(_numbers(suffered, "done")) > 0
    assert _numbers(suffered, "paid again") == [0, 0]


def test_every_request_that_came_twice_is_an_uncertain_call_in_the_store(
    suffered: Measured,
) -> None:
    uncertain, repeated = (_numbers(suffered, name) for name in ("uncertain", "repeated"))

    assert _numbers(suffered, "unexplained") == [0, 0]
    assert min(repeated) > 0
    for known, came in zip(uncertain, repeated, strict=True):
        # A worker may die in the moment between writing down a call and sending it.
        assert 0 <= known - came <= chaos.SHORT.in_flight
