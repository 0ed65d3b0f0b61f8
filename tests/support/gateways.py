"""Units whose children reach a simulated provider through a gateway.

Run as a program it is a worker that opens units of a store to children, says how they are reached,
and waits to be killed.
"""

import json
import os
import socket
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

import httpx
from sqlalchemy import select

from acm_workers import logs, runtime
from acm_workers.calls.context import UnitRef
from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.engine import host
from acm_workers.errors import Cancelled
from acm_workers.gateway.access import GatewayAccess
from acm_workers.gateway.server import UnitOptions
from acm_workers.runtime import Runtime
from acm_workers.store import budgets, calls, claims
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import BudgetRow
from schemas.calls import Call
from schemas.config.config import Config
from schemas.units import Artifact
from tests.support import stored
from tests.support.project import PATIENCE_S

BUDGET_USD = 5.0
RESULT = UnitResult({"text": "The report."})
CHAT = {"model": "sim-a@L0", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 64}
RESPONSES = {"model": "sim-a@L0", "input": "Hello", "max_output_tokens": 64}
EMBEDDINGS = {"model": "sim-embedding@L0", "input": ["one text", "another"], "dimensions": 8}
BODIES: dict[str, dict[str, Any]] = {
    "chat/completions": CHAT,
    "responses": RESPONSES,
    "embeddings": EMBEDDINGS,
}


def config(url: str, **changes: Any) -> Config:
    """Return a config whose provider is at ``url`` and whose retries are quick."""
    alpha = {"dialect": "openai_chat", "base_url": url, "max_in_flight": 128}
    retries = {"attempts": 3, "base_delay_seconds": 0.001, "deadline_seconds": 30}
    given = {"providers": {"alpha": alpha}, "retries": retries, "budget_usd": BUDGET_USD}
    return stored.config(**given | changes)


class Scene(NamedTuple):
    """Units in a store, and a process that works on them."""

    database: Database
    live: Runtime
    config: Config
    units: list[Artifact]

    def work(self, number: int = 0) -> UnitWork:
        """Return new work on a unit."""
        return work(self.live, self.units[number])

    @contextmanager
    def access(self, number: int = 0, **options: Any) -> Iterator[GatewayAccess]:
        """Let children work on a unit, which goes back to the planned ones."""
        one = self.work(number)
        with self.live.gateway.unit(one, self.config, "alpha", UnitOptions(**options)) as access:
            yield access
        give_back(one)

    def calls(self, number: int = 0) -> list[Call]:
        """Return the calls of a unit that are in the ledger."""
        with self.database.read() as connection:
            found = calls.of_run(connection, self.units[number].run_id)
        return [call for call in found if call.unit_id == self.units[number].id]

    def taken_usd(self) -> tuple[float, float]:
        """Return what is taken of the budget: as it is kept, and as the calls add up to it."""
        run_id = self.units[0].run_id
        with self.database.read() as connection:
            kept = connection.scalar(select(BudgetRow.taken_usd).where(BudgetRow.run_id == run_id))
            return kept or 0.0, budgets.committed_usd(connection, run_id)


def work(live: Runtime, unit: Artifact) -> UnitWork:
    """Return new work on a unit."""
    ref = UnitRef("artifact", unit.id, unit.run_id, unit.document_id, 1)
    return UnitWork(live.call_context, ref)


def give_back(one: UnitWork) -> None:
    """Return a unit to the planned ones, as when its process stops."""
    one.fail(Cancelled("this process is stopping"))


@contextmanager
def scene(database: Database, url: str, *, units: int = 1, **changes: Any) -> Iterator[Scene]:
    """Yield so many units of a run with the config of ``config``."""
    entry = {"type": "fpf", "provider": "alpha", "model": "m", "iterations": units}
    given = config(url, **{"runs": [entry]} | changes)
    with database.write() as connection:
        run = stored.run(connection, config=given)
        document = stored.document(connection, run)
        planned = stored.candidates(connection, document, given)
    live = runtime.build(database, given)
    try:
        yield Scene(database, live, given, planned)
    finally:
        live.gateway.close()


def lose_claim(scene: Scene, number: int = 0) -> None:
    """Let another worker have a unit, as when its lease was not renewed in time."""
    unit = scene.units[number]
    with scene.database.write() as connection:
        later = runtime.utc_now() + timedelta(hours=1)
        claims.release_expired(connection, unit.run_id, later)
        claims.acquire(connection, "artifact", unit.id, "another worker", later)


def raw_request(access: GatewayAccess, path: str, body: Mapping[str, Any]) -> bytes:
    """Return the bytes of a request of a child."""
    content = json.dumps(body).encode()
    head = (
        f"POST /v1/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {access.token}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


@contextmanager
def connected(
    access: GatewayAccess, body: Mapping[str, Any], path: str = "chat/completions"
) -> Iterator[socket.socket]:
    """Yield a connection on which a request was sent, and whose answer nobody reads."""
    where = ("127.0.0.1", int(access.root_url.rpartition(":")[2]))
    with socket.create_connection(where, timeout=PATIENCE_S) as connection:
        connection.sendall(raw_request(access, path, body))
        yield connection


@contextmanager
def client(access: GatewayAccess, **options: Any) -> Iterator[httpx.Client]:
    """Yield an HTTP client with the token of a unit."""
    headers = {"Authorization": f"Bearer {access.token}"}
    with httpx.Client(
        base_url=access.base_url, headers=headers, trust_env=False, timeout=PATIENCE_S, **options
    ) as found:
        yield found


def _worker(url: str, provider_url: str, units: Mapping[str, Artifact]) -> None:
    database = Database(url)
    live = runtime.build(database, config(provider_url))
    host.freeze_garbage()  # as workers do
    told: dict[str, tuple[str, str]] = {}

    def hold(unit: Artifact) -> None:
        try:
            with live.gateway.unit(work(live, unit), config(provider_url), "alpha") as access:
                told[unit.id] = access.base_url, access.token
                opened.release()
                threading.Event().wait()
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # whoever started this waits for its line

    opened = threading.Semaphore(0)
    for unit in units.values():
        threading.Thread(target=hold, args=(unit,), daemon=True).start()
    for _ in units:
        opened.acquire()
    print(json.dumps(told), flush=True)  # noqa: T201  what the test reads
    threading.Event().wait()


def main() -> None:
    """Be a worker; see above."""
    logs.to_stderr("error")
    url, provider_url, units = sys.argv[1:4]
    found = [Artifact.model_validate(one) for one in json.loads(units)]
    _worker(url, provider_url, {unit.id: unit for unit in found})


if __name__ == "__main__":
    main()
