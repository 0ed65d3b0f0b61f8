"""Which form a judge's call takes."""

import pytest

from acm_workers.providers.catalog import json_modes
from acm_workers.providers.catalog.capabilities import Capabilities
from acm_workers.providers.catalog.json_modes import JsonForm
from schemas.calls import Grounding, Parameter
from schemas.config.variant import JsonMode, RequiredEvidence

ALL = Capabilities()
APART = Capabilities(tools_with_json=False)
NO_SCHEMA = Capabilities(json_schema=False, tools_with_json=False)
CITES = Capabilities(citations_with_json=True)


@pytest.mark.parametrize(
    ("mode", "able", "grounding", "expected"),
    [
        # Without search: a schema wherever the server holds answers to one.
        (True, ALL, "none", "schema"),
        ("auto", ALL, "none", "schema"),
        (False, ALL, "none", "prompt"),
        (True, APART, "none", "schema"),
        ("auto", APART, "none", "schema"),
        (True, NO_SCHEMA, "none", "two_stages"),
        ("auto", NO_SCHEMA, "none", "prompt"),
        (False, NO_SCHEMA, "none", "prompt"),
        # With search: in one call where both work together.
        (True, ALL, "searched", "schema"),
        ("auto", ALL, "sourced", "schema"),
        (False, ALL, "searched", "prompt"),
        (True, APART, "searched", "two_stages"),
        ("auto", APART, "searched", "two_stages"),
        (False, APART, "searched", "prompt"),
        (True, NO_SCHEMA, "searched", "two_stages"),
        ("auto", NO_SCHEMA, "searched", "two_stages"),
        # Citations get lost in JSON, unless a model can do that too.
        ("auto", ALL, "cited", "two_stages"),
        (True, ALL, "cited", "two_stages"),
        (False, ALL, "cited", "prompt"),
        ("auto", CITES, "cited", "schema"),
    ],
)
def test_form_follows_from_mode_model_and_evidence(
    mode: JsonMode, able: Capabilities, grounding: Grounding, expected: JsonForm
) -> None:
    assert json_modes.form(mode, able, RequiredEvidence(grounding=grounding)) == expected


@pytest.mark.parametrize(
    ("mode", "learned", "expected"),
    [("auto", True, "prompt"), ("auto", False, None), (True, True, None), (True, False, None)],
)
def test_two_stages_without_a_second_model_are_impossible_unless_json_may_be_in_the_prompt_only(
    mode: JsonMode, learned: bool, expected: JsonForm | None
) -> None:
    assert json_modes.without_jsonify("two_stages", mode, learned=learned) == expected
    assert json_modes.without_jsonify("schema", mode, learned=learned) == "schema"


@pytest.mark.parametrize(
    ("refused", "mode", "grounding", "expected"),
    [
        ("json_schema", "auto", "none", "prompt"),
        ("json_schema", True, "none", "two_stages"),
        ("search_with_schema", "auto", "searched", "two_stages"),
        ("search_with_schema", True, "searched", "two_stages"),
        ("temperature", "auto", "searched", "schema"),
    ],
)
def test_what_a_model_refused_changes_the_form(
    refused: Parameter, mode: JsonMode, grounding: Grounding, expected: JsonForm
) -> None:
    learned = json_modes.learned(ALL, refused)

    assert json_modes.form(mode, learned, RequiredEvidence(grounding=grounding)) == expected


def test_impossible_calls_are_told_to_people() -> None:
    searched = RequiredEvidence(grounding="searched")

    assert json_modes.refusal("auto", ALL, searched, "m") is None
    assert json_modes.refusal(False, APART, searched, "m") is None
    assert json_modes.refusal("auto", APART, searched, "m") == (
        "m cannot search and follow a schema in one call; name a model in jsonify that puts its "
        "prose into JSON, or set json: false"
    )
    told = json_modes.refusal(True, NO_SCHEMA, RequiredEvidence(), "m")
    assert told is not None
    assert told.startswith("json: true needs answers that follow a schema, and m accepts none")


def test_lack_of_citations_is_told_where_search_and_schema_work_together() -> None:
    cited = RequiredEvidence(grounding="cited")

    assert json_modes.refusal("auto", ALL, cited, "m") == (
        "require.grounding cited needs annotations that cite pages, and m writes none into an "
        "answer that follows a schema; name a model in jsonify that puts its prose into JSON, or "
        "set json: false"
    )
    told = json_modes.refusal("auto", APART, cited, "m")
    assert told is not None
    assert told.startswith("m cannot search and follow a schema in one call")


def test_evidence_that_a_model_can_never_give_is_told_to_people() -> None:
    thinks = Capabilities(reasoning_evidence="tokens")

    assert (
        json_modes.unreachable(thinks, RequiredEvidence(grounding="cited", reasoning="tokens"), "m")
        is None
    )
    assert json_modes.unreachable(thinks, RequiredEvidence(reasoning="summary"), "m") == (
        "require.reasoning summary: m shows no more of its thinking than its tokens"
    )
    assert json_modes.unreachable(ALL, RequiredEvidence(reasoning="tokens"), "m") == (
        "require.reasoning tokens: m shows nothing of its thinking"
    )
    blind = Capabilities(search=False)
    assert json_modes.unreachable(blind, RequiredEvidence(grounding="searched"), "m") == (
        "require.grounding searched: m has no web search of its own"
    )
