"""Many more requests made from the OpenAPI than the tests of every day send."""

from pathlib import Path

import pytest

from acm_api.http import access
from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from schemas.scope import LOCAL
from tests.support import api_member, api_schema, api_seed, api_server, postgres

_EXAMPLES = 60


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """Return the seed of the requests, as given by ``--hypothesis-seed``."""
    return int(pytestconfig.getoption("--hypothesis-seed") or 1)


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_this_machine_sends_fails(tmp_path: Path, seed: int) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        ids = api_seed.seed(server.database)

        assert api_schema.check_every_operation(server, _EXAMPLES, ids, None, seed) > 20


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_a_user_sends_to_a_server_on_postgres_fails(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A check sends wrong keys to every route; an address that sends ten gets nothing but 429.
    monkeypatch.setattr(access, "_MOST_FAILURES", 1_000_000)
    with postgres.running() as at, postgres.schema(at, "acm_schema") as url:
        database = Database(url)
        schema.upgrade(database)
        ids = api_seed.seed(database)
        ann = api_member.add(database, "ann", "read", "run", "admin", tenant_id=LOCAL.tenant_id)
        database.close()

        with api_server.running(
            tmp_path, single_user=False, dispatch=False, database_url=url
        ) as server:
            assert api_schema.check_every_operation(server, _EXAMPLES, ids, ann.key, seed) > 20
