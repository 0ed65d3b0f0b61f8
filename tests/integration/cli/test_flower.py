"""`acm flower` shows ids, requires a password, and changes nothing."""

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import cluster, configs, redis_server, simulator, worker_command
from tests.support.cluster import Cluster
from tests.support.project import ACM, Project, wait_until
from tests.support.texts import TEXTS, first

_PASSWORD = "three-hens-in-a-row"  # noqa: S105
_ALLOWED = ("acm", _PASSWORD)
_ONE_ID = re.compile(r"[(\[]'[0-9A-Z]{26}',?[)\]]")
_SERVED = ("--control", "--provider", "alpha")
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
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
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
        log.open("wb") as err,
        subprocess.Popen(
            [str(ACM), "flower", "--port", str(port), "--tasks"], cwd=folder, stderr=err, env=env
        ) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as client,
    ):
        try:
            wait_until(lambda: _answers(client) or process.poll() is not None, 60)
            assert process.poll() is None, log.read_text()
            assert _PASSWORD not in Path(f"/proc/{process.pid}/cmdline").read_text()
            assert _PASSWORD not in log.read_text()
            yield client
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthcheck").is_success
    except httpx.TransportError:
        return False


def shown_by(client: httpx.Client, what: str) -> Any:
    """Return the answer of Flower's API to a client with the password."""
    return client.get(f"/api/{what}", auth=_ALLOWED).json()


def assert_holds_no_secret(shown: str) -> None:
    """Assert that neither the key nor a text is shown."""
    for secret in (_KEY, *(text[:40] for text in TEXTS.values())):
        assert secret not in shown


def test_flower_shows_ids_only_and_changes_nothing(machines: Cluster, tmp_path: Path) -> None:
    with simulator.running() as provider:
        config = configs.small(provider.url)
        config["providers"]["alpha"]["key_env"] = "ALPHA_KEY"
        project = Project(tmp_path / "project", config, first(1))
        key = {"ALPHA_KEY": _KEY}
        with (
            flower(machines, tmp_path) as client,
            worker_command.working(machines, tmp_path, *_SERVED, env=key) as worker,
        ):
            assert client.get("/api/workers").status_code == 401
            assert client.get("/", auth=("acm", "wrong")).status_code == 401
            worker_command.wait_for(worker, lambda: worker.is_well(workers=2))
            name = worker.worker_of("control")["name"]
            wait_until(lambda: name in shown_by(client, "workers?refresh=1"), 60)
            worker_command.wait_for(worker, lambda: len(worker.told(_TELLS)) >= 2)

            run = project.acm("run", "--json", env={**machines.env, **key})
            assert run.code == 0, run.err
            wait_until(lambda: len(shown_by(client, "tasks")) > 13, 60)
            tasks = shown_by(client, "tasks")
            assert "acm.compare" in {task["name"] for task in tasks.values()}
            assert_holds_no_secret(json.dumps([tasks, shown_by(client, "workers?refresh=1")]))
            assert_holds_no_secret(client.get("/", auth=_ALLOWED).text)
            told = {task["args"] for task in tasks.values()}
            assert {args for args in told if not _ONE_ID.fullmatch(str(args))} == set()

            calls = worker.told("call ended")
            assert len({call["call"] for call in calls}) == 13
            assert {call["run"] for call in calls} == {run.last["run_id"]}
            assert all(call["unit"] and call["worker"].endswith(".1") for call in calls)
            assert_holds_no_secret(worker.text())

            for change in (f"worker/shutdown/{name}", "task/revoke/x", "task/apply/acm.advance"):
                answer = client.post(f"/api/{change}", auth=_ALLOWED, json={"args": []})
                assert answer.status_code == 403, (change, answer.status_code)
            assert worker.is_well(workers=2)
