"""What this version refuses rather than ignores."""

from typing import Any

import pytest

from acm_api.config import unavailable
from acm_api.config.source import dotted

NO = "is not available in this version"


@pytest.mark.parametrize("name", ["gptr", "dr", "ma"])
def test_other_generators_are_refused(name: str) -> None:
    found = unavailable.problems({"runs": [{"type": "fpf"}, {"type": name}]})

    assert [(dotted(key), message) for key, message, _ in found] == [
        ("runs.1.type", f"type {name} {NO}; use fpf")
    ]


def test_deep_research_is_named_by_its_provider() -> None:
    found = unavailable.problems({"runs": [{"type": "openaidp"}]})

    assert [(dotted(key), message) for key, message, _ in found] == [
        ("runs.0.type", "openaidp is a provider: write type: fpf, provider: openaidp")
    ]


def test_other_dialects_are_refused() -> None:
    found = unavailable.problems({"providers": {"alpha": {"dialect": "simulated"}}})

    assert [(dotted(key), message) for key, message, _ in found] == [
        (
            "providers.alpha.dialect",
            f"dialect simulated {NO}; use openai_chat, openai, anthropic or google",
        )
    ]


@pytest.mark.parametrize(
    ("data", "key", "message"),
    [
        ({"runs": [{"engine": "external"}]}, "runs.0.engine",
         f"engine external {NO}; leave it out for the built-in one"),
        ({"runs": [{"json": True}]}, "runs.0.json",
         f"json: true for generated texts {NO}; use auto or false"),
        ({"skip": "files"}, "skip", f"skip: files {NO}; use auto or never"),
        ({"fpf": {"path": "x"}}, "fpf",
         f"the external engine of fpf {NO}; leave this section out"),
    ],
)  # fmt: skip
def test_feature_is_refused_plainly(data: dict[str, Any], key: str, message: str) -> None:
    found = unavailable.problems(data)

    assert [(dotted(each.key), each.message) for each in found] == [(key, message)]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"budget_usd": 5, "skip": "never", "missing_score": 5},
        {"ranking": {"method": "posterior", "elo": {"k": 3, "order": "shuffled"}}},
        {"pairwise": {"strategy": "adaptive", "max_comparisons": 9}},
        {"playoffs": {"judges": [], "criteria": ["wit"], "pairwise": False}},
        {"runs": [{"type": "fpf", "json": "auto", "require": {"grounding": "cited"}}]},
        {"runs": [{"json": 1}], "pairwise": {"strategy": "round_robin"}},
        {"runs": "x", "providers": ["y"], "pairwise": 3, "ranking": None, "playoffs": [1]},
    ],
)
def test_all_else_is_left_to_the_validation(data: dict[str, Any]) -> None:
    assert unavailable.problems(data) == []
