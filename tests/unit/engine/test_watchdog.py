"""The watchdog notices a Worker that does nothing, and no other."""

import pytest

from acm_workers.engine.watchdog import Watchdog

_PATIENCE_S = 60.0


def looked(
    watchdog: Watchdog, *, until_s: int, waiting: int | None, received: int = 0, in_hand: int = 0
) -> str | None:
    """Look every 5 s at a Worker whose numbers do not change; return the first complaint."""
    for now in range(5, until_s + 1, 5):
        why = watchdog.look(now, received, in_hand, waiting)
        if why is not None:
            return why
    return None


def test_a_worker_that_begins_nothing_while_messages_wait_is_ended_after_a_minute() -> None:
    assert looked(Watchdog(_PATIENCE_S, 0), until_s=55, waiting=3, received=7) is None
    why = looked(Watchdog(_PATIENCE_S, 0), until_s=70, waiting=3, received=7)
    assert why == "3 messages wait in its queues, and it began none for 60 s"


def test_a_worker_that_never_began_anything_is_ended_too() -> None:
    assert looked(Watchdog(_PATIENCE_S, 0), until_s=70, waiting=1) is not None


@pytest.mark.parametrize(
    ("waiting", "in_hand"), [(0, 0), (5, 1), (None, 0)], ids=["empty", "busy", "broker away"]
)
def test_a_worker_with_nothing_to_do_or_plenty_is_left_alone(
    waiting: int | None, in_hand: int
) -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)

    assert looked(watchdog, until_s=900, waiting=waiting, in_hand=in_hand) is None


def test_each_task_begins_the_minute_anew() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)

    for now in range(5, 900, 5):
        assert watchdog.look(now, now // 55, 0, 7) is None


def test_a_watchdog_that_did_not_look_for_long_begins_to_count_anew() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)
    assert watchdog.look(5, 1, 0, 3) is None

    assert watchdog.look(500, 1, 0, 3) is None
    assert watchdog.look(505, 1, 0, 3) is None


def test_patience_of_zero_is_endless() -> None:
    assert looked(Watchdog(0.0, 0), until_s=900, waiting=3) is None
