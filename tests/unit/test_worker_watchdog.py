"""The watchdog ends who does nothing, and nobody else."""

from datetime import UTC, datetime, timedelta

import pytest

from acm_workers.store.workers import Worker
from acm_workers.supervising.watchdog import Watchdog

_START = datetime(2026, 1, 1, tzinfo=UTC)
_PATIENCE_S = 60.0


def row(
    seen_s: float, *, worked_s: float | None = 0.0, in_flight: int = 0, started_s: float = 0.0
) -> Worker:
    def at(seconds: float) -> datetime:
        return _START + timedelta(seconds=seconds)

    return Worker(
        owner="box:1:x",
        host="box",
        pid=1,
        name="alpha@box.1",
        queues=("judge.alpha",),
        threads=8,
        in_flight=in_flight,
        started_at=at(started_s),
        seen_at=at(seen_s),
        last_task_at=None if worked_s is None else at(worked_s),
        sweep_at=None,
        version="0",
    )


def looked(watchdog: Watchdog, *, until_s: int, waiting: int | None, **about: object) -> str | None:
    """Look every 5 s at a process that tells of itself; return the first complaint."""
    for now in range(5, until_s + 1, 5):
        told = watchdog.look(now, row(now, **about), waiting)  # type: ignore[arg-type]
        if told is not None:
            return told
    return None


def test_who_begins_nothing_while_messages_wait_is_ended_after_a_minute() -> None:
    assert looked(Watchdog(_PATIENCE_S, 0), until_s=60, waiting=3) is None
    told = looked(Watchdog(_PATIENCE_S, 0), until_s=70, waiting=3)
    assert told == "3 messages wait in its queues, and it began none for 60 s"


def test_who_never_began_anything_is_ended_too() -> None:
    assert looked(Watchdog(_PATIENCE_S, 0), until_s=70, waiting=1, worked_s=None) is not None


@pytest.mark.parametrize(
    ("waiting", "in_flight"), [(0, 0), (5, 1), (None, 0)], ids=["empty", "busy", "broker away"]
)
def test_who_has_nothing_to_do_or_plenty_is_left_alone(waiting: int | None, in_flight: int) -> None:
    assert (
        looked(Watchdog(_PATIENCE_S, 0), until_s=900, waiting=waiting, in_flight=in_flight) is None
    )


def test_each_task_begins_the_minute_anew() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)

    for now in range(5, 900, 5):
        assert watchdog.look(now, row(now, worked_s=now - now % 55), 7) is None


def test_who_tells_nothing_for_a_minute_is_ended_even_when_busy() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)

    told = [watchdog.look(now, row(0, in_flight=4), 0) for now in range(5, 75, 5)]

    assert told[:12] == [None] * 12
    assert told[-1] == "it told nothing for 65 s"


def test_who_does_not_tell_of_its_start_within_a_minute_is_ended() -> None:
    told = [Watchdog(1.0, 0).look(5, None, 9)]
    watchdog = Watchdog(1.0, 0)
    told += [watchdog.look(now, None, 9) for now in range(5, 65, 5)]

    assert told[:-1] == [None] * 12
    assert told[-1] == "it told nothing for 60 s"


def test_what_happened_while_the_store_was_away_counts_for_nobody() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)
    assert watchdog.look(5, row(5), 3) is None
    for now in range(10, 200, 5):
        watchdog.look_away(now)

    assert watchdog.look(200, row(5), 3) is None
    assert watchdog.look(205, row(205), 3) is None


def test_who_did_not_look_for_long_begins_to_count_anew() -> None:
    watchdog = Watchdog(_PATIENCE_S, 0)
    assert watchdog.look(5, row(5), 3) is None

    assert watchdog.look(500, row(5), 3) is None
    assert watchdog.silent_s(500) == 0


def test_patience_of_zero_is_endless() -> None:
    assert looked(Watchdog(0.0, 0), until_s=900, waiting=3) is None
