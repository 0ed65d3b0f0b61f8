import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.judging import answer_schema
from schemas.config.judging import DEFAULT_CRITERIA, Criterion
from tests.support import characters

COMMON = {"type", "properties", "required", "additionalProperties", "enum", "description"}


def objects(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inner = schema.get("properties", {}).values()
    return [schema, *(found for one in inner for found in objects(one))]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("accuracy", "accuracy"),
        ("Clear style!", "clear_style"),
        ("Verständlichkeit", "verstandlichkeit"),
        ("3 sources", "criterion_3_sources"),
        ("точность", "criterion"),
    ],
)
def test_slug_is_a_plain_key(name: str, key: str) -> None:
    assert answer_schema.slug(name) == key


@given(st.lists(st.text(characters.ANY, min_size=1, max_size=64), min_size=1, max_size=8))
def test_slugs_of_criteria_are_plain_and_all_different(names: list[str]) -> None:
    criteria = tuple(Criterion(name=name) for name in names)

    keyed = answer_schema.by_slug(criteria)

    assert tuple(keyed.values()) == criteria
    assert all(re.fullmatch("[a-z][a-z0-9_]*", key) for key in keyed)


@pytest.mark.parametrize(
    "schema",
    [
        answer_schema.scores(DEFAULT_CRITERIA),
        answer_schema.verdict(),
        answer_schema.copied_scores(DEFAULT_CRITERIA),
        answer_schema.copied_verdict(),
    ],
)
def test_schema_keeps_to_the_common_strict_subset(schema: dict[str, Any]) -> None:
    for one in objects(schema):
        assert one.keys() <= COMMON
        if one["type"] == "object":
            assert one["required"] == list(one["properties"])
            assert one["additionalProperties"] is False


def test_scores_are_integers_of_the_scale_after_their_reason() -> None:
    schema = answer_schema.scores((Criterion(name="x", min=0, max=9, step=3),))["properties"]["x"]

    assert list(schema["properties"]) == ["reason", "score"]
    assert schema["properties"]["score"] == {"type": "integer", "enum": [0, 3, 6, 9]}


def test_scores_of_half_steps_are_numbers_of_the_scale() -> None:
    schema = answer_schema.scores((Criterion(name="x", min=1, max=3, step=0.5),))["properties"]["x"]

    assert json.dumps(schema["properties"]["score"]) == (
        '{"type": "number", "enum": [1, 1.5, 2, 2.5, 3]}'
    )


def test_criteria_named_like_the_remarks_have_keys_of_their_own() -> None:
    criteria = (Criterion(name="Summary"), Criterion(name="confidence"))

    assert list(answer_schema.by_slug(criteria)) == ["summary_2", "confidence_2"]
    assert list(answer_schema.scores(criteria)["properties"]) == [
        "summary_2",
        "confidence_2",
        "summary",
        "confidence",
    ]


def test_schema_is_the_same_bytes_every_time() -> None:
    first, second = (json.dumps(answer_schema.scores(DEFAULT_CRITERIA)) for _ in range(2))

    assert first == second


def test_copy_has_a_word_for_what_a_text_does_not_give() -> None:
    criterion = Criterion(name="x", min=0, max=9, step=3)
    score = answer_schema.copied_scores((criterion,))["properties"]["x"]["properties"]["score"]

    assert score["enum"] == [-1, 0, 3, 6, 9]
    assert answer_schema.not_given(criterion) not in criterion.scale
    assert "none" in answer_schema.copied_verdict()["properties"]["winner"]["enum"]
