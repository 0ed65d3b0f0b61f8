"""Requests made from the OpenAPI of a server, and all checks of schemathesis on the answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis.checks import CHECKS, load_all_checks

from acm_workers.store.connection.database import Database
from tests.support import stored
from tests.support.api_server import ApiServer

_SEED = 1

# A config is checked as a whole, which no schema can say.
_WITH_CONFIG = ("POST /api/v1/runs", "POST /api/v1/plans", "POST /api/v1/runs/{run_id}/evaluate")
_ACCEPTED = ["2xx", "401", "403", "404", "409", "429"]
_CONFIG = schemathesis.Config.from_dict(
    {
        "checks": {"positive_data_acceptance": {"expected-statuses": _ACCEPTED}},
        "operations": [
            {
                "include-name": name,
                "checks": {
                    "positive_data_acceptance": {"expected-statuses": [*_ACCEPTED, "400", "422"]}
                },
            }
            for name in _WITH_CONFIG
        ],
    }
)


def seed_store(database: Database) -> dict[str, str]:
    """Add a run to a store; return ids by the names of path parameters."""
    with database.write() as connection:
        scene = stored.scene(connection)
    return {
        "run_id": scene.run.id,
        "other_id": scene.run.id,
        "document_id": scene.document.id,
        "artifact_id": scene.candidates[0].id,
    }


def check_every_operation(
    server: ApiServer, examples: int, ids: Mapping[str, str], key: str | None = None
) -> int:
    """Send ``examples`` requests to each operation; return how many operations there are.

    Args:
        ids: Of what is in the store, by the names of path parameters: requests that are valid use
            them, so that more than 404 is answered.
        key: API key that is sent along.

    Raises:
        AssertionError: An answer is not as documented; it names all that failed.
    """
    document = server.client.get("/openapi.json", headers=_headers(key)).json()
    schema = schemathesis.openapi.from_dict(document, config=_CONFIG)
    operations: list[Any] = [
        found.ok()  # type: ignore[union-attr]  # Err would raise here
        for found in schema.get_all_operations()
    ]
    failures = [
        f"{operation.label}: {error}"
        for operation in operations
        for error in _failures(operation, server, examples, ids, key)
    ]
    assert not failures, "\n\n".join(failures)
    assert len(operations) == sum(map(len, document["paths"].values()))
    return len(operations)


def _failures(
    operation: Any, server: ApiServer, examples: int, ids: Mapping[str, str], key: str | None
) -> list[str]:
    checks = _checks()
    last: list[Any] = []

    @seed(_SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        if case.meta.generation.mode.is_positive:
            known = {name: ids[name] for name in case.path_parameters or {} if name in ids}
            case.path_parameters = {**(case.path_parameters or {}), **known}
        answer = case.call(base_url=server.url, headers=_headers(key))
        last[:] = [case.method, str(answer.request.url), answer.status_code, answer.content[:500]]
        case.validate_response(answer, checks=checks, headers=_headers(key))

    try:
        check()
    except BaseExceptionGroup as group:
        return [f"{error} {last}" for error in group.exceptions]
    except AssertionError as error:
        return [f"{error} {last}"]
    return []


def _checks() -> Sequence[Callable[..., Any]]:
    load_all_checks()
    return list(CHECKS.get_all())


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}
