"""The server of `acm api` in a thread, on a store of its own; runs are real child processes."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import uvicorn
from fastapi import FastAPI

from acm_api.http import application, server
from acm_workers import runtime
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from tests.support import configs
from tests.support.project import PATIENCE_S, wait_until


class ApiServer(NamedTuple):
    """A server that listens.

    Attributes:
        url: Without a path.
        client: Calls ``/api/v1``.
    """

    url: str
    client: httpx.Client
    database: Database
    app: FastAPI

    def ended(self, run_id: str) -> str:
        """Wait until a run has ended or is paused; return its state."""

        def state() -> str:
            found: str = self.client.get(f"/runs/{run_id}/status").json()["state"]
            return "" if found == "running" else found

        return wait_until(state)


@contextmanager
def running(
    home: Path,
    *,
    single_user: bool = True,
    dispatch: bool = True,
    port: int = 0,
    proxies: Sequence[str] = (),
    origins: Sequence[str] = (),
    **given: str,
) -> Iterator[ApiServer]:
    """Run a server on the store in ``home``, or on another one.

    Args:
        proxies: Those whose forwarded headers it believes.
        origins: Those whose pages may call it with keys.
        given: Settings: ``database_url``, ``broker_url``, ``provider_hosts``.
    """
    none: dict[str, Any] = {"database_url": None, "broker_url": None, "provider_hosts": ""}
    settings = Settings(home=home, **(none | given))
    database = runtime.open_store(settings)
    app = application.make(database, settings, None, single_user=single_user, origins=origins)
    dispatcher = app.state.service.dispatcher
    running = uvicorn.Server(server.configuration(app, proxies))
    with server.listening("127.0.0.1", port) as listener:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        if dispatch:
            dispatcher.start()
        url = server.address(listener)
        try:
            with httpx.Client(
                base_url=f"{url}/api/v1", trust_env=False, timeout=PATIENCE_S
            ) as client:
                wait_until(lambda: running.started)
                yield ApiServer(url, client, database, app)
        finally:
            running.should_exit = True
            thread.join()
            dispatcher.stop()
            database.close()


def body(url: str, documents: dict[str, str], **more: Any) -> dict[str, Any]:
    """Return a request for a run with the simulated provider at ``url``."""
    config = configs.small(url, **more.pop("config", {}))
    for name in ("input_folder", "output_folder", "instructions_file"):
        del config[name]
    return {"config": config, "instructions": "Write.", "documents": documents} | more


def events(lines: Iterator[str]) -> list[tuple[int | None, str]]:
    """Return id and kind of each event of a stream."""
    return list(each_event(lines))


def each_event(lines: Iterator[str]) -> Iterator[tuple[int | None, str]]:
    """Yield id and kind of each event of a stream as it comes."""
    number: int | None = None
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            number = int(value)
        elif name == "event":
            yield number, value
            number = None
