"""A run with several prompts: candidates of each, the plan, and what the report tells."""

import json
from pathlib import Path

from acm_workers.store.connection.database import Database
from acm_workers.tasks import transcript
from schemas.calls import Call
from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first

_TEXT = "Write a poem of four lines about it."


def test_prompts_are_a_factor_beside_models_from_the_plan_to_the_report(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.01) as provider:
        config = configs.small(
            provider.url, playoffs={"enabled": False}, pairwise={"enabled": False}
        )
        config["instructions_file"] = ["instructions.md", {"name": "poem", "text": _TEXT}]
        project = Project(tmp_path, config, first(2))
        planned = project.acm("plan", "--json").last
        run = project.acm("run", "--json")
        again = project.acm("run", "--json")

    calls = _requests(project, "artifact")
    (report,) = project.folder.glob("reports/*/index.html")
    results = json.loads(report.with_name("results.json").read_text())
    assert run.code == 0, run.err
    assert planned["likely"]["calls"] == run.last["calls"]["total"] == 2 * (2 * 2 + 4)
    assert sorted(_TEXT in one for one in calls) == [False] * 4 + [True] * 4
    # Judges see the instructions of the run, whatever a candidate was written by.
    assert not any(_TEXT in one for one in _requests(project, "evaluation"))
    assert again.last["calls"]["total"] == 0
    assert "Prompts and models" in report.read_text()
    assert {one["prompt"] for one in results["factors"]["means"]} == {"instructions", "poem"}
    assert results["factors"]["documents"] == 2


def _requests(project: Project, kind: str) -> list[str]:
    """Return what was sent for units of one kind."""
    from acm_workers.store import calls

    database = Database(f"sqlite:///{project.folder / '.acm' / 'acm.db'}")
    try:
        with database.read() as connection:
            (run_id,) = {row[0] for row in project.rows("select run_id from runs")}
            found: list[Call] = [
                one for one in calls.of_run(connection, run_id) if one.unit_kind == kind
            ]
        requests = [transcript.request_of(database, one) for one in found]
    finally:
        database.close()
    assert all(one is not None for one in requests)
    return [str([part.content for part in one.messages]) for one in requests if one is not None]
