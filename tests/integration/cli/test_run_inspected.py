"""Commands that show runs or write their files again; none of them pays anything."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from acm_api.files import naming
from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_DOCUMENT_DONE = '"documents": {"done": 1}'


class _Finished(NamedTuple):
    project: Project
    provider: Simulator
    run: Outcome

    @property
    def run_id(self) -> str:
        """Return the id of its only run."""
        return str(self.run.last["run_id"])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Finished]:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(
            tmp_path_factory.mktemp("finished"), configs.small(provider.url), first(2)
        )
        yield _Finished(project, provider, project.acm("run", "--json"))
        assert provider.stats()["requests"] == 26, "a command that looks has paid"


def test_status_tells_units_calls_and_spending(finished: _Finished) -> None:
    told = finished.project.acm("status").out
    status = finished.project.acm("status", "--json").last

    assert (status["run_id"], status["state"]) == (finished.run_id, "done")
    assert status["documents"] == {"done": 2}
    assert status["units"] == {
        "artifact": {"done": 6},
        "evaluation": {"done": 8},
        "comparison": {"done": 12},
    }
    assert (status["calls"]["sent"], status["calls"]["in_flight"]) == (26, 0)
    assert status["calls"]["cost_usd"] == pytest.approx(finished.run.last["usd"])
    assert status["waits"] == []
    assert finished.run_id in told


def test_list_names_the_run(finished: _Finished) -> None:
    listed = finished.project.acm("list", "--json").last["runs"]

    assert [(run["id"], run["title"], run["state"]) for run in listed] == [
        (finished.run_id, finished.project.folder.name, "done")
    ]
    assert finished.run_id in finished.project.acm("list").out


def test_show_and_follow_repeat_the_result_of_the_run(finished: _Finished) -> None:
    shown = finished.project.acm("show", finished.run_id[:20].lower(), "--json")
    followed = finished.project.acm("follow", "--json")

    assert shown.last == followed.last == finished.run.last
    assert (shown.code, followed.code) == (0, 0)
    assert json.loads(followed.out.splitlines()[0])["progress"]["documents"] == {"done": 2}


def test_export_and_report_write_the_same_files_again(finished: _Finished) -> None:
    project = finished.project
    exported = project.acm("export", finished.run_id, "--to", "copy")
    reported = project.acm("report")

    assert (exported.code, reported.code) == (0, 0)
    assert Path(reported.out.strip()).is_file()
    for folder in ("outputs", "winners"):
        assert project.files(f"copy/{folder}") == project.files(folder)
        for name in project.files(folder):
            copy = project.folder / "copy" / folder / name
            assert copy.read_bytes() == (project.folder / folder / name).read_bytes()


def test_the_plan_can_show_where_every_value_comes_from(finished: _Finished) -> None:
    values = finished.project.acm("plan", "--show-config", "--json").last

    assert values["pairwise.position_swap"]["value"] == "both"
    assert values["pairwise.position_swap"]["origin"].startswith("config.yaml:")
    assert values["playoffs.enabled"] == {"value": True, "origin": "default"}


@pytest.mark.parametrize("config", [["config.yaml"], []], ids=["named", "found"])
def test_the_doctor_finds_the_store_and_the_server_well(
    finished: _Finished, config: list[str]
) -> None:
    examined = finished.project.acm("doctor", *config, "--json")
    checks = {check["name"]: check["ok"] for check in examined.last["checks"]}

    assert examined.code == 0
    names = {"python", "store", "config", "files", "provider alpha"}
    assert checks == dict.fromkeys(names, True)


@pytest.mark.parametrize("command", ["show", "status", "follow", "resume", "cancel", "export"])
def test_an_unknown_run_is_told_in_one_line(finished: _Finished, command: str) -> None:
    outcome = finished.project.acm(command, "no-such-run")
    lines = outcome.err.splitlines()

    assert (outcome.code, len(lines)) == (2, 1)
    assert lines[0].startswith('acm: there is no run "no-such-run"')


def test_there_is_nothing_to_resume_or_cancel_in_a_finished_run(finished: _Finished) -> None:
    for command in ("resume", "cancel"):
        outcome = finished.project.acm(command)

        assert outcome.code == 2
        assert f"run {finished.run_id}" in outcome.err
        assert "done" in outcome.err


def test_a_folder_that_was_set_up_can_be_planned(finished: _Finished) -> None:
    project = finished.project
    made, again = project.acm("init", "fresh"), project.acm("init", "fresh")
    project.write("fresh/inputs/a.md", "Something to write about.")
    project.write("fresh/instructions.md", "Summarise it.")
    key = {"OPENAI_API_KEY": "none", "OPENROUTER_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    planned = project.acm("plan", "fresh/config.yaml", "--json", env=key)

    assert (made.code, again.code) == (0, 2)
    assert "nothing was overwritten" in again.err
    assert planned.code == 0, planned.err
    assert planned.last["documents"] == 1


def test_a_run_that_goes_on_can_be_looked_at_and_followed(tmp_path: Path) -> None:
    # One candidate is held, so that the run stands still while it is looked at.
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url, '"m1"') as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with project.started("run", "--json") as command:
            wait_until(
                lambda: (
                    command.ended
                    or (
                        project.number("select count(*) from eval_results where state = 'done'")
                        and project.number("select count(*) from calls where state = 'started'")
                        == 1
                    )
                )
            )
            with project.started("follow", "--json") as following:
                status = project.acm("status", "--json").last
                shown = project.acm("show", "--json").last
                wait_until(lambda: following.ended or following.printed())
                held.open()
                followed, ended = following.end(), command.end()

    assert (status["state"], status["documents"]) == ("running", {"generate": 1})
    assert status["units"]["artifact"] == {"done": 1, "claimed": 1}
    assert status["calls"]["in_flight"] == 1
    assert shown["documents"][0]["state"] == "running"
    assert shown["documents"][0]["winner"] is None
    assert (ended.code, followed.code) == (0, 0), followed.err
    assert followed.last == ended.last
    assert all("progress" in json.loads(line) for line in followed.out.splitlines()[:-1])


def test_following_a_run_ends_when_its_files_are_written(tmp_path: Path) -> None:
    # Who writes files reads whether an earlier failure is told there, and waits for this one.
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number("select count(*) from calls") == 2)
            stuck = project.write(f"outputs/{_first_file(project)}.failed.json", "")
            stuck.unlink()
            os.mkfifo(stuck)
            with project.started("follow", "--json") as following:
                held.open()
                wait_until(lambda: following.ended or _DOCUMENT_DONE in following.printed())
                with pytest.raises(subprocess.TimeoutExpired):
                    following.end(deadline_s=1.0)
                _let_go(stuck)
                followed, ended = following.end(), command.end()

    assert (ended.code, followed.code) == (0, 0), followed.err
    assert followed.last == ended.last
    assert followed.last["documents"][0]["winner"]["file"] in project.files("outputs")


def _first_file(project: Project) -> str:
    """Return the future name of the first candidate's file, without extension."""
    query = "select artifact_id, number, model from artifacts order by 1"
    artifact_id, number, model = project.rows(query)[0]
    return f"bees.fpf.{number}.{model}.{naming.uid3(artifact_id, 0)}"


def _let_go(pipe: Path) -> None:
    """Unblock a process that reads a pipe without a writer."""
    opened = os.open(pipe, os.O_RDWR)
    pipe.unlink()
    os.close(opened)
