"""Checks that read a text."""

from typing import Any

import pytest

from acm_workers.checks import evaluation, text
from acm_workers.checks.function import FunctionHost
from acm_workers.checks.text import Heading
from acm_workers.processes.folders import WorkFolders
from schemas.config.checks import Check
from schemas.units import CheckResult

HOST = FunctionHost(WorkFolders(), "rlimits")


def found(candidate: str, **values: Any) -> CheckResult:
    check = Check.model_validate({"name": values["type"], **values})
    (result,) = evaluation.results(candidate, [check], HOST)
    return result


@pytest.mark.parametrize(
    ("bounds", "passed", "score", "reason"),
    [
        ({"min": 3, "max": 5}, True, 1.0, "4 words"),
        ({"min": 8}, False, 0.5, "4 words; at least 8"),
        ({"max": 2}, False, 0.5, "4 words; at most 2"),
        ({"max": 0}, False, 0.0, "4 words; at most 0"),
        ({"min": 8, "at_least": 0.5}, True, 0.5, "4 words; at least 8"),
        ({"max": 18, "unit": "characters"}, False, 18 / 19, "19 characters; at most 18"),
    ],
)
def test_a_length_is_held_to_its_bounds(
    bounds: dict[str, Any], passed: bool, score: float, reason: str
) -> None:
    result = found("one two  three\nfour", type="length", **bounds)

    assert (result.passed, result.score, result.reason) == (passed, score, reason)


def test_headings_are_those_of_markdown_and_not_of_code() -> None:
    candidate = """\
# One #
Two
===
text
--- and more
```
# in a fence
```
    # indented
### Three\twords
#hashtag
####### seven
Four
---
"""

    assert list(text.headings_of(candidate)) == [
        Heading(1, "one"), Heading(1, "two"), Heading(3, "three words"), Heading(2, "four")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("demands", "score", "reason"),
    [
        ({"required": ["summary", "## Sources"]}, 1.0, "2 headings, as they should be"),
        ({"required": ["Summary", "# Sources"]}, 0.5, "missing # Sources"),
        ({"levels": [2, 3]}, 0.0, "of another level summary"),
        ({"min": 4}, 0.5, "2 headings; at least 4"),
        ({"required": ["Summary"], "levels": [1], "max": 1}, 0.5,
         "of another level sources; 2 headings; at most 1"),
    ],
)  # fmt: skip
def test_headings_are_held_to_what_is_demanded(
    demands: dict[str, Any], score: float, reason: str
) -> None:
    result = found("# SUMMARY\n\na\n\n## Sources\n", type="headings", **demands)

    assert result.score == pytest.approx(score)
    assert result.reason == reason


@pytest.mark.parametrize(
    ("patterns", "score", "reason"),
    [
        ({"must_match": [r"(?m)^Sources:"]}, 1.0, "all patterns as they should be"),
        ({"must_match": ["(?i)SOURCES", r"\d{4}"]}, 0.5, r"not found: \d{4}"),
        ({"must_not_match": ["as an AI"]}, 0.0, "found: as an AI in line 2"),
        ({"must_not_match": ["(?s)So.*AI"]}, 0.0, "found: (?s)So.*AI"),
    ],
)
def test_patterns_must_be_found_or_must_not(
    patterns: dict[str, Any], score: float, reason: str
) -> None:
    result = found("Sources:\nas an AI \ud800", type="regex", **patterns)

    assert (result.score, result.reason) == (score, reason)


LINKS = "See <https://example.org/a>, [b](HTTP://www.Example.com/b?c=1#d). https://evil.test"


@pytest.mark.parametrize(
    ("allowed", "others"),
    [
        (["example.org", "*.example.com", "evil.test"], ""),
        (["example.org", "example.com"], "HTTP://www.Example.com/b?c=1#d, https://evil.test"),
        (["https://example.org/a", "HTTP://www.Example.com/*"], "https://evil.test"),
        (["https://example.org"], "https://example.org/a, HTTP://www.Example.com/b?c=1#d, "
                                  "https://evil.test"),
    ],
)  # fmt: skip
def test_links_go_only_to_what_is_in_the_list(allowed: list[str], others: str) -> None:
    result = found(LINKS, type="links", allowed=allowed)

    assert result.reason == (f"not in the list: {others}" if others else "3 links, all in the list")
    assert result.passed is not bool(others)


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org@evil.test/",
        "https://evil.test\\@example.org/",
        "https://example.org.evil.test/",
        "https://evil.test/example.org",
        "https://evil.test:443#example.org",
        "https://[example.org",
        "https://\u200bexample.org",
        "https://example.org%2eevil.test",
        "http://" + "a." * 200 + "example.org",
        "https://",
    ],
)
def test_a_link_that_only_looks_like_an_allowed_one_is_none(link: str) -> None:
    result = found(f"see {link} there", type="links", allowed=["example.org", "*.example.org"])

    assert result.passed is False


def test_a_text_may_be_held_to_a_number_of_links() -> None:
    few = found("https://example.org", type="links", allowed=["example.org"], min=2)
    many = found("http://a.b " * 10_001, type="links", allowed=["a.b"])

    assert (few.score, few.reason) == (0.75, "1 links; at least 2")
    assert (many.score, many.reason) == (0.0, "more than 10,000 links")


def test_a_gate_bars_unless_it_is_passed_for_certain() -> None:
    def bars(**values: Any) -> bool:
        usual = {"name": "n", "type": "length", "gate": True, "weight": 0.0, "reason": ""}
        return CheckResult.model_validate(usual | values).bars

    assert not bars(passed=True, score=1.0)
    assert bars(passed=False, score=0.4)
    assert bars(passed=None, score=None)
    assert not bars(passed=False, score=0.4, gate=False)
