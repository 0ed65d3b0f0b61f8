"""The OpenAPI document has examples, and each fits its schema."""

from typing import Any

import jsonschema_rs
import pytest

from acm_api import library
from acm_api.http import application, examples
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the OpenAPI document."""
    settings = Settings()
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('store') / 'acm.db'}")
    made: dict[str, Any] = application.make(database, settings, None).openapi()
    database.close()
    return made


def example_of(schema: dict[str, Any], document: dict[str, Any]) -> object:
    """Return the example of a schema, or of the items of a list; None if there is none."""
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if "$ref" in one)
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    items = schema.get("items") or schema.get("properties", {}).get("items", {}).get("items")
    found = schema.get("examples", [None])[0]
    return example_of(items, document) if found is None and items else found


def test_every_request_body_has_an_example(document: dict[str, Any]) -> None:
    bodies = {
        f"{method} {path}": example_of(content["schema"], document)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    }

    assert len(bodies) >= 10
    assert [route for route, example in bodies.items() if example is None] == []


def test_lists_and_states_have_an_example(document: dict[str, Any]) -> None:
    without = set()
    for path, methods in document["paths"].items():
        answer = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        schema = answer.get("application/json", {}).get("schema")
        if schema is not None and example_of(schema, document) is None:
            without.add(path.removeprefix("/api/v1"))

    assert without == {
        "/leaderboard",
        "/runs/{run_id}/difference/{other_id}",
        "/runs/{run_id}/difference/{other_id}/cross-judging",
        "/runs/{run_id}/explanation",
        "/runs/{run_id}/ranking",
        "/runs/{run_id}/results",
        "/runs/{run_id}/votes",
    }


@pytest.mark.parametrize("name", [*examples.REQUESTS, *examples.ANSWERS])
def test_an_example_is_valid(document: dict[str, Any], name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    example = {**examples.REQUESTS, **examples.ANSWERS}[name]
    known = document["components"]["schemas"][name]["properties"]

    jsonschema_rs.validate(schema, example)
    assert example.keys() <= known.keys()


def test_the_example_of_a_run_has_a_config_that_is_accepted() -> None:
    given: Any = examples.REQUESTS["NewRun"]

    work = library.work_of_values(
        given["config"], given["documents"], given["instructions"], None, keys="later"
    )

    assert len(work.config.writers) == 2
