"""Stopping a run by Ctrl-C or from elsewhere, and resuming it."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import PATIENCE_S, Project, wait_until
from tests.support.texts import first

_DONE = "select digest, iteration from calls where state = 'done' and not cached"
_SCORED = "select count(*) >= 3 from eval_results where state = 'done'"
_SENT = "select count(*) from calls where state = 'started'"
_CANDIDATES = 6
_INTERRUPTED_TWICE = """
import os
from acm_api import execution
from acm_workers import runtime
from acm_workers.settings import Settings
from acm_workers.store import calls, runs

settings = Settings()
database = runtime.open_store(settings)
with database.read() as connection:
    run = runs.get(connection, runs.running(connection)[0])
    before = calls.totals(connection, run.id).sent

def interrupt(*progress):
    with database.read() as connection:
        sent = calls.totals(connection, run.id).sent
    if not progress or sent > before:
        raise KeyboardInterrupt

try:
    execution.execute(database, run, settings, interrupt, interrupt)
except KeyboardInterrupt:
    os._exit(130)
"""


def _project(folder: Path, url: str, **changes: Any) -> Project:
    alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=8)
    return Project(folder, configs.base({"alpha": alpha}, **changes), first(3))


def test_ctrl_c_keeps_calls_in_flight_and_says_how_to_go_on(tmp_path: Path) -> None:
    with (
        simulator.running() as provider,
        intercepting_proxy.holding(provider.url, passes=12) as held,
    ):
        project = _project(tmp_path, held.url)
        with project.started("run", "--plain") as command:
            wait_until(lambda: command.ended or project.number(_SCORED))
            command.send(signal.SIGINT)
            wait_until(lambda: command.ended or "Ctrl-C again" in command.printed())
            held.open()
            stopped = command.end()
        run_id = project.rows("select run_id from runs")[0][0]
        before, in_flight = project.rows(_DONE), project.number(_SENT)
        resumed = project.acm("resume", "--json")
        counted = provider.stats()

    assert stopped.code == 130
    assert f"acm resume {run_id}" in stopped.out
    assert "Traceback" not in stopped.err
    assert in_flight == 0
    assert resumed.code == 0, resumed.err
    assert set(before) < set(project.rows(_DONE))
    assert counted["answered_twice"] == 0
    assert resumed.last["calls"] == {"total": 39, "failed": 0, "cached": 0, "uncertain": 0}
    assert counted["requests"] == 39


def test_a_second_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    with simulator.running() as provider, intercepting_proxy.holding(provider.url) as held:
        project = _project(tmp_path, held.url)
        with project.started("run", "--plain") as command:
            wait_until(lambda: command.ended or project.number(_SENT))
            command.send(signal.SIGINT)
            wait_until(lambda: command.ended or "Ctrl-C again" in command.printed())
            command.send(signal.SIGINT)
            stopped = command.end()  # though nothing is ever answered

    assert stopped.code == 130
    assert "acm resume" in stopped.out
    assert "Traceback" not in stopped.err


def test_a_second_ctrl_c_while_the_first_is_told_leaves_at_once(tmp_path: Path) -> None:
    with simulator.running() as provider, intercepting_proxy.holding(provider.url) as held:
        project = _project(tmp_path, held.url)
        with project.started("run", "--plain") as command:
            wait_until(lambda: command.ended or project.number(_SENT))
            command.send(signal.SIGKILL)
            command.end()
        left = subprocess.run(
            [sys.executable, "-c", _INTERRUPTED_TWICE],
            cwd=tmp_path, timeout=PATIENCE_S, check=False,
        )  # fmt: skip

    assert left.returncode == 130


def test_two_commands_at_once_work_one_after_the_other(tmp_path: Path) -> None:
    with simulator.running() as provider, intercepting_proxy.holding(provider.url) as held:
        project = _project(tmp_path, held.url)
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_SENT))
            with project.started("run", "--json") as other:
                wait_until(lambda: other.ended or "another acm process" in other.told())
                held.open()
                ended, second = command.end(), other.end()
        requests = provider.stats()["requests"]

    assert (ended.code, second.code) == (0, 0), second.err
    assert "another acm process" in second.err
    assert second.last["documents"] == ended.last["documents"]
    assert requests == ended.last["calls"]["total"] == 39


def test_a_run_that_is_cancelled_from_elsewhere_ends_and_can_be_resumed(tmp_path: Path) -> None:
    with simulator.running() as provider, intercepting_proxy.holding(provider.url) as held:
        project = _project(tmp_path, held.url, playoffs={"enabled": False})
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_SENT) == _CANDIDATES)
            cancelled = project.acm("cancel", "--json")
            held.open()
            ended = command.end()
        again = project.acm("cancel")
        before = project.rows(_DONE)
        resumed = project.acm("resume", "--json")
        counted = provider.stats()

    assert (cancelled.code, ended.code, again.code) == (0, 130, 2)
    assert ended.last["state"] == "cancelled"
    assert {document["state"] for document in ended.last["documents"]} == {"cancelled"}
    assert "it is cancelled" in again.err
    assert resumed.code == 0, resumed.err
    assert {document["state"] for document in resumed.last["documents"]} == {"done"}
    assert 0 < len(before) < len(project.rows(_DONE))
    assert set(before) < set(project.rows(_DONE))
    assert counted["answered_twice"] == 0
    assert resumed.last["calls"] == {"total": 18, "failed": 0, "cached": 0, "uncertain": 0}
