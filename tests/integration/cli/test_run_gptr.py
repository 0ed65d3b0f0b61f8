"""GPT Researcher itself writes a standard report, offline."""

from pathlib import Path

import pytest

from tests.support import research_runs
from tests.support.research_runs import Research


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Research:
    entry = {"type": "gptr", "provider": "alpha", "model": "m2", "research": {"embedding": "e1"}}
    return research_runs.run(tmp_path_factory.mktemp("gptr") / "project", entry)


def test_its_report_is_judged_and_ranked_beside_another_text(done: Research) -> None:
    assert done.end.code == 0, done.end.err
    (document,) = done.end.last["documents"]
    assert (document["artifacts"], document["comparisons"], document["missing"]) == (2, 2, 0)
    child = done.child("gptr")
    found = {source["url"].rpartition("/")[2].rpartition(":")[2] for source in child["sources"]}
    assert found == {path.name for path in Path(done.project.folder / "sources").iterdir()}
    assert child["searches"] >= 4
    assert child["version"] == "0.15.1"


def test_its_bill_is_the_providers_embeddings_included(done: Research) -> None:
    research_runs.assert_bill_is_the_providers(done)
    assert done.stats["by_model"]["e1"] > 0
