"""Messages in Redis that nothing of ours sent: a worker takes them away and goes on working."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from acm_workers import broker
from schemas import lanes
from tests.support import cluster, configs, redis_server, simulator, worker_command
from tests.support.cluster import Cluster
from tests.support.project import Project
from tests.support.texts import first


def _message(content: object, *, task: object = "acm.score", **changes: object) -> bytes:
    """Return a message as kombu's transport of Redis writes it, with a body of Celery."""
    properties: dict[str, Any] = {
        "body_encoding": "base64",
        "correlation_id": "1",
        "delivery_info": {"exchange": "", "routing_key": "control"},
        "delivery_mode": 2,
        "delivery_tag": "1",
        "priority": 0,
        "reply_to": "1",
    }
    text = content if isinstance(content, str) else json.dumps(content)
    whole = {
        "body": base64.b64encode(text.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"id": "1", "lang": "py", "task": task, "argsrepr": "", "kwargsrepr": ""},
        "properties": properties,
    }
    return json.dumps({**whole, **changes}).encode()


_EMBED: dict[str, Any] = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
_MESSAGES = {
    "not JSON": b"\x80\x04not json",
    "a number": b"1",
    "an empty object": b"{}",
    "a body that is not base64": _message([], body="%%%"),
    "a body that is not JSON": _message("{{{"),
    "a body of another shape": _message({"a": 1}),
    "a pickled body": _message([], **{"content-type": "application/x-python-serialize"}),
    "an unknown task": _message([["1"], {}, _EMBED], task="os.system"),
    "a task that is no name": _message([["1"], {}, _EMBED], task={"a": 1}),
    "arguments that are no ids": _message([[{"$ne": 1}, None], {}, _EMBED], task="acm.advance"),
    "an id of nothing": _message([["nobody"], {}, _EMBED], task="acm.advance"),
    "too many arguments": _message([["a"] * 50, {"x": 1}, _EMBED], task="acm.advance"),
}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("machines")
    with (
        redis_server.running() as server,
        cluster.on(server, postgres, folder, "acm_hostile") as found,
    ):
        yield found


def test_messages_that_nothing_of_ours_sent_stop_no_worker(
    machines: Cluster, tmp_path: Path
) -> None:
    prefix = machines.env["ACM_KEY_PREFIX"]
    queues = [broker.CONTROL, lanes.judge("alpha"), lanes.generate("alpha")]
    with (
        simulator.running(latency_s=0.02) as provider,
        redis.Redis.from_url(machines.env["ACM_BROKER_URL"]) as connection,
        worker_command.working(machines, tmp_path, "--all") as worker,
    ):
        project = Project(tmp_path / "project", configs.small(provider.url), first(1))
        before = machines.acm(project, "run", "--json")
        for message in _MESSAGES.values():
            for queue in queues:
                connection.lpush(prefix + queue, message)
        project.write(
            "inputs/further.md", "# Foxes\n\nFoxes live near towns, and eat what we leave."
        )
        after = machines.acm(project, "run", "--json")
        requests = provider.stats()["requests"]
        left = sum(connection.llen(prefix + queue) for queue in queues)
        log = worker.text()

    assert before.code == 0, before.err + log
    assert after.code == 0, after.err + log
    assert left == 0
    assert [document["state"] for document in after.last["documents"]] == ["skipped", "done"]
    assert requests == 2 * 13
