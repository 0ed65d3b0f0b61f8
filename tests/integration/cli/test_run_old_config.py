"""Configs of the first version, run as they stand."""

from pathlib import Path
from typing import Any

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first


def old(url: str, **changes: Any) -> dict[str, Any]:
    """Return a config of the first version whose provider is the simulated one."""
    place = configs.provider(url, "gpt-4o", "gpt-5.6-terra", dialect="openai", max_in_flight=16)
    return {
        "input_folder": "./inputs",
        "output_folder": "./outputs",
        "instructions_file": "./instructions.md",
        "one_file_only": False,
        "iterations_default": 2,
        "runs": [{"type": "fpf", "provider": "openai", "model": "gpt-4o"}],
        "eval": {
            "auto_run": True,
            "streaming_single_eval": True,
            "output_directory": "./gptr-eval-process/final_reports",
            "config_path": "./llm-doc-eval/llm_doc_eval/config.yaml",
            "iterations": 1,
            "playoffs": {"enabled": True, "top_n": 3},
        },
        "providers": {"openai": place},
    } | changes


def test_an_old_config_finds_winners(tmp_path: Path) -> None:
    with simulator.running() as provider:
        project = Project(tmp_path, old(provider.url), first(1))

        outcome = project.acm("run", "--json")

        assert outcome.code == 0, outcome.err
        (document,) = outcome.last["documents"]
        assert document["winner"]["model"] == "gpt-4o"
        searched = project.rows("select distinct grounding from calls where stage = 'main'")
        assert ("cited",) in searched or ("sourced",) in searched or ("searched",) in searched
        judged = project.rows("select distinct judge from eval_results")
        assert judged == [("openai:gpt-5.6-terra",)]


def test_an_old_config_without_auto_run_writes_texts_and_judges_nothing(tmp_path: Path) -> None:
    with simulator.running() as provider:
        project = Project(tmp_path, old(provider.url, eval={"iterations": 1}), first(2))

        outcome = project.acm("run", "--json")
        before = provider.stats()["requests"]
        again = project.acm("run", "--json")

        assert (outcome.code, again.code) == (0, 0), outcome.err + again.err
        assert {one["state"] for one in outcome.last["documents"]} == {"done"}
        assert len(list((tmp_path / "outputs").rglob("*.md"))) == 4
        (report,) = tmp_path.glob("reports/*/index.html")
        assert "nothing was judged" in report.read_text()
        assert provider.stats()["requests"] == before


def test_what_was_logged_lies_beside_the_report(tmp_path: Path) -> None:
    with simulator.running() as provider:
        project = Project(tmp_path, old(provider.url), first(1))

        outcome = project.acm("run", "--json", env={"ACM_LOG_LEVEL": "info"})

        assert outcome.code == 0, outcome.err
        (log,) = tmp_path.glob("reports/*/acm_session.log")
        assert outcome.last["run_id"] in log.parent.name
        assert log.read_bytes().strip() in (tmp_path / ".acm/acm.log").read_bytes()
