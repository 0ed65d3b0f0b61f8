"""What is missing for many machines is said in one line, within seconds."""

import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import configs
from tests.support.project import Project
from tests.support.texts import first

_POSTGRES = "postgresql://acm@127.0.0.1:1/acm"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))


@pytest.fixture
def closed() -> str:
    """Return the URL of a Redis where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"redis://127.0.0.1:{taken.getsockname()[1]}/0"


def told(project: Project, env: Mapping[str, str], code: int) -> str:
    run = project.acm("run", env=env)
    assert run.code == code, run.err
    assert len(run.err.splitlines()) == 1, run.err
    return run.err


def test_sqlite_is_refused_with_a_broker(project: Project, closed: str) -> None:
    line = told(project, {"ACM_BROKER_URL": closed}, 2)

    assert "SQLite is one machine's" in line
    assert "ACM_DATABASE_URL" in line
    assert project.names() == {"inputs", "instructions.md", "config.yaml"}


def test_a_file_as_the_store_is_refused_with_a_broker(project: Project, closed: str) -> None:
    env = {"ACM_BROKER_URL": closed, "ACM_DATABASE_URL": f"sqlite:///{project.folder}/acm.db"}

    assert "SQLite is one machine's" in told(project, env, 2)


def test_a_broker_that_is_not_redis_is_refused(project: Project) -> None:
    env = {"ACM_BROKER_URL": "amqp://127.0.0.1", "ACM_DATABASE_URL": _POSTGRES}

    assert "ACM_BROKER_URL must begin with redis://" in told(project, env, 2)


def test_a_broker_that_does_not_answer_is_told(project: Project, closed: str) -> None:
    line = told(project, {"ACM_BROKER_URL": closed, "ACM_DATABASE_URL": _POSTGRES}, 1)

    assert f"the broker {closed.removeprefix('redis://')} cannot be reached" in line
