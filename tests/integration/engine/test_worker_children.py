"""Workers of which only some can start children, and one that ends in the middle of a report."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.store import artifacts, documents
from tests.support import (
    cluster,
    fake_forge,
    intercepting_proxy,
    redis_server,
    simulator,
    worker_command,
)
from tests.support.child_runs import SECRET, entry, environment, made
from tests.support.cluster import Cluster
from tests.support.process_ends import gone
from tests.support.project import wait_until
from tests.support.worker_command import wait_for

_FUNCTION = "def check(text):\n    return bool(text)\n"
_LACKING = "child.gptr: type gptr: GPT Researcher is not in"


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with (
        redis_server.running() as redis,
        cluster.on(redis, postgres, tmp_path, "acm_children") as found,
    ):
        yield found


def test_a_report_goes_on_with_another_worker_that_can_start_children(
    machines: Cluster, tmp_path: Path
) -> None:
    able = environment(tmp_path / "gptr")
    unable = {"ACM_GPTR_ENVIRONMENT": str(tmp_path / "nowhere"), "ALPHA_KEY": SECRET}
    generators = ("--generators", "gptr", "--name", "able")
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
        worker_command.working(machines, tmp_path, "--all", "--name", "box", env=unable) as box,
    ):
        project = made(tmp_path / "project", held.url, entry("fpf", "m1"), entry("gptr", "slow"))
        held.hold("Plan: ")  # the second call of the child
        with (
            project.started("run", "--json", env=machines.env) as command,
            worker_command.working(machines, tmp_path, *generators, env=able) as first,
        ):
            wait_for(
                first, lambda: machines.number("select count(*) from events where kind='child'")
            )
            told = wait_for(first, lambda: _calls_of_child(machines))
            # It says so as soon as it has looked for what the run needs.
            wait_for(box, lambda: _LACKING in machines.acm(project, "status", "--workers").out)
            first.send(signal.SIGTERM)
            assert first.end() == 0
            assert all(gone(int(pid)) for pid in told)
            held.open()
            with worker_command.working(machines, tmp_path, *generators, env=able) as second:
                end = command.end(120)
                log = second.text()
        stats = provider.stats()

    assert end.code == 0, (end.err, log, box.text())
    (document,) = end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (2, 0)
    # Two texts take three calls, their judging four; what was in flight is asked again at most.
    assert stats["requests"] <= 8
    assert machines.number("select count(*) from calls where cached and unit_kind='artifact'") >= 1


def test_no_child_outlives_a_killed_worker_and_another_one_pays_only_new_calls(
    machines: Cluster, tmp_path: Path
) -> None:
    able = environment(tmp_path / "gptr")
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = made(tmp_path / "project", held.url, entry("gptr", "slow"))
        held.hold("Plan: ")  # the second call of the child
        with (
            project.started("run", "--json", env=machines.env) as command,
            worker_command.working(machines, tmp_path, "--all", env=able) as first,
        ):
            told = wait_for(first, lambda: _calls_of_child(machines))
            assert not any(gone(int(pid)) for pid in told)
            first.send(signal.SIGKILL)
            # By themselves they would end ten minutes later.
            wait_until(lambda: all(gone(int(pid)) for pid in told))
            held.open()
            with worker_command.working(machines, tmp_path, "--all", env=able) as second:
                end = command.end(120)
                log = second.text()
        stats = provider.stats()

    assert end.code == 0, (end.err, log)
    # The child asks twice, the judge once; what was in flight is asked again.
    assert stats["requests"] <= 4
    assert machines.number("select count(*) from calls where cached and unit_kind='artifact'") == 1


def test_filepromptforge_writes_where_the_machine_says_it_is_whatever_the_run_says(
    machines: Cluster, tmp_path: Path
) -> None:
    forge = fake_forge.install(tmp_path / "FilePromptForge")
    able = {"ACM_FPF_PATH": str(forge), "ALPHA_KEY": SECRET}
    good = entry("fpf", "good", engine="external") | {"provider": "openai"}
    with (
        simulator.running(latency_s=0.02) as provider,
        worker_command.working(machines, tmp_path, "--all", env=able) as worker,
    ):
        named = {"path": str(tmp_path / "not here")}
        checks = [{"type": "length", "min": 1}, {"type": "function", "source": _FUNCTION}]
        project = made(
            tmp_path / "project", provider.url, entry("fpf", "m1"), good, fpf=named, checks=checks
        )
        end = project.acm("run", "--json", env=machines.env)
        log = worker.text()

    assert end.code == 0, (end.err, log)
    (document,) = end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (2, 0)
    (text,) = (project.folder / "outputs").glob("*.good.*.md")
    assert text.read_text().startswith("# A text by good")
    assert machines.number("select count(*) from calls where price = 'FilePromptForge'") == 1
    assert len(list((forge / "asked").glob("good-*.json"))) == 1
    with machines.database.read() as connection:
        found = artifacts.of_document(
            connection, documents.of_run(connection, end.last["run_id"])[0].id
        )
    assert [[check.passed for check in one.checks] for one in found] == [[True, True]] * 2


def _calls_of_child(machines: Cluster) -> list[str]:
    """Return the processes of the child once it waits for its second answer; none before."""
    with machines.database.read() as connection:
        rows = connection.exec_driver_sql(
            "select data from events where kind = 'child' order by event_id limit 1"
        ).all()
    waits = machines.number(
        "select count(*) from calls where unit_kind='artifact' and state='started' and model='slow'"
    )
    done = machines.number("select count(*) from calls where state='done' and model='slow'")
    if not (rows and waits and done):
        return []
    data = rows[0][0]
    detail: str = (json.loads(data) if isinstance(data, str) else data)["detail"]
    return detail.split()
