"""A server on Postgres and Redis hands runs to workers, and schemas hold there, too."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from acm_api.http import application, server
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from tests.support import api_server, redis_server, simulator
from tests.support.project import PATIENCE_S, wait_until
from tests.support.texts import first


@pytest.fixture
def redis() -> Iterator[str]:
    with redis_server.running() as url:
        yield url


def test_workers_execute_a_run_that_was_started_over_http(
    postgres_database: Database, redis: str, tmp_path: Path
) -> None:
    url = postgres_database.url.render_as_string(hide_password=False)
    settings = Settings(home=tmp_path, database_url=url, broker_url=redis, key_prefix="api:")
    environment = os.environ | {
        "ACM_DATABASE_URL": url, "ACM_BROKER_URL": redis, "ACM_KEY_PREFIX": "api:",
        "ACM_HOME": str(tmp_path),
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "acm_api.cli.main",
        "worker",
        "--provider",
        "alpha",
        "--control",
    ]
    app = application.make(postgres_database, settings, None)
    dispatcher = app.state.service.dispatcher
    running = uvicorn.Server(server.configuration(app))

    with (
        simulator.running(latency_s=0.02) as provider,
        server.listening("127.0.0.1", 0) as listener,
    ):
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        dispatcher.start()
        base = f"{server.address(listener)}/api/v1"
        with (
            subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as worker,
            httpx.Client(base_url=base, trust_env=False, timeout=PATIENCE_S) as client,
        ):
            try:
                wait_until(lambda: running.started)
                body = api_server.body(provider.url, first(1))
                headers = {"Idempotency-Key": "one"}
                run_id = client.post("/runs", json=body, headers=headers).json()["run_id"]
                again = client.post("/runs", json=body, headers=headers).json()["run_id"]
                path = f"/runs/{run_id}/events"
                with client.stream("GET", path) as stream:
                    events = api_server.events(stream.iter_lines())
                shown = client.get(f"/runs/{run_id}").json()
            finally:
                worker.terminate()
                running.should_exit = True
                thread.join()
                dispatcher.stop()

    assert again == run_id
    assert shown["state"] == "done"
    assert shown["calls"]["total"] == 13
    kinds = [kind for number, kind in events if number is not None]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    numbers = [number for number, _ in events if number is not None]
    assert numbers == sorted(set(numbers))
