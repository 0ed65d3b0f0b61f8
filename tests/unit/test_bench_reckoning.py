"""The books of a run and of a provider are compared call by call."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from ops.benchmarks import reckoning
from schemas.calls import Call, CallState

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_DIGEST = "d" * 64
_NAME = f"{_DIGEST[:32]}-1"


def _call(state: CallState, begun_s: float, *, cached: bool = False) -> Call:
    at = _AT + timedelta(seconds=begun_s)
    return Call(
        id=f"c{begun_s}", run_id="r", document_id="d", unit_id="u", unit_kind="artifact",
        stage="main", attempt=1, provider="alpha", model="m", digest=_DIGEST, iteration=1,
        state=state, cached=cached, started_at=at, ended_at=at + timedelta(seconds=1), owner="o",
    )  # fmt: skip


def test_a_call_that_died_and_came_again_is_uncertain_and_repeated() -> None:
    found = reckoning.reckon([_call("uncertain", 0), _call("done", 5)], Counter({_NAME: 2}))

    assert (found.uncertain, found.repeated, found.unsent) == (1, 1, 0)
    assert (found.paid_again, found.unexplained) == (0, 0)


def test_a_call_that_died_before_it_was_sent_is_told_apart() -> None:
    found = reckoning.reckon([_call("uncertain", 0), _call("done", 5)], Counter({_NAME: 1}))

    assert (found.repeated, found.unsent, found.unexplained) == (0, 1, 0)


def test_a_call_that_was_refused_a_connection_does_not_hide_a_dead_one() -> None:
    sent = [_call("uncertain", 0), _call("failed", 3), _call("done", 5)]

    assert reckoning.reckon(sent, Counter({_NAME: 2})).repeated == 1
    assert reckoning.reckon(sent, Counter({_NAME: 3})).repeated == 1


def test_a_call_begun_after_the_answer_was_saved_is_paid_again() -> None:
    again = [_call("done", 0), _call("done", 5), _call("done", 9, cached=True)]

    assert reckoning.reckon(again, Counter({_NAME: 2})).paid_again == 1


def test_requests_that_no_call_stands_for_are_unexplained() -> None:
    came = Counter({_NAME: 3, "somebody else": 1})

    assert reckoning.reckon([_call("done", 0)], came).unexplained == 3
