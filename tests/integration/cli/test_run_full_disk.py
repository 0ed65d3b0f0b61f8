"""Folders and disks that cannot be written: a clear error, and no paid answer is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_CALLS = 2 * 13
_SENT = "select count(*) from calls where state = 'started'"
_DONE = "select digest, iteration from calls where state = 'done' and not cached"


class _Blocked(NamedTuple):
    project: Project
    provider: Simulator
    outcome: Outcome


@pytest.fixture(scope="module")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Blocked]:
    """A finished run whose output folder could be created no more: a file got its name."""
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        config = configs.small(held.url, output_folder="taken/outputs")
        project = Project(tmp_path_factory.mktemp("blocked"), config, first(2))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_SENT))
            project.write("taken", "a file")
            held.open()
            outcome = command.end()
        yield _Blocked(project, provider, outcome)


def test_an_output_folder_that_cannot_be_made_is_told_and_nothing_is_lost(
    blocked: _Blocked,
) -> None:
    error = blocked.outcome.last["error"]
    shown = blocked.project.acm("show", "--json").last

    assert blocked.outcome.code == 1  # 2 would mean that nothing was paid
    assert error["message"].count("taken/outputs") == 1
    assert error["message"].count("acm export") == 1
    assert f"acm export {shown['run_id']} --to" in error["message"]
    assert "Traceback" not in blocked.outcome.err
    assert shown["state"] == "done"
    assert shown["calls"]["total"] == _CALLS


def test_an_output_folder_that_cannot_be_made_is_told_before_anything_is_paid(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02) as provider:
        config = configs.small(provider.url, output_folder="taken/outputs")
        project = Project(tmp_path, config, first(1))
        project.write("taken", "a file")
        ends = [project.acm(*command) for command in (["run"], ["plan"], ["doctor"])]
        requests = provider.stats()["requests"]

    assert [one.code for one in ends] == [2, 2, 2]
    assert all("taken is not a folder" in one.out + one.err for one in ends)
    assert requests == 0
    assert ".acm" not in project.names()


def test_export_writes_elsewhere_what_the_output_folder_did_not_take(blocked: _Blocked) -> None:
    exported = blocked.project.acm("export", "--to", "elsewhere")
    files = blocked.project.files("elsewhere")

    assert exported.code == 0, exported.err
    assert {"winners/bees.winner.md", "winners/bread.winner.json"} <= files
    assert sum(name.startswith("outputs/") for name in files) == 6
    assert any(name.endswith("/index.html") for name in files)
    assert blocked.provider.stats()["requests"] == _CALLS


def test_a_disk_that_is_full_while_files_are_written_leaves_no_half_file(blocked: _Blocked) -> None:
    project = blocked.project
    full = project.acm("export", "--to", "small", largest_file=40_000)
    lines, halves = full.err.splitlines(), project.files("small")
    again = project.acm("export", "--to", "small")

    assert (full.code, len(lines)) == (2, 1), full.err
    assert "is full" in lines[0]
    assert not any(name.endswith((".tmp", "index.html")) for name in halves)
    assert again.code == 0, again.err
    assert halves < project.files("small")


def test_the_same_command_writes_the_files_once_the_folder_takes_them(blocked: _Blocked) -> None:
    (blocked.project.folder / "taken").unlink()
    again = blocked.project.acm("run", "--json")

    assert again.code == 0, again.err
    assert len(blocked.project.files("taken/outputs")) == 6
    assert blocked.provider.stats()["requests"] == _CALLS


def test_a_folder_that_nobody_can_make_is_told_in_one_line(blocked: _Blocked) -> None:
    refused = blocked.project.acm("export", "--to", "/proc/nowhere")
    lines = refused.err.splitlines()

    assert (refused.code, len(lines)) == (2, 1), refused.err
    assert "/proc/nowhere" in lines[0]
    assert "cannot be written" in lines[0]


def test_a_store_that_takes_no_more_stops_the_run_and_the_next_one_completes(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(2))
        project.acm("db", "upgrade")
        full = project.acm("run", "--json", largest_file=600_000)
        done = project.rows(_DONE)
        again = project.acm("run", "--json")
        twice = provider.stats()["answered_twice"]

    answered = project.rows(_DONE)
    assert (full.code, full.last["error"]["kind"]) == (1, "store_failed"), full.err
    assert [line for line in full.err.splitlines() if line.startswith("acm: the store ")]
    assert "Traceback" not in full.err
    assert 0 < len(done) < _CALLS
    assert again.code == 0, again.err
    assert {document["missing"] for document in again.last["documents"]} == {0}
    assert len(answered) == len(set(answered)) == _CALLS
    assert set(done) <= set(answered)
    assert twice <= again.last["calls"]["uncertain"]
