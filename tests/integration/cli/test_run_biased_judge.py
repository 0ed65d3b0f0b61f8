"""A judge that prefers what is shown first, from its verdicts to the report."""

import json
from pathlib import Path
from typing import Any

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first

_ALWAYS = 2.0
"""More than any two simulated texts differ by: such a judge always names the first."""


def test_a_judge_with_planted_position_bias_is_shown_as_biased(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.0, position_bias=0.0) as plain,
        simulator.running(latency_s=0.0, position_bias=_ALWAYS) as tilted,
    ):
        config = configs.base(
            {
                "alpha": configs.provider(plain.url, "m1", "m2", "m3", "fair"),
                "beta": configs.provider(tilted.url, "tilted"),
            },
            runs=configs.runs(alpha=["m1", "m2", "m3"]),
            judges=[
                configs.judge("fair", name="fair"),
                configs.judge("tilted", "beta", name="tilted"),
            ],
            playoffs={"enabled": False},
        )
        project = Project(tmp_path, config, first(3))
        ran = project.acm("run")

    assert ran.code == 0, ran.err
    results = _results(project)
    fair, tilted_judge = (one["verdicts"] for one in results["judges"]["figures"])
    assert (tilted_judge["first"]["hits"], tilted_judge["first"]["of"]) == (18, 18)
    assert (tilted_judge["swapped"]["hits"], tilted_judge["swapped"]["of"]) == (0, 9)
    assert fair["first"]["low"] < 0.5 < fair["first"]["high"]
    biased = [one for one in results["judges"]["findings"] if "biased by position" in one]
    assert len(biased) == 1
    assert biased[0].startswith(
        "Judge tilted is biased by position: it prefers the text shown first."
    )
    page = next(project.folder.glob("reports/*/index.html")).read_text("utf-8")
    assert biased[0] in page


def _results(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        next(project.folder.glob("reports/*/results.json")).read_text("utf-8")
    )
    return found
