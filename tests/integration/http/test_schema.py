"""Requests made from the OpenAPI: nothing fails, and every answer is as documented."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.support import api_server
from tests.support.api_server import ApiServer

_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
_EXAMPLES = 6
_settings = settings(
    max_examples=_EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("schema"), dispatch=False) as running:
        yield running


@pytest.mark.filterwarnings("ignore")
def test_whatever_is_sent_is_answered_as_documented(server: ApiServer) -> None:
    document = server.client.get("/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    checked = 0

    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # Err would raise here

        @seed(1)
        @_settings
        @given(case=operation.as_strategy())
        def check(case: Any) -> None:
            answer = case.call(base_url=server.url)
            case.validate_response(answer, checks=_CHECKS)

        check()
        checked += 1

    assert checked == sum(len(methods) for methods in document["paths"].values())
