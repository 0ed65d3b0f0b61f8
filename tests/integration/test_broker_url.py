"""A broker whose URL is no good: every command says so in one line that names the variable."""

from pathlib import Path

import pytest

from acm_api.http.metrics import Metrics
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from tests.support import configs
from tests.support.project import Outcome, Project
from tests.support.texts import first

_POSTGRES = "postgresql://acm@127.0.0.1:1/acm"
_BAD = {
    "http://127.0.0.1": "ACM_BROKER_URL must begin with redis:// or rediss://",
    "redis://127.0.0.1:port/0": "ACM_BROKER_URL cannot be read",
    "redis://127.0.0.1/0?nonsense=1": "ACM_BROKER_URL cannot be read",
    "redis://:sec/ret@127.0.0.1:6379/0": "ACM_BROKER_URL cannot be read",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))


def refused(outcome: Outcome) -> str:
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1), outcome.err
    return outcome.err


@pytest.mark.parametrize("url", _BAD)
@pytest.mark.parametrize(
    "command", [("run",), ("status", "--workers"), ("api", "--port", "0"), ("worker", "--all")]
)
def test_a_url_that_is_not_one_of_redis_is_refused_in_one_line(
    project: Project, command: tuple[str, ...], url: str
) -> None:
    env = {"ACM_BROKER_URL": url, "ACM_DATABASE_URL": _POSTGRES}

    line = refused(project.acm(*command, env=env))

    assert _BAD[url] in line
    assert "sec" not in line


@pytest.mark.parametrize("url", _BAD)
def test_metrics_of_a_broker_with_such_a_url_say_that_it_does_not_answer(
    sqlite_database: Database, url: str
) -> None:
    told = Metrics(sqlite_database, Settings(broker_url=url)).text().decode()

    assert "acm_broker_up 0.0" in told
    assert "acm_store_up 1.0" in told
