"""The states of a version."""

from typing import get_args

import pytest

from acm_workers.submissions import state
from schemas.submissions import FailureCause, VersionState


def test_every_state_can_be_left_or_is_an_end_that_can_be_restarted() -> None:
    left = {before for before, _ in state.TRANSITIONS}

    assert left == set(get_args(VersionState))
    assert set(state.sources("restart")) == state.ENDED


def test_every_state_is_reached() -> None:
    reached = {*state.TRANSITIONS.values(), "lost"}

    assert reached == set(get_args(VersionState))


def test_an_ended_version_is_not_scored_again() -> None:
    with pytest.raises(ValueError, match="that is timed_out cannot score"):
        state.after("timed_out", "score")


@pytest.mark.parametrize(("attempts", "then"), [(1, "queued"), (2, "queued"), (3, "lost")])
def test_a_version_whose_workers_die_is_run_again_and_lost_at_the_third_time(
    attempts: int, then: str
) -> None:
    assert state.after("running", "expire", attempts) == then


def test_every_cause_ends_a_running_version() -> None:
    for cause in get_args(FailureCause):
        event = state.end_of(cause)
        assert state.after("running", event) in state.ENDED


def test_only_an_end_without_a_cause_is_a_score() -> None:
    scoring = [cause for cause in (None, *get_args(FailureCause)) if state.end_of(cause) == "score"]

    assert scoring == [None]
