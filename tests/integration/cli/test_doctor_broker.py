"""`acm doctor` checks the broker, where one is set."""

from pathlib import Path

import pytest

from tests.support import configs, redis_server
from tests.support.project import Project
from tests.support.texts import first


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))


def broker_line(project: Project, env: dict[str, str]) -> str:
    """Return the line about the broker."""
    lines = project.acm("doctor", env=env).out.splitlines()
    (line,) = [line for line in lines if line.partition(" ")[2].strip().startswith("broker:")]
    return line


def test_nothing_is_told_of_a_broker_that_is_not_set(project: Project) -> None:
    assert "broker" not in project.acm("doctor").out


def test_a_broker_that_answers_is_well(project: Project, postgres: str) -> None:
    with redis_server.running() as url:
        line = broker_line(project, {"ACM_BROKER_URL": url, "ACM_DATABASE_URL": postgres})

    assert line == f"ok  broker: {url.removeprefix('redis://')} answers"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1", "ACM_BROKER_URL must begin with redis://"),
        ("redis://127.0.0.1:1/0", "the broker 127.0.0.1:1/0 cannot be reached"),
        ("redis://127.0.0.1:1/0?password=secret", "the broker 127.0.0.1:1/0 cannot be reached"),
    ],
)
def test_a_broker_that_cannot_be_used_is_bad(
    project: Project, postgres: str, url: str, why: str
) -> None:
    env = {"ACM_BROKER_URL": url, "ACM_DATABASE_URL": postgres}

    line = broker_line(project, env)

    assert line.startswith(f"BAD broker: {why}")
    assert "secret" not in line
    assert project.acm("doctor", env=env).code == 2


def test_a_broker_with_a_store_of_one_machine_is_bad(project: Project) -> None:
    with redis_server.running() as url:
        line = broker_line(project, {"ACM_BROKER_URL": url})

    assert line.startswith("BAD broker: ")
    assert "SQLite is one machine's" in line
