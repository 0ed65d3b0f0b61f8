"""Runs with candidates that are generated in the background, and their faults."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.support import configs, intercepting_proxy, research, simulator
from tests.support.project import PATIENCE_S, Project, wait_until
from tests.support.texts import first


def test_a_normal_run_follows_when_researches_have_come_in(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02, background_latency_s=1) as provider:
        config = research.config(
            provider, research.MODEL, pairwise={"strategy": "round_robin", "position_swap": "both"}
        )
        config["providers"]["alpha"] = configs.provider(provider.url, "m1", "j1")
        require = {"grounding": "cited", "reasoning": "summary"}
        config["runs"] = [
            {**config["runs"][0], "iterations": 2, "require": require},
            *configs.runs(alpha=["m1"]),
        ]
        config["playoffs"] = {"models": [{"provider": "alpha", "model": "m1"}]}
        project = Project(tmp_path / "project", config, first(1))
        end = project.acm("run", "--json")

    assert end.code == 0, end.err
    (document,) = end.last["documents"]
    assert (document["artifacts"], document["comparisons"], document["missing"]) == (4, 12, 0)
    query = "select grounding, reasoning, attempt, cost_usd > 0 from calls where provider=?"
    assert project.rows(query, "openaidp") == [("cited", "summary", 1, 1)] * 2
    assert end.last["usd"] is not None


class _Ended(NamedTuple):
    """Candidates of many models, each with a fault of its own."""

    project: Project
    stats: dict[str, Any]

    def unit(self, fault: str) -> tuple[str, str | None]:
        """Return state and error of the candidate."""
        query = "select state, error_kind from artifacts where model = ?"
        (found,) = self.project.rows(query, f"{research.MODEL}@{fault}")
        return found[0], found[1]

    def calls(self, fault: str) -> list[tuple[str, bool]]:
        """Return the calls for the candidate: their states, and whether they cost anything."""
        query = "select state, cost_usd > 0 from calls where model = ? order by call_id"
        return [
            (row[0], bool(row[1])) for row in self.project.rows(query, f"{research.MODEL}@{fault}")
        ]


_FAULTS = ("O9", "O9.billed", "O9*", "O10", "O11", "O14", "O15", "O16", "O19", "O20",
           "O20*", "O21", "O22", "T5.poll", "T6.poll", "T7.poll", "T8.poll", "T9.poll", "T10.poll",
           "T18.poll")  # fmt: skip
_OVERDUE = ("O19", "O21")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Ended]:
    with simulator.running(latency_s=0.02, background_latency_s=0.5) as provider:
        config = research.config(provider, *(f"{research.MODEL}@{fault}" for fault in _FAULTS))
        config["providers"]["hasty"] = {**config["providers"]["openaidp"], "timeout_seconds": 5.0}
        for fault, entry in zip(_FAULTS, config["runs"], strict=True):
            entry["provider"] = "hasty" if fault in _OVERDUE else "openaidp"
            entry |= {"max_tokens": 4000, "require": {"grounding": "searched"}}
        config["retries"]["attempts"] = 3
        project = Project(tmp_path_factory.mktemp("ended"), config, first(1))
        end = project.acm("run", "--json")
        assert end.code == 0, end.err
        yield _Ended(project, provider.stats())


@pytest.mark.parametrize("fault", [fault for fault in _FAULTS if fault.endswith(".poll")])
def test_looks_that_fail_are_repeated_and_cost_nothing(ended: _Ended, fault: str) -> None:
    assert ended.unit(fault) == ("done", None)
    assert ended.calls(fault) == [("done", True)]


@pytest.mark.parametrize(
    ("fault", "before"),
    [
        ("O9", [("failed", False)]),
        ("O9.billed", [("failed", True)]),
        ("O11", [("done", True)]),
        ("O14", [("done", True)]),
        ("O15", [("done", True)]),
        ("O16", [("done", True)]),
        ("O22", [("done", True)]),
    ],
)
def test_a_research_that_came_to_nothing_is_asked_for_once_more_and_booked(
    ended: _Ended, fault: str, before: list[tuple[str, bool]]
) -> None:
    assert ended.unit(fault) == ("done", None)
    assert ended.calls(fault) == [*before, ("done", True)]


def test_a_research_that_always_fails_is_given_up_after_the_attempts_allowed(
    ended: _Ended,
) -> None:
    assert ended.unit("O9*") == ("failed", "out_of_attempts")
    assert ended.calls("O9*") == [("failed", False)] * 3
    attempts = ended.project.rows(
        "select attempt from calls where model = ? order by call_id", f"{research.MODEL}@O9*"
    )
    assert attempts == [(1,), (2,), (3,)]


def test_a_research_that_is_refused_fails_at_once(ended: _Ended) -> None:
    assert ended.unit("O10") == ("failed", "provider_rejected")
    assert ended.calls("O10") == [("failed", False)]


def test_a_research_that_stays_queued_is_called_off_at_its_deadline(ended: _Ended) -> None:
    assert ended.unit("O19") == ("failed", "answer_overdue")
    # What the work up to there cost, the simulator does not tell, nor do others.
    assert ended.calls("O19") == [("uncertain", False)]


def test_a_research_that_is_done_when_it_is_called_off_is_taken(ended: _Ended) -> None:
    assert ended.unit("O21") == ("done", None)
    assert ended.calls("O21") == [("done", True)]
    assert ended.stats["background"]["cancels"] == 2


def test_a_research_may_be_unknown_at_first(ended: _Ended) -> None:
    assert ended.unit("O20") == ("done", None)
    assert ended.calls("O20") == [("done", True)]


def test_a_research_that_stays_unknown_is_lost_and_may_have_been_paid(ended: _Ended) -> None:
    assert ended.unit("O20*") == ("failed", "answer_lost")
    assert ended.calls("O20*") == [("uncertain", False)]
    query = "select error from calls where model = ?"
    ((error,),) = ended.project.rows(query, f"{research.MODEL}@O20*")
    assert error.endswith("3 times in a row; it may have been paid")


def test_every_research_is_booked_with_what_the_provider_counted(ended: _Ended) -> None:
    query = "select sum(input_tokens), sum(output_tokens) from calls where state in (?, ?)"
    booked = ended.project.rows(query, "done", "failed")[0]

    # Not told by the simulator: what failed without usage, was called off, or is lost.
    assert booked[0] < ended.stats["tokens"]["input"]
    assert ended.stats["answered_twice"] == 0
    assert ended.project.number(research.OPEN) == 0


def test_a_research_that_somebody_else_cancels_fails(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02, background_latency_s=600) as provider:
        project = Project(tmp_path / "project", research.config(provider, research.MODEL), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(research.OPEN))
            ((name,),) = project.rows(research.NAMES)
            url = f"{provider.url}/responses/{name}/cancel"
            httpx.post(url, trust_env=False, timeout=PATIENCE_S)
            end = command.end()

    assert end.code == 3
    assert project.rows("select error_kind, error from artifacts") == [
        ("provider_rejected", "openaidp: the answer was cancelled")
    ]
    assert project.rows("select state from calls") == [("uncertain",)]


def test_a_provider_without_money_finishes_what_it_has_begun_in_the_background(
    tmp_path: Path,
) -> None:
    models = [research.MODEL, f"{research.MODEL}@O2*"]
    with (
        simulator.running(latency_s=0.02, background_latency_s=1.5) as provider,
        intercepting_proxy.holding(provider.url, "@O2") as held,
    ):
        project = Project(tmp_path / "project", research.config(held, *models), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(research.OPEN))
            held.open()
            end = command.end()

    assert end.code == 4, end.err
    assert "quota" in end.last["reason"]
    states = project.rows("select state from artifacts order by model")
    assert states == [("done",), ("planned",)]
    assert project.number("select count(*) from eval_results where state = 'done'") == 1
