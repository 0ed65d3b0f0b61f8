import pytest

from acm_workers.providers.dialects import evidence
from acm_workers.providers.dialects.evidence import SourceLink
from schemas.calls import Evidence, Source


def graded(*urls: str | None, searched: bool = False, cited: bool = False) -> Evidence:
    return evidence.graded(
        searched=searched,
        cited=cited,
        queries=(),
        links=(SourceLink(url) for url in urls),
        thinking=("none", None),
    )


def test_each_grade_needs_the_one_below() -> None:
    assert graded().grounding == "none"
    assert graded(cited=True).grounding == "none"
    assert graded(searched=True).grounding == "searched"
    assert graded(searched=True, cited=True).grounding == "searched"
    assert graded("https://a.example/", searched=True).grounding == "sourced"
    assert graded("https://a.example/", searched=True, cited=True).grounding == "cited"


@pytest.mark.parametrize(
    "url",
    [None, "", "a.example", "javascript:alert(1)", "file:///etc/passwd", "https://", "http://[",
     "https://a.example/" + "x" * 3000],
)  # fmt: skip
def test_what_is_no_page_is_no_source(url: str | None) -> None:
    assert graded(url, searched=True) == Evidence(grounding="searched")


def test_sources_and_queries_are_listed_once_and_not_without_end() -> None:
    links = [SourceLink("https://a.example/"), SourceLink("https://a.example/", "A")]
    many = [SourceLink(f"https://b.example/{number}") for number in range(1000)]

    found = evidence.graded(
        searched=True,
        cited=False,
        queries=["q", " q ", "", None, "r" * 5000, *map(str, range(1000))],
        links=[*links, *many],
        thinking=("none", None),
    )

    assert found.sources[0] == Source(url="https://a.example/", title="A")
    assert len(found.sources) == len(found.queries) == 200
    assert found.queries[0] == "q"
    assert len(found.queries[1]) == 1000


def test_thinking_needs_text_or_tokens_or_a_seal() -> None:
    assert evidence.of_text([None, "", " \n"], 0) == ("none", None)
    assert evidence.of_text([], None) == ("none", None)
    assert evidence.of_text([], 3) == ("tokens", None)
    assert evidence.of_text([], None, hidden=True) == ("tokens", None)
    assert evidence.of_text(["a", "b"], None) == ("summary", "a\n\nb")


def test_summary_is_what_a_store_can_hold() -> None:
    _, summary = evidence.of_text(["a\x00b", "x" * 50_000], None)

    assert summary is not None
    assert summary.startswith("a\ufffdb\n\nxxx")
    assert len(summary) == 20_000
