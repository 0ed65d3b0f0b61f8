"""Scores that judges leave out: missing, or filled in where the config has a score for them."""

import json
from pathlib import Path
from typing import Any

from schemas.config.judging import DEFAULT_CRITERIA
from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.texts import first

_LAST = DEFAULT_CRITERIA[-1].name
"""The criterion that fault C6 leaves out."""


def _ran(folder: Path, url: str, **changes: Any) -> tuple[Project, Outcome]:
    alpha = configs.provider(url, "m1", "m2", "j1", "j1@C6")
    config = configs.base(
        {"alpha": alpha},
        judges=[configs.judge("j1"), configs.judge("j1@C6", name="sloppy")],
        pairwise={"enabled": False},
        playoffs={"enabled": False},
        retries={"attempts": 1},
        **changes,
    )
    project = Project(folder, config, first(1))
    return project, project.acm("run")


def test_a_score_that_is_left_out_is_filled_in_and_counted_as_filled(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.0) as provider:
        project, ran = _ran(tmp_path, provider.url, missing_score=5)
        shown = project.acm("show", "--json").last

    assert ran.code == 0, ran.err
    rows = project.rows("select judge, criteria_scores, filled from eval_results")
    for judge, scores, filled in rows:
        assert json.loads(filled) == ([_LAST] if judge == "sloppy" else [])
        assert judge != "sloppy" or json.loads(scores)[_LAST] == 5
    (document,) = shown["documents"]
    assert (document["filled"], document["missing"], document["evaluations"]) == (2, 0, 4)
    assert "2 scores with values filled by missing_score" in ran.out
    assert "filled in with 5, and counted as filled" in ran.out


def test_without_a_score_for_them_such_judgements_are_missing(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.0) as provider:
        project, ran = _ran(tmp_path, provider.url)
        shown = project.acm("show", "--json").last

    assert ran.code == 0, ran.err
    (document,) = shown["documents"]
    assert (document["filled"], document["missing"], document["evaluations"]) == (0, 2, 2)
