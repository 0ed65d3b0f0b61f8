"""Clients without keys that have a real `acm worker` call an address of theirs: no secret arrives.

A client writes its runs into the store itself, because `acm run` would refuse most of them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from sqlalchemy import text

from acm_workers import runtime, submit
from acm_workers.store import runs
from acm_workers.submit import RunInput
from schemas.config.config import Config
from tests.support import cluster, engines, redis_server, scripted_server, stored, worker_command
from tests.support.cluster import Cluster
from tests.support.provider_calls import FIT
from tests.support.scripted_server import Reply, ScriptedServer
from tests.support.texts import first

_BOUND = "BOUND_KEY"
_SECRETS = {
    name: f"secret-value-of-{name.lower()}-0123456789"
    for name in (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", _BOUND,
        "ACM_API_TOKEN", "ACM_FLOWER_PASSWORD", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN",
        "PGPASSWORD", "SESSION_COOKIE",
    )
}  # fmt: skip
_HERE = "http://127.0.0.1:{port}/v1"
_THERE = "http://0.0.0.0:{port}/v1"  # reaches this machine, and is no loopback address by its name
_TEMPLATE = "{{ environ.OPENAI_API_KEY }} ${OPENAI_API_KEY} %(OPENAI_API_KEY)s $OPENAI_API_KEY"

_PRICE = {"input": 1, "output": 1}


class Way(NamedTuple):
    """One try: a provider that a client makes up, under a name of its own or of a real one."""

    key_env: str | None
    base_url: str = _HERE
    beside: Mapping[str, Any] = MappingProxyType({})
    name: str = "alpha"
    instructions: str = "Write it anew."


_TRIED = {
    "key of a built-in provider": Way("OPENAI_API_KEY"),
    "under the name of that provider": Way("OPENAI_API_KEY", name="openai"),
    "by the Responses API": Way("OPENAI_API_KEY", beside={"dialect": "openai"}),
    "in the background": Way("OPENAI_API_KEY", beside={"dialect": "openai", "background": True}),
    "by the API of Anthropic": Way("ANTHROPIC_API_KEY", beside={"dialect": "anthropic"}),
    "by the API of Google": Way("GOOGLE_API_KEY", beside={"dialect": "google"}),
    "key of a gateway": Way("OPENROUTER_API_KEY", _THERE),
    "key of another provider": Way("ANTHROPIC_API_KEY", name="openai"),
    "address of the store": Way("ACM_DATABASE_URL"),
    "address of the broker": Way("ACM_BROKER_URL", _THERE),
    "token of acm api": Way("ACM_API_TOKEN"),
    "password of acm flower": Way("ACM_FLOWER_PASSWORD", name="openai"),
    "key of a cloud": Way("AWS_SECRET_ACCESS_KEY", _THERE),
    "token of a forge": Way("GITHUB_TOKEN", _THERE),
    "password of Postgres": Way("PGPASSWORD"),
    "variable that is no key": Way("SESSION_COOKIE", _THERE),
    "folder of the user": Way("HOME"),
    "bound key": Way(_BOUND),
    "its host as a user name": Way(_BOUND, "http://api.bound.example@127.0.0.1:{port}/v1"),
    "its host as a fragment": Way(_BOUND, "http://127.0.0.1:{port}/v1#api.bound.example"),
    "its host behind a backslash": Way(_BOUND, "http://127.0.0.1:{port}\\@api.bound.example/v1"),
    "its host in the path": Way(_BOUND, "http://127.0.0.1:{port}/api.bound.example/v1"),
    "address as a number": Way("GITHUB_TOKEN", "http://2130706433:{port}/v1"),
    "name that ends with a dot": Way("GITHUB_TOKEN", "http://localhost.:{port}/v1"),
    "prompt that names a variable": Way(None, instructions=_TEMPLATE),
    "prompt in the name of a model": Way(None, beside={"prices": {_TEMPLATE: _PRICE}}),
}  # fmt: skip
_ANSWERED = {"prompt that names a variable", "prompt in the name of a model"}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    folder = tmp_path_factory.mktemp("hostile")
    with (
        redis_server.running() as redis,
        cluster.on(redis, postgres, folder, "acm_hostile_clients") as found,
    ):
        yield found


def handed_in(machines: Cluster, way: Way, attacker: ScriptedServer) -> str:
    """Put a run into the store, and have workers work on it; return its id."""
    port = attacker.base_url.rpartition(":")[2].partition("/")[0]
    given = {
        "dialect": "openai_chat",
        "base_url": way.base_url.format(port=port),
        "key_env": way.key_env,
        **way.beside,
    }
    config: Config = engines.config(
        "http://127.0.0.1:1/v1",
        providers={way.name: given},
        runs=[{"type": "fpf", "provider": way.name, "model": "m1"}],
        judges=[{"name": "j1", "provider": way.name, "model": "j1"}],
    )
    work = RunInput("config.yaml", config, f"{way.instructions} {stored.new_id()}", None, first(1))
    run_id = submit.submit(machines.database, work, runtime.making()).run_id
    assert run_id is not None
    with machines.database.write() as connection:
        runs.give_to_workers(connection, run_id)
    return run_id


def ended(machines: Cluster, run_ids: dict[str, str]) -> bool:
    running = "SELECT count(*) FROM runs WHERE state = 'running'"
    return machines.number(running) == 0 and bool(run_ids)


def test_client_without_keys_gets_no_secret_of_a_worker_in_any_of_twenty_ways(
    machines: Cluster, tmp_path: Path
) -> None:
    hosts = {"ACM_KEY_HOSTS": f"{_BOUND}=api.bound.example"}
    env = {**_SECRETS, **hosts}

    with scripted_server.running(FIT) as attacker:
        tried = {name: handed_in(machines, way, attacker) for name, way in _TRIED.items()}
        with worker_command.working(machines, tmp_path, "--all", env=env) as worker:
            worker_command.wait_for(worker, lambda: ended(machines, tried), 100)
            log = worker.text()

    assert len(tried) >= 20
    secrets = [*_SECRETS.values(), *machines.env.values()]
    arrived = [value for value in secrets for seen in attacker.seen if value in str(seen)]
    assert arrived == []
    assert attacker.seen  # by those that name no key
    assert not any(value in log for value in _SECRETS.values())
    with machines.database.read() as connection:
        rows = connection.execute(text("SELECT run_id, state, error FROM artifacts")).all()
    states = {run_id: (state, error or "") for run_id, state, error in rows}
    for name, way in _TRIED.items():
        state, error = states[tried[name]]
        if name in _ANSWERED:
            assert state == "done", (name, error)
        else:
            assert (state, str(way.key_env) in error) == ("failed", True), (name, error)


def test_host_that_may_have_a_key_cannot_pass_it_on(machines: Cluster, tmp_path: Path) -> None:
    with scripted_server.running(FIT) as attacker:
        moved = Reply(307, {}, {"Location": f"{attacker.base_url}/chat/completions"})
        with scripted_server.running(moved) as allowed:
            place = allowed.base_url.partition("//")[2].partition("/")[0]
            env = {**_SECRETS, "ACM_KEY_HOSTS": f"{_BOUND}={place}"}
            tried = {"redirect": handed_in(machines, Way(_BOUND), allowed)}
            with worker_command.working(machines, tmp_path, "--all", env=env) as worker:
                worker_command.wait_for(worker, lambda: ended(machines, tried), 120)

    assert allowed.seen
    assert attacker.seen == []
