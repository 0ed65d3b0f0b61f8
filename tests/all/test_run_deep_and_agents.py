"""GPT Researcher itself writes a deep report and one of several agents, offline."""

import pytest

from tests.support import research_runs
from tests.support.research_runs import Research


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Research:
    entries = [{"type": kind, "provider": "alpha", "model": "m2"} for kind in ("gptr", "dr", "ma")]
    return research_runs.run(tmp_path_factory.mktemp("all") / "project", *entries)


def test_all_reports_are_judged_and_ranked_together(done: Research) -> None:
    assert done.end.code == 0, done.end.err
    (document,) = done.end.last["documents"]
    assert (document["artifacts"], document["comparisons"], document["missing"]) == (4, 12, 0)


def test_each_kind_makes_the_calls_it_is_known_to_make(done: Research) -> None:
    calls = {kind: done.child(kind)["calls"] for kind in ("gptr", "dr", "ma")}

    assert calls == {"gptr": 3, "dr": 33, "ma": 14}
    research_runs.assert_bill_is_the_providers(done)


def test_agents_write_an_office_file_too(done: Research) -> None:
    names = done.project.files("outputs")

    assert sorted(name.split(".")[1] for name in names if name.endswith(".docx")) == ["ma"]
    assert sorted(name.split(".")[1] for name in names if name.endswith(".md")) == [
        "dr", "fpf", "gptr", "ma"
    ]  # fmt: skip
