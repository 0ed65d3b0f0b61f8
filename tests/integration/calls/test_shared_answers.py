"""Identical requests that units of one process have at once are sent once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from acm_workers import runtime
from acm_workers.calls.context import UnitRef
from acm_workers.calls.unit_caller import UnitCaller
from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.errors import AcmError, Cancelled
from acm_workers.runtime import Runtime
from acm_workers.store import calls
from acm_workers.store.connection.database import Database
from schemas.config.config import Config
from schemas.units import Artifact
from tests.support import stored
from tests.support.project import PATIENCE_S
from tests.support.provider_calls import ASK, FIT
from tests.support.scripted_server import Reply, ScriptedServer, running

pytestmark = pytest.mark.usefixtures("closed")


class Scene:
    """Two units with one request, and the process that works on them."""

    def __init__(self, database: Database, server: ScriptedServer, **changes: Any) -> None:
        alpha = {"dialect": "openai_chat", "base_url": server.base_url}
        self.config: Config = stored.config(
            providers={"alpha": alpha}, retries={"attempts": 1}, **changes
        )
        with database.write() as connection:
            self.units: list[Artifact] = stored.scene(connection).candidates
        self.live: Runtime = runtime.build(database, self.config)
        self.joined = threading.Event()
        begin = self.live.call_context.shared.begin
        self.live.call_context.shared.begin = self._noting(begin)  # type: ignore[method-assign]

    def _noting(self, begin: Callable[..., Any]) -> Callable[..., Any]:
        def noted(key: Any) -> Any:
            found = begin(key)
            if found is not None:
                self.joined.set()
            return found

        return noted

    def caller(self, number: int) -> tuple[UnitCaller, UnitWork]:
        unit = self.units[number]
        ref = UnitRef("artifact", unit.id, unit.run_id, unit.document_id, 1)
        work = UnitWork(self.live.call_context, ref)
        return UnitCaller(self.live.call_context, self.config, work), work

    def ask(self, number: int) -> str:
        caller, work = self.caller(number)
        try:
            answer = caller.complete(ASK)
            work.succeed(UnitResult({"text": answer.text}))
        finally:
            caller.close()
        return answer.text


def states(database: Database, scene: Scene) -> list[tuple[str, bool]]:
    with database.read() as connection:
        made = calls.of_run(connection, scene.units[0].run_id)
    return sorted((call.state, call.cached) for call in made)


def both(scene: Scene, server: ScriptedServer) -> list[str | AcmError]:
    """Ask for both units at once; the first is answered when the second waits for it."""
    held = threading.Event()
    arrived = server.arrived

    def holding(request: Any) -> Any:
        step = arrived(request)
        held.wait(PATIENCE_S)
        return step

    server.arrived = holding  # type: ignore[method-assign]
    found: list[str | AcmError] = []
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(scene.ask, number) for number in (0, 1)]
        scene.joined.wait(PATIENCE_S)
        held.set()
        for one in asked:
            try:
                found.append(one.result(PATIENCE_S))
            except AcmError as error:
                found.append(error)
    return found


def test_identical_requests_under_way_at_once_are_sent_once(database: Database) -> None:
    with running(FIT) as server:
        scene = Scene(database, server)

        answers = both(scene, server)

    assert answers == ["Hello", "Hello"]
    assert len(server.seen) == 1
    assert states(database, scene) == [("done", False), ("done", True)]


def test_answer_that_is_not_saved_yet_is_shared_too(database: Database) -> None:
    with running(FIT) as server:
        scene = Scene(database, server)
        caller, _ = scene.caller(0)
        caller.complete(ASK)

        assert scene.ask(1) == "Hello"

    assert len(server.seen) == 1


def test_unit_sends_its_own_request_where_the_other_got_no_answer(database: Database) -> None:
    with running(Reply(400, {"error": {"message": "no"}}), FIT) as server:
        scene = Scene(database, server)

        answers = both(scene, server)

    assert sorted(map(str, answers)) == ["Hello", "alpha: HTTP 400: no"]
    assert len(server.seen) == 2


def test_units_that_share_no_answers_send_their_own(database: Database) -> None:
    with running(FIT) as server:
        scene = Scene(database, server, cache="off")
        first, _ = scene.caller(0)
        second, _ = scene.caller(1)
        first.complete(ASK)
        second.complete(ASK)

    assert len(server.seen) == 2


def test_unit_that_waits_for_another_stops_with_its_process(database: Database) -> None:
    with running(FIT) as server:
        scene = Scene(database, server)
        caller, _ = scene.caller(0)
        digest = None
        shared = scene.live.call_context.shared
        begin = shared.begin

        def taken(key: Any) -> Any:
            nonlocal digest
            if digest is None:
                digest = key
                begin(key)
            scene.live.stopping.set()
            return begin(key)

        shared.begin = taken  # type: ignore[method-assign]
        with pytest.raises(Cancelled):
            caller.complete(ASK)

    assert server.seen == []
