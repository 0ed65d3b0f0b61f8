"""The same command resumes a run whose process was killed, and pays nothing twice."""

import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.intercepting_proxy import HeldRequests
from tests.support.project import Outcome, Project, wait_until
from tests.support.texts import first

# What is in flight when the process is killed, sent by that very process, and its model.
_MOMENTS = {
    "generating": ("unit_kind = 'artifact'", "m1"),
    "scoring": ("unit_kind = 'evaluation'", "j1"),
    "comparing": ("unit_kind = 'comparison'", "j2"),
    "combining": (
        "unit_id in (select artifact_id from artifacts where generator = 'combine')",
        "m3",
    ),
}
_DONE = "select digest, iteration from calls where state = 'done' and not cached"
_IN_FLIGHT = "select count(*) from calls where state = 'started'"
_NEWEST = "select max(call_id) from calls"
_ANY_DONE = "exists (select 1 from calls where state = 'done')"
_SENT = " and ".join((_IN_FLIGHT, "call_id > ?", _ANY_DONE))
_AT_ONCE = 4


class _Left(NamedTuple):
    """The state of the store after a kill."""

    done: set[Any]
    in_flight: int


class _Killed(NamedTuple):
    """A run that was killed many times and then finished."""

    project: Project
    left: list[_Left]
    end: Outcome
    stats: dict[str, Any]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Killed]:
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        models = ("m1", "m2", "m3", "j1", "j2")
        alpha = configs.provider(held.url, *models, max_in_flight=_AT_ONCE)
        config = configs.base(
            {"alpha": alpha},
            judges=[configs.judge(iterations=2)],
            pairwise={"position_swap": "both", "judges": [configs.judge("j2", iterations=2)]},
            playoffs={"models": [{"provider": "alpha", "model": "m3"}]},
        )
        project = Project(tmp_path_factory.mktemp("killed"), config, first(3))
        left = [_kill(project, held, *moment) for moment in _MOMENTS.values()]
        held.open()
        end = project.acm("run", "--json")
        yield _Killed(project, left, end, provider.stats())


def _kill(project: Project, held: HeldRequests, moment: str, model: str) -> _Left:
    newest = project.rows(_NEWEST)
    before = newest[0][0] if newest else ""
    held.hold(f'"{model}"')
    with project.started("run", "--json") as command:
        wait_until(lambda: command.ended or project.number(f"{_SENT} and {moment}", before or ""))
        command.send(signal.SIGKILL)
        assert command.end().code == -signal.SIGKILL, "the run ended before it could be killed"
    return _Left(set(project.rows(_DONE)), project.number(_IN_FLIGHT))


def test_a_run_that_is_killed_at_every_stage_goes_on_to_all_winners(killed: _Killed) -> None:
    documents = killed.end.last["documents"]

    assert killed.end.code == 0, killed.end.err
    assert "resuming run" in killed.end.err
    assert killed.project.number("select count(*) from runs") == 1
    assert {document["state"] for document in documents} == {"done"}
    assert {document["missing"] for document in documents} == {0}
    assert {f"{stem}.winner.md" for stem in ("bees", "bread", "city/trams")} <= (
        killed.project.files("winners")
    )


def test_no_finished_call_is_paid_again_after_a_kill(killed: _Killed) -> None:
    answered = killed.project.rows(_DONE)

    assert len(killed.left[0].done) > 0
    assert len(answered) == len(set(answered))
    for earlier, later in zip(
        killed.left, [*killed.left[1:], _Left(set(answered), 0)], strict=True
    ):
        assert earlier.done <= later.done


def test_calls_in_flight_at_a_kill_are_counted_as_uncertain(killed: _Killed) -> None:
    in_flight = [left.in_flight for left in killed.left]
    shown = killed.project.acm("show", "--json").last["calls"]

    assert sum(in_flight) > 0
    assert shown["uncertain"] == sum(in_flight)
    assert killed.stats["answered_twice"] <= shown["uncertain"]
    assert shown["total"] == len(killed.project.rows(_DONE)) + shown["uncertain"]
    assert killed.stats["requests"] <= shown["total"]
