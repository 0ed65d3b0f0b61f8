"""A client that has workers send it their secrets: nothing is sent, and its units say why."""

import pytest
from sqlalchemy import text

from acm_workers.store.connection.database import Database
from tests.support import engines
from tests.support.provider_calls import FIT
from tests.support.scripted_server import running

pytestmark = pytest.mark.usefixtures("closed")


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("OPENAI_API_KEY", "may be sent to api.openai.com"),
        ("ACM_DATABASE_URL", "is a setting of ACM"),
        ("PGPASSWORD", "is not named like a key"),
        ("BOUND_KEY", "may be sent to api.bound.example"),
    ],
)
def test_unit_that_asks_for_a_secret_of_the_worker_fails_and_nothing_is_sent(
    database: Database, monkeypatch: pytest.MonkeyPatch, variable: str, reason: str
) -> None:
    monkeypatch.setenv("ACM_BROKER_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("ACM_KEY_HOSTS", "BOUND_KEY=api.bound.example")
    monkeypatch.setenv(variable, "a-secret-of-the-worker")

    with running(FIT) as server:
        config = engines.config(server.base_url)
        alpha = config.providers["alpha"].model_copy(update={"key_env": variable})
        config = config.model_copy(update={"providers": {"alpha": alpha}})
        run_id = engines.submitted(database, config)
        with engines.working(database, run_id):
            engines.finished(database, run_id)

    with database.read() as connection:
        errors = set(connection.scalars(text("SELECT error FROM artifacts")))
    assert server.seen == []
    assert len(errors) == 1
    assert all(variable in error and reason in error for error in errors)
