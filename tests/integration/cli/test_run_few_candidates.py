"""Documents with few candidates, and judging that is switched off in part."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Project
from tests.support.simulator import Simulator
from tests.support.texts import first


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as provider:
        yield provider


def _document(project: Project) -> dict[str, Any]:
    """Run the project and return the result of its only document."""
    outcome = project.acm("run", "--json")
    assert outcome.code == 0, outcome.err
    document: dict[str, Any] = outcome.last["documents"][0]
    return document


def test_the_only_candidate_wins_and_everybody_is_told_that_nothing_was_compared(
    provider: Simulator, tmp_path: Path
) -> None:
    changes: dict[str, Any] = {"runs": configs.runs(alpha=["m1"])}
    project = Project(tmp_path, configs.small(provider.url, **changes), first(1))
    document = _document(project)
    about = json.loads((project.folder / "winners" / "bees.winner.json").read_bytes())
    report = next((project.folder / "reports").rglob("index.html")).read_text("utf-8")

    assert (document["artifacts"], document["comparisons"]) == (1, 0)
    assert "nothing was compared" in document["reason"]
    assert "nothing was compared" in report
    assert document["winner"]["elo"] is None
    assert document["winner"]["artifact_id"] == about["artifact_id"]


def test_without_comparisons_the_best_score_wins(provider: Simulator, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"pairwise": {"enabled": False}, "playoffs": {"enabled": False}}
    project = Project(tmp_path, configs.small(provider.url, **changes), first(1))
    document = _document(project)
    scores = dict(project.rows("select artifact_id, overall_score from eval_results"))

    assert (document["artifacts"], document["evaluations"], document["comparisons"]) == (2, 2, 0)
    assert scores[document["winner"]["artifact_id"]] == max(scores.values())
    assert document["winner"]["elo"] is None


def test_without_playoffs_nothing_is_combined(provider: Simulator, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"playoffs": {"enabled": False}}
    project = Project(tmp_path, configs.small(provider.url, **changes), first(1))
    document = _document(project)

    assert (document["artifacts"], document["evaluations"], document["comparisons"]) == (2, 2, 2)
    assert not any(".combine." in name for name in project.files("outputs"))


def test_a_judge_of_weight_0_is_never_called(tmp_path: Path) -> None:
    judges = [configs.judge("j1"), configs.judge("j0", weight=0)]
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url, judges=judges), first(1))
        document = _document(project)
        by_model = provider.stats()["by_model"]

    assert document["evaluations"] == 4
    assert by_model["j1"] == 10
    assert "j0" not in by_model


def test_a_document_without_candidates_fails_alone(provider: Simulator, tmp_path: Path) -> None:
    with intercepting_proxy.refusing("queen", provider.url) as url:
        project = Project(tmp_path, configs.small(url), first(3))
        outcome = project.acm("run", "--json")
        told = project.acm("show")

    states = {document["path"]: document["state"] for document in outcome.last["documents"]}
    reasons = {document["path"]: document["reason"] for document in outcome.last["documents"]}
    assert outcome.code == 3
    assert outcome.last["state"] == "partial"
    assert states == {"bees.md": "failed", "bread.txt": "done", "city/trams.md": "done"}
    assert "content_policy_violation" in reasons["bees.md"]
    assert outcome.last["calls"]["failed"] == 2
    assert reasons["bees.md"] in " ".join(told.out.split())
    assert "bees.winner.md" not in project.files("winners")
    assert "bread.winner.md" in project.files("winners")
