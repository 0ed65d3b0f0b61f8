"""Requests made from the OpenAPI of a server, and all checks of schemathesis on the answers."""

from collections.abc import Callable, Sequence
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis.checks import CHECKS, load_all_checks

from tests.support import api_seed
from tests.support.api_seed import SeededIds
from tests.support.api_server import ApiServer

# A config and code are checked as a whole, which no schema can say.
_WITH_CONFIG = ("POST /api/v1/runs", "POST /api/v1/plans", "POST /api/v1/runs/{run_id}/evaluate")
_WITH_CODE = ("POST /api/v1/submissions",)
# An absent Last-Event-ID is sent as the word null.
_REFUSING = (*_WITH_CONFIG, *_WITH_CODE, "GET /api/v1/runs/{run_id}/events")
_NEEDS_ANOTHER_RUN = "/cross-judging"
_ANSWERED = range(200, 300)
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
            for name in _REFUSING
        ],
    }
)


def check_every_operation(
    server: ApiServer,
    examples: int,
    ids: SeededIds,
    key: str | None = None,
    seed_of_examples: int = 1,
) -> int:
    """Send ``examples`` requests to each operation; return how many operations there are.

    Args:
        ids: Of what is in the store: requests that are valid use them, so that more than 404 is
            answered. An operation that reads and answers none of them fails.
        key: API key that is sent along.
        seed_of_examples: The same seed makes the same requests.

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
        for error in _failures(operation, server, (examples, seed_of_examples), ids, _headers(key))
    ]
    assert not failures, "\n\n".join(failures)
    assert len(operations) == sum(map(len, document["paths"].values()))
    return len(operations)


def _failures(
    operation: Any,
    server: ApiServer,
    drawn: tuple[int, int],
    ids: SeededIds,
    headers: dict[str, str],
) -> list[str]:
    checks = _checks()
    last: list[Any] = []
    known = ids.of(operation.method, operation.path)
    seen: set[int] = set()

    @seed(drawn[1])
    @settings(
        max_examples=drawn[0],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        if case.meta.generation.mode.is_positive:
            given = case.path_parameters or {}
            case.path_parameters = {name: known.get(name, value) for name, value in given.items()}
            if "vote_id" in given:
                case.query = {**(case.query or {}), "voter": api_seed.VOTER}
        answer = case.call(base_url=server.url, headers=headers)
        seen.add(answer.status_code)
        last[:] = [case.method, str(answer.request.url), answer.status_code, answer.content[:500]]
        case.validate_response(answer, checks=checks, headers=headers)

    try:
        check()
    except BaseExceptionGroup as group:
        return [f"{error} {last}" for error in group.exceptions]
    except AssertionError as error:
        return [f"{error} {last}"]
    reads = operation.method.upper() == "GET" and not operation.path.endswith(_NEEDS_ANOTHER_RUN)
    if reads and not any(status in _ANSWERED for status in seen):
        return [f"nothing but {sorted(seen)} was answered"]
    return []


def _checks() -> Sequence[Callable[..., Any]]:
    load_all_checks()
    return list(CHECKS.get_all())


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}
