"""Finished documents that are not worked on again, by the store and by files."""

import json
import shutil
from pathlib import Path

from tests.support import configs, simulator
from tests.support.project import Project, wait_until
from tests.support.texts import first


def test_a_lost_store_does_not_pay_for_finished_documents_again(tmp_path: Path) -> None:
    with simulator.running() as provider:
        texts = first(2)
        project = Project(tmp_path, configs.small(provider.url), texts)
        assert project.acm("run", "--json").code == 0
        before = provider.stats()["requests"]
        shutil.rmtree(tmp_path / ".acm")

        again = project.acm("run", "--json")

        assert again.code == 0, again.err
        assert provider.stats()["requests"] == before
        assert "winner.md (skip: auto)" in again.err
        assert {one["state"] for one in again.last["documents"]} == {"skipped"}
        changed = sorted(texts)[0]
        project.write(f"inputs/{changed}", "Something else about bees.")
        after = project.acm("run", "--json")
        assert [one["path"] for one in after.last["documents"]] == [changed]


def test_files_of_an_earlier_program_are_taken_as_results(tmp_path: Path) -> None:
    with simulator.running() as provider:
        config = configs.small(provider.url, skip="files", playoffs={"enabled": False})
        project = Project(tmp_path, config, {"a.md": "Bees.", "a.v2.md": "Cats.", "b.md": "Dogs."})
        project.write("outputs/a.v2.fpf.1.gpt-4o.abc.md", "A text of the first version.")
        project.write("outputs/b.fpf.1.gpt-4o.abc.failed.json", "{}")

        outcome = project.acm("run", "--json")

        assert outcome.code == 0, outcome.err
        assert [one["path"] for one in outcome.last["documents"]] == ["a.md", "b.md"]
        assert "skipped a.v2.md" in outcome.err


def test_winner_report_and_failures_are_written_when_their_document_ends(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.3) as provider:
        alpha = configs.provider(provider.url, "m1", "m2", "m@500", "j1", max_in_flight=1)
        runs = configs.runs(alpha=["m1", "m2", "m@500"])
        config = configs.base({"alpha": alpha}, runs=runs, playoffs={"enabled": False})
        project = Project(tmp_path, config, first(3))

        with project.started("run", "--plain") as command:
            wait_until(lambda: list((tmp_path / "winners").rglob("*.winner.md")))
            (page,) = wait_until(lambda: list((tmp_path / "reports").glob("*/index.html")))
            timeline = json.loads((page.parent / "timeline_data.json").read_text())
            failed = list((tmp_path / "outputs").rglob("*.failed.json"))
            assert not command.ended
            outcome = command.end()

        assert outcome.code == 0, outcome.err
        assert len(list((tmp_path / "winners").rglob("*.winner.md"))) == 3
        assert failed
        assert timeline["records"]
