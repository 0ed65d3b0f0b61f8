"""A store or broker that refuses the client ends it with one line and exit code 2, without waiting.

The line names the variable that is to be mended.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.support import configs, redis_server
from tests.support import postgres as servers
from tests.support.project import Outcome, Project
from tests.support.texts import first

_LONGEST_S = 30.0
_COMMANDS = [("run",), ("db", "upgrade"), ("list",)]
_WORKING = [("run",), ("worker", "--control")]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))


@pytest.fixture(scope="module")
def strict() -> Iterator[int]:
    """Yield the port of a Postgres that asks for a password."""
    with servers.own() as server:
        server.let_in("host postgres all 127.0.0.1/32 scram-sha-256")
        yield server.port


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    """Yield address and port of a Redis whose password is "right"."""
    with redis_server.own() as server:
        with Redis.from_url(server.url) as client:
            client.config_set("requirepass", "right")
        yield f"127.0.0.1:{server.port}"


def refused(outcome: Outcome) -> str:
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1), outcome.err
    assert "what was saved" not in outcome.err
    return outcome.err


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql://acm:wrong@127.0.0.1:{port}/postgres", "password authentication failed"),
        ("postgresql://acm@127.0.0.1:{port}/postgres", "no password supplied"),
        ("postgresql://acm@127.0.0.1:{port}/another", "no pg_hba.conf entry"),
        ("postgresql://acm@127.0.0.1:{port}/postgres?nonsense=1", "invalid connection option"),
    ],
)
def test_a_server_that_does_not_let_us_in(
    project: Project, strict: int, command: tuple[str, ...], url: str, why: str
) -> None:
    env = {"ACM_DATABASE_URL": url.format(port=strict)}

    line = refused(project.acm(*command, env=env))

    assert why in line
    assert line.endswith("; mend ACM_DATABASE_URL\n")
    assert "wrong" not in line


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(("user", "name"), [("acm", "nothing"), ("nobody", "postgres")])
def test_a_database_or_user_that_is_not_there(
    project: Project, postgres: str, command: tuple[str, ...], user: str, name: str
) -> None:
    host = postgres.rpartition("@")[2].partition("/")[0]
    env = {"ACM_DATABASE_URL": f"postgresql://{user}@{host}/{name}"}

    line = refused(project.acm(*command, env=env))

    assert "does not exist; mend ACM_DATABASE_URL" in line


def test_a_worker_does_not_wait_for_a_store_that_refuses_it(
    project: Project, strict: int, redis: str
) -> None:
    env = {
        "ACM_BROKER_URL": f"redis://:right@{redis}/0",
        "ACM_DATABASE_URL": f"postgresql://acm:wrong@127.0.0.1:{strict}/postgres",
    }

    line = refused(project.acm("worker", "--control", env=env, deadline_s=_LONGEST_S))

    assert "password authentication failed" in line


@pytest.mark.parametrize("command", _WORKING)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis://:wrong@{place}/0", "invalid username-password pair"),
        ("redis://{place}/0", "it asks for a password"),
        ("redis://:right@{place}/99", "DB index is out of range"),
    ],
)
def test_a_broker_that_does_not_let_us_in(
    project: Project, redis: str, command: tuple[str, ...], url: str, why: str
) -> None:
    env = {
        "ACM_BROKER_URL": url.format(place=redis),
        "ACM_DATABASE_URL": "postgresql://acm@127.0.0.1:1/acm",
    }

    line = refused(project.acm(*command, env=env, deadline_s=_LONGEST_S))

    assert why in line
    assert line.endswith("; mend ACM_BROKER_URL\n")


def test_a_server_that_is_away_is_told_of_with_the_variable_that_names_it(
    project: Project,
) -> None:
    env = {"ACM_DATABASE_URL": "postgresql://acm@127.0.0.1:1/acm"}

    upgraded = project.acm("db", "upgrade", env=env)
    examined = project.acm("doctor", env=env)

    assert (upgraded.code, len(upgraded.err.splitlines())) == (1, 1)
    assert "of ACM_DATABASE_URL cannot be reached" in upgraded.err
    bad = [line for line in examined.out.splitlines() if not line.startswith("ok ")]
    assert [line.partition(":")[0] for line in bad][:1] == ["BAD store"]
    assert all(line.startswith("BAD ") for line in bad), examined.out
