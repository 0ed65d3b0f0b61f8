"""What `acm worker` says about its options."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_api.cli import worker_options
from acm_workers.engine.worker_plan import WorkerOptions
from acm_workers.errors import RequestError
from acm_workers.store import runs, schema
from acm_workers.store.connection.database import Database
from schemas.scope import Scope
from tests.support import stored


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store in which one tenant has a run at provider alpha."""
    database = Database(f"sqlite:///{tmp_path / 'acm.db'}")
    schema.upgrade(database)
    with database.write() as connection:
        run = stored.run(connection, scope=Scope("acme"))
        runs.give_to_workers(connection, run.id)
    yield database
    database.close()


@pytest.mark.parametrize(
    "options",
    [
        WorkerOptions(providers=("alpha",)),
        WorkerOptions(providers=("acme/alpha",)),
        WorkerOptions(queues=("judge.acme/alpha", "generate.acme/alpha", "control")),
        WorkerOptions(queues=("generate.openai",)),  # a provider with defaults may be needed later
    ],
)
def test_nothing_is_said_about_what_a_run_of_any_tenant_needs(
    database: Database, options: WorkerOptions
) -> None:
    assert worker_options.unneeded(database, options) == []


def test_queue_of_the_default_tenant_is_not_needed_by_the_run_of_another(
    database: Database,
) -> None:
    options = WorkerOptions(providers=("beta",), queues=("judge.alpha", "generate.alpha"))

    assert worker_options.unneeded(database, options) == [
        "no active run uses provider beta (known: acme/alpha, alpha)",
        "no active run uses provider alpha; did you mean acme/alpha?",
    ]


def test_refusal_of_a_queue_names_the_form_with_a_tenant() -> None:
    with pytest.raises(RequestError, match="TENANT/NAME"):
        worker_options.check(WorkerOptions(queues=("writing.alpha",)))
