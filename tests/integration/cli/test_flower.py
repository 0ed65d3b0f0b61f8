"""`acm flower` shows ids and active tasks, requires a password, and changes nothing."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy

from tests.support import (
    cluster,
    configs,
    intercepting_proxy,
    redis_server,
    silent_port,
    simulator,
    worker_command,
)
from tests.support.cluster import Cluster
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import ACM, PATIENCE_S, Project, wait_until
from tests.support.texts import TEXTS, first

_PASSWORD = "three-hens-in-a-row"  # noqa: S105
_ALLOWED = ("acm", _PASSWORD)
_ONE_ID = re.compile(r"[(\[]'[0-9A-Z]{26}',?[)\]]")
_ID = re.compile(r"[0-9A-Z]{26}")
_SERVED = ("--control", "--provider", "alpha", "--provider", "beta")
_GROUPS = ("control", "alpha", "beta")
_ONE_EACH = {"control": 0, "alpha": 1, "beta": 1}
_TELLS = "Events of group {task} enabled by remote."
_KEY = "sk-not-to-be-seen-anywhere"


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with (
        redis_server.running() as redis,
        cluster.on(redis, postgres, tmp_path, "acm_flower") as found,
    ):
        yield found


@contextmanager
def flower(machines: Cluster, folder: Path) -> Iterator[httpx.Client]:
    """Run `acm flower`; yield a client of its address without a password."""
    env = {**os.environ, **machines.env, "ACM_FLOWER_PASSWORD": _PASSWORD}
    env["FLOWER_UNAUTHENTICATED_API"] = env["FLOWER_READ_ONLY"] = "false"
    log = folder / "flower.log"
    for module in (
        "celeryconfig",
        "tornado",
        "flower",
        "redis",
    ):  # nothing of the folder is imported
        (folder / f"{module}.py").write_text("raise SystemExit('imported from the folder')")
    with (
        silent_port.reserved() as port,
        log.open("wb") as err,
        subprocess.Popen(
            [str(ACM), "flower", "--port", str(port), "--tasks"], cwd=folder, stderr=err, env=env
        ) as process,
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=PATIENCE_S
        ) as client,
    ):
        try:
            wait_until(lambda: _answers(client) or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            assert _PASSWORD not in Path(f"/proc/{process.pid}/cmdline").read_text()
            assert _PASSWORD not in log.read_text()
            yield client
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthcheck").is_success
    except httpx.TransportError:
        return False


def shown_by(client: httpx.Client, what: str) -> Any:
    """Return the answer of Flower's API to a client with the password."""
    return client.get(f"/api/{what}", auth=_ALLOWED).json()


def active_tasks(client: httpx.Client, names: dict[str, str]) -> dict[str, list[str]]:
    """Return the ids of each group's active tasks, as the page of its Worker shows them."""
    found = {}
    for group, name in names.items():
        workers = shown_by(client, f"workers?refresh=1&workername={name}")
        found[group] = _ID.findall(str([task["args"] for task in workers[name].get("active", [])]))
    return found


def active_numbers(client: httpx.Client, names: dict[str, str]) -> dict[str, int | None]:
    """Return how many active tasks the list of Workers shows for each group."""
    rows = client.get("/workers?json=1", auth=_ALLOWED).json()["data"]
    shown = {row["hostname"]: row.get("active") for row in rows}
    return {group: shown.get(name) for group, name in names.items()}


def writers(machines: Cluster) -> dict[str, list[str]]:
    """Return the id of the only candidate that each provider writes."""
    with machines.database.read() as connection:
        query = sqlalchemy.text("select provider, artifact_id from artifacts")
        return {row.provider: [row.artifact_id] for row in connection.execute(query)}


def assert_holds_no_secret(shown: str) -> None:
    """Assert that neither the key nor a text is shown."""
    for secret in (_KEY, *(text[:40] for text in TEXTS.values())):
        assert secret not in shown


def test_flower_shows_active_tasks_by_worker_as_ids_and_changes_nothing(
    machines: Cluster, tmp_path: Path
) -> None:
    holder = HoldAfter(passes=0)
    with (
        simulator.running() as provider,
        intercepting_proxy.intercepting(provider.url, holder) as url,
    ):
        alpha = configs.provider(url, "m1", "j1", key_env="ALPHA_KEY")
        both = {"alpha": alpha, "beta": configs.provider(url, "m2")}
        config = configs.base(both, runs=configs.runs(alpha=["m1"], beta=["m2"]))
        project = Project(tmp_path / "project", config, first(1))
        key = {"ALPHA_KEY": _KEY}
        with (
            flower(machines, tmp_path) as client,
            worker_command.working(machines, tmp_path, *_SERVED, env=key) as worker,
        ):
            assert client.get("/api/workers").status_code == 401
            assert client.get("/", auth=("acm", "wrong")).status_code == 401
            worker_command.wait_for(worker, lambda: worker.is_well(workers=3))
            names = {group: worker.worker_of(group)["name"] for group in _GROUPS}
            wait_until(
                lambda: set(names.values()) <= set(shown_by(client, "workers?refresh=1")), 60
            )
            worker_command.wait_for(worker, lambda: len(worker.told(_TELLS)) >= 3)

            with project.started("run", "--json", env={**machines.env, **key}) as command:
                try:
                    worker_command.wait_for(worker, lambda: holder.held == 2)
                    wait_until(lambda: active_numbers(client, names) == _ONE_EACH)
                    units = {"control": [], **writers(machines)}
                    wait_until(lambda: active_tasks(client, names) == units)
                finally:
                    holder.open()
                run = command.end()
            assert set(units) == set(_GROUPS)
            assert run.code == 0, run.err
            wait_until(lambda: len(shown_by(client, "tasks")) > 13)
            tasks = shown_by(client, "tasks")
            assert "acm.compare" in {task["name"] for task in tasks.values()}
            assert_holds_no_secret(json.dumps([tasks, shown_by(client, "workers?refresh=1")]))
            assert_holds_no_secret(client.get("/", auth=_ALLOWED).text)
            assert all(_ONE_ID.fullmatch(str(task["args"])) for task in tasks.values())

            calls = worker.told("call ended")
            assert len({call["call"] for call in calls}) == 13
            assert {call["run"] for call in calls} == {run.last["run_id"]}
            assert all(call["unit"] and call["worker"].endswith(".1") for call in calls)
            assert_holds_no_secret(worker.text())

            for change in (
                f"worker/shutdown/{names['control']}",
                "task/revoke/x",
                "task/apply/acm.advance",
            ):
                answer = client.post(f"/api/{change}", auth=_ALLOWED, json={"args": []})
                assert answer.status_code == 403, (change, answer.status_code)
            assert worker.is_well(workers=3)
