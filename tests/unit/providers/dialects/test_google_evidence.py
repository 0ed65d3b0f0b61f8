"""How it is told from an answer of Gemini whether it searched and thought."""

from typing import Any

import pytest

from tests.support.provider_responses.google import CHUNK, GROUND, SUPPORT, read


@pytest.mark.parametrize(
    ("ground", "expected"),
    [
        (None, "none"),
        ({}, "none"),
        ({"webSearchQueries": []}, "none"),
        ({"webSearchQueries": [" "]}, "none"),
        ({"searchEntryPoint": {"renderedContent": "<div>"}}, "none"),
        ({"webSearchQueries": ["q"]}, "searched"),
        ({"webSearchQueries": ["q"], "groundingChunks": [{}]}, "searched"),
        ({"webSearchQueries": ["q"], "groundingSupports": [SUPPORT]}, "searched"),
        ({"webSearchQueries": ["q"], "groundingChunks": [CHUNK]}, "sourced"),
        ({"groundingChunks": [CHUNK]}, "sourced"),
        ({**GROUND, "groundingSupports": [{"groundingChunkIndices": [1]}]}, "sourced"),
        ({**GROUND, "groundingSupports": [{"groundingChunkIndices": None}]}, "sourced"),
        ({**GROUND, "groundingChunks": [None, CHUNK]}, "sourced"),
        (GROUND, "cited"),
    ],
)
def test_grounding_is_graded_by_its_metadata(ground: Any, expected: str) -> None:
    parts = [{"text": "See https://b.example/ (google_search, groundingChunks)"}]

    assert read(parts, ground=ground).evidence.grounding == expected


@pytest.mark.parametrize(
    ("parts", "tokens", "expected"),
    [
        ([{"text": "a"}, {"text": "b"}], None, "none"),
        ([{"text": "a", "thought": False}], 0, "none"),
        ([{"text": "a", "thought": "true"}], 0, "none"),
        ([{"text": "a", "thoughtSignature": "eA"}], None, "none"),
        ([{"text": "a"}], 12, "tokens"),
        ([{"text": "So.", "thought": True}], None, "summary"),
    ],
)
def test_thinking_is_graded_by_thoughts_and_never_by_searches(
    parts: Any, tokens: Any, expected: str
) -> None:
    answer = read(parts, ground=GROUND, usage={"thoughtsTokenCount": tokens})

    assert answer.evidence.reasoning == expected
