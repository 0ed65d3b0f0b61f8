"""Runs whose process has died are named, with the command that goes on with them."""

import signal
from pathlib import Path

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Project, wait_until
from tests.support.texts import first


def test_a_run_whose_process_was_killed_is_named_by_list_status_and_follow(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number("select count(*) from calls") == 2)
            alive = project.acm("list", "--json").last["runs"][0]
            command.send(signal.SIGKILL)
            wait_until(lambda: command.ended)
        listed, told = project.acm("list", "--json"), project.acm("list")
        status, followed = project.acm("status"), project.acm("follow", "--plain")

    assert (alive["state"], alive["abandoned"]) == ("running", False)
    assert listed.last["runs"][0]["abandoned"] is True
    assert "abandoned" in told.out
    assert followed.code == 130
    for outcome in (told, status, followed):
        assert f"`acm resume {alive['id']}` continues it" in outcome.out + outcome.err
