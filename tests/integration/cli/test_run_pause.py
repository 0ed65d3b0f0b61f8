"""Pausing a run from another terminal, and resuming it."""

from pathlib import Path

from tests.support import configs, intercepting_proxy, simulator
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import Project, wait_until
from tests.support.texts import first

_DONE = "select count(*) from calls where state = 'done' and not cached"
_CLAIMED = """select (select count(*) from artifacts where state = 'claimed')
 + (select count(*) from eval_results where state = 'claimed')"""
_CALLS = 3 * 13


def _project(folder: Path, url: str) -> Project:
    alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=3)
    return Project(folder, configs.base({"alpha": alpha}), first(3))


def test_calls_in_flight_end_and_nothing_begins_until_the_run_is_resumed(tmp_path: Path) -> None:
    holder = HoldAfter(passes=6)
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, holder) as url,
    ):
        project = _project(tmp_path, url)
        with project.started("run", "--plain") as command:
            wait_until(lambda: command.ended or holder.held == 3)
            paused, again = project.acm("pause", "--json"), project.acm("pause")
            # Those claimed that wait for their turn learn of it soon; calls in flight end.
            wait_until(lambda: project.number(_CLAIMED) == 3)
            holder.open()
            stopped = command.end()
        done, asked, status = project.number(_DONE), provider.stats(), project.acm("status")
        resumed = project.acm("resume", "--json")
        refused = project.acm("pause")
        counted = provider.stats()

    assert (paused.code, again.code, stopped.code) == (0, 0, 4), paused.err
    assert paused.last["state"] == "paused"
    assert "paused: as `acm pause` asked; `acm resume` continues it" in stopped.out
    assert ": paused" in status.out
    assert "as `acm pause` asked" in status.out
    assert done == asked["requests"] == 6 + 3
    assert resumed.code == 0, resumed.err
    assert resumed.last["calls"] == {"total": _CALLS, "failed": 0, "cached": 0, "uncertain": 0}
    assert (counted["requests"], counted["answered_twice"]) == (_CALLS, 0)
    assert refused.code == 2
    assert "cannot be paused: it is done" in refused.err


def test_the_same_command_goes_on_with_a_paused_run_that_nobody_works_on(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = _project(tmp_path, held.url)
        with project.started("run", "--plain") as command:
            wait_until(lambda: command.ended or project.number("select count(*) from calls"))
        paused = project.acm("pause")  # the command was killed
        held.open()
        resumed = project.acm("run", "--json")

    assert paused.code == 0
    assert resumed.code == 0, resumed.err
    assert "resuming run" in resumed.err
    assert resumed.last["state"] == "done"
