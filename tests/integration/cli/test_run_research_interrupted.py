"""Runs that are killed, left or cancelled while candidates are generated in the background."""

import signal
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import intercepting_proxy, research, simulator
from tests.support.intercepting_proxy import UnfinishedAnswers
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_SENT = "select count(*) from calls where not cached"
_SCORED = "select count(*) from eval_results where state = 'done' having count(*) = 3"
"""The three that are told to be finished; then nothing is under way that a kill interrupts."""
_WAITING = "select count(*) from artifacts where not_before is not null and state = 'planned'"


def _many(provider: UnfinishedAnswers, number: int, **changes: Any) -> dict[str, Any]:
    config = research.config(provider, research.MODEL, **changes)
    config["runs"][0] |= {"iterations": number, "max_tokens": 2000}
    return config


def _bill(provider: Simulator) -> float:
    """Return the cost of what the simulator counted, at the only price."""
    tokens, price = provider.stats()["tokens"], research.PRICE
    return float(tokens["input"] * price["input"] + tokens["output"] * price["output"]) / 1e6


class _Killed(NamedTuple):
    """A run that was killed twice during background answers, and then finished."""

    project: Project
    submitted: list[int]
    names: list[Any]
    end: Outcome
    stats: dict[str, Any]
    bill_usd: float


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Killed]:
    with (
        simulator.running(latency_s=0.02, background_latency_s=0.2) as provider,
        intercepting_proxy.unfinished(provider.url) as there,
    ):
        config = _many(there, 10, budget_usd=1000.0)
        project = Project(tmp_path_factory.mktemp("killed"), config, first(1))
        submitted, names = [], []
        for looks, moment in ((0, f"{research.OPEN} having count(*) = 10"), (3, _SCORED)):
            there.polls_left = looks
            with project.started("run", "--json") as command:
                wait_until(lambda: command.ended or project.number(moment))  # noqa: B023
                command.send(signal.SIGKILL)
                assert command.end().code == -signal.SIGKILL
            submitted.append(provider.stats()["background"]["submitted"])
            names.append(project.rows(research.NAMES))
        there.finish()
        end = project.acm("run", "--json")
        yield _Killed(project, submitted, names, end, provider.stats(), _bill(provider))


def test_after_a_kill_researches_go_on_without_being_asked_for_again(killed: _Killed) -> None:
    assert killed.end.code == 0, killed.end.err
    assert len(killed.names[0]) == 10
    assert killed.submitted == [10, 10]
    assert killed.stats["background"]["submitted"] == 10
    (document,) = killed.end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (10, 0)


def test_after_a_kill_researches_are_paid_once_and_none_is_uncertain(killed: _Killed) -> None:
    rows = killed.project.rows("select response_id, cost_usd from calls where provider='openaidp'")

    assert len({name for name, _ in rows}) == len(rows) == 10
    assert killed.stats["answered_twice"] == 0
    # The research was not told to search, so that tokens are all it costs.
    assert killed.end.last["calls"]["uncertain"] == 0
    assert killed.end.last["usd"] == pytest.approx(killed.bill_usd)


def test_a_kill_while_a_research_is_asked_for_leaves_one_uncertain_call(tmp_path: Path) -> None:
    model = f"{research.MODEL}@T3"
    with simulator.running(latency_s=0.02, background_latency_s=0.2, stall_s=90) as provider:
        project = Project(tmp_path / "project", research.config(provider, model), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or provider.stats()["faults"])
            command.send(signal.SIGKILL)
            assert command.end().code == -signal.SIGKILL
        end = project.acm("run", "--json")

    assert end.code == 0, end.err
    assert end.last["calls"]["uncertain"] == 1
    assert project.rows("select state from calls where provider = 'openaidp' order by call_id") == [
        ("uncertain",),
        ("done",),
    ]


def test_cancelling_a_run_calls_its_researches_off_and_books_what_they_cost(
    tmp_path: Path,
) -> None:
    models = [f"{research.MODEL}@O19", f"{research.MODEL}@O21"]
    with simulator.running(latency_s=0.02, background_latency_s=0.3) as provider:
        project = Project(tmp_path / "project", research.config(provider, *models), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(research.OPEN) == 2)
            cancelled = project.acm("cancel")
            end = command.end()
        background = provider.stats()["background"]
        calls = project.rows("select state, cost_usd > 0 from calls order by model")
        again = project.acm("resume", "--json")
        after = provider.stats()["background"]

    assert (cancelled.code, end.code) == (0, 130)
    assert background["submitted"] == 2
    assert background["cancels"] >= 2
    assert calls == [("uncertain", None), ("done", 1)]
    # What was done when it was called off is not paid again; the other one is asked for anew.
    assert again.code == 0, again.err
    assert after["submitted"] == 3


def test_a_run_that_is_left_goes_on_at_the_provider_and_is_picked_up_again(
    tmp_path: Path,
) -> None:
    with (
        simulator.running(latency_s=0.02, background_latency_s=0.2) as provider,
        intercepting_proxy.unfinished(provider.url) as there,
    ):
        project = Project(tmp_path / "project", _many(there, 10), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_WAITING) == 10)
            command.send(signal.SIGINT)
            left = command.end()
        before = provider.stats()["background"]
        status = project.acm("status", "--json").last
        there.finish()
        again = project.acm("resume", "--json")
        after = provider.stats()["background"]

    assert left.code == 130
    assert (before["submitted"], before["cancels"]) == (10, 0)
    assert status["calls"]["in_flight"] == 10
    assert again.code == 0, again.err
    assert (after["submitted"], after["cancels"]) == (10, 0)
    assert again.last["calls"]["uncertain"] == 0


def test_a_run_that_nobody_works_on_is_called_off_by_the_command_that_cancels_it(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02, background_latency_s=600) as provider:
        project = Project(tmp_path / "project", research.config(provider, research.MODEL), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_WAITING))
            command.send(signal.SIGINT)
            assert command.end().code == 130
        cancelled = project.acm("cancel")
        background = provider.stats()["background"]

    assert cancelled.code == 0
    assert (background["submitted"], background["cancels"]) == (1, 1)
    assert project.number(research.OPEN) == 0


def test_a_research_that_cannot_be_called_off_stays_open_for_who_goes_on(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02, background_latency_s=600) as provider:
        project = Project(tmp_path / "project", research.config(provider, research.MODEL), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_WAITING))
            command.send(signal.SIGKILL)
            command.end()
    cancelled = project.acm("cancel")

    assert cancelled.code == 0
    assert "background answers that could not be cancelled: 1;" in cancelled.err
    assert project.number(research.OPEN) == 1


def test_a_budget_holds_what_researches_may_cost_until_they_end(
    tmp_path: Path, killed: _Killed
) -> None:
    ((most, cost),) = killed.project.rows(
        "select max(reserved_usd), max(cost_usd) from calls where provider = 'openaidp'"
    )
    # Enough for one at a time, and for what all of them really cost.
    budget_usd = most + 2.5 * cost
    with (
        simulator.running(latency_s=0.02, background_latency_s=0.2) as provider,
        intercepting_proxy.unfinished(provider.url) as there,
    ):
        config = _many(there, 3, budget_usd=budget_usd)
        config["providers"]["alpha"]["prices"] = {"j1": {"input": 0.0, "output": 0.0}}
        project = Project(tmp_path / "project", config, first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_WAITING))
            command.send(signal.SIGKILL)
            command.end()
        assert project.number(_SENT) == 1
        there.finish()
        end = project.acm("run", "--json")

    assert end.code == 0, end.err
    spans = project.rows(
        "select started_at, ended_at from calls where provider = 'openaidp' order by call_id"
    )
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert end.last["usd"] <= budget_usd
    assert end.last["calls"]["total"] == 6


def test_a_key_that_is_missing_pauses_the_run_and_loses_no_research(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.02, background_latency_s=0.2) as provider,
        intercepting_proxy.unfinished(provider.url) as there,
    ):
        config = research.config(there, research.MODEL)
        config["providers"]["openaidp"]["key_env"] = "DEEP_KEY"
        project = Project(tmp_path / "project", config, first(1))
        key = {"DEEP_KEY": "a-key-for-tests"}
        with project.started("run", "--json", env=key) as command:
            wait_until(lambda: command.ended or project.number(_WAITING))
            command.send(signal.SIGINT)
            command.end()
        there.finish()
        without = project.acm("resume", "--json")
        again = project.acm("resume", "--json", env=key)
        background = provider.stats()["background"]

    assert without.code == 4, without.err
    assert f"DEEP_KEY is not set (on {socket.gethostname()})" in without.last["reason"]
    assert again.code == 0, again.err
    assert background["submitted"] == 1
