"""Requests made from the OpenAPI: nothing fails, and every answer is as documented."""

from pathlib import Path

import pytest

from acm_api.http import access
from acm_workers.store.connection.database import Database
from schemas.scope import LOCAL
from tests.support import api_member, api_schema, api_seed, api_server

_EXAMPLES = 3


@pytest.mark.filterwarnings("ignore")
def test_whatever_this_machine_sends_is_answered_as_documented(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        ids = api_seed.seed(server.database)

        assert api_schema.check_every_operation(server, _EXAMPLES, ids) > 20


@pytest.mark.filterwarnings("ignore")
def test_whatever_a_user_sends_to_a_server_on_postgres_is_answered_as_documented(
    tmp_path: Path, postgres_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A check sends wrong keys to every route; an address that sends ten gets nothing but 429.
    monkeypatch.setattr(access, "_MOST_FAILURES", 10_000)
    url = postgres_database.url.render_as_string(hide_password=False)
    ids = api_seed.seed(postgres_database)
    ann = api_member.add(
        postgres_database, "ann", "read", "run", "admin", tenant_id=LOCAL.tenant_id
    )

    with api_server.running(
        tmp_path, single_user=False, dispatch=False, database_url=url
    ) as server:
        assert api_schema.check_every_operation(server, _EXAMPLES, ids, ann.key) > 20
