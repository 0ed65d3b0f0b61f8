"""Checks through whole runs: of texts that are written, and of texts that are there."""

import csv
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

FUNCTION = """
def check(text):
    return {"score": min(1.0, len(text) / 100_000), "reason": f"{len(text)} characters"}
"""
CHECKS: list[dict[str, Any]] = [
    {"type": "length", "min": 20},
    {"type": "function", "name": "mine", "source_file": "mine.py", "gate": False, "weight": 0.5},
]


class _Checked(NamedTuple):
    project: Project
    provider: Simulator
    end: Outcome

    def requests(self) -> dict[str, int]:
        """Return how many requests each model got so far."""
        counted: dict[str, int] = self.provider.stats()["by_model"]
        return counted


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Checked]:
    """Run two models beside a text that is too short."""
    with simulator.running(latency_s=0.01) as provider:
        runs = [*configs.runs(alpha=["m1", "m2"]), {"type": "files", "folder": "kept"}]
        config = configs.small(provider.url, runs=runs, checks=CHECKS)
        project = Project(tmp_path_factory.mktemp("checked"), config, first(1))
        project.write("mine.py", FUNCTION)
        project.write("kept/bees.md", "Bees fly.")
        yield _Checked(project, provider, project.acm("run", "--json"))


def test_a_text_that_fails_a_gate_is_not_judged_and_cannot_win(checked: _Checked) -> None:
    assert checked.end.code == 0, checked.end.err
    (document,) = checked.end.last["documents"]

    (failed,) = document["failed_checks"]
    assert (failed["check"], failed["reason"]) == ("length", "2 words; at least 20")
    assert document["winner"]["artifact_id"] != failed["artifact_id"]
    judged = checked.project.rows("select distinct artifact_id from eval_results")
    pairs = checked.project.rows("select artifact_a_id, artifact_b_id from pairwise_comparisons")
    assert (failed["artifact_id"],) not in judged
    assert failed["artifact_id"] not in {one for pair in pairs for one in pair}
    assert "1 candidate does not pass the checks" in document["reason"]


def test_what_was_found_is_shown_and_lies_beside_the_report(checked: _Checked) -> None:
    shown = checked.project.acm("show").out
    explained = checked.project.acm("explain").out
    (report,) = checked.project.folder.glob("reports/*/index.html")
    with report.with_name("checks.csv").open() as file:
        rows = list(csv.DictReader(file))

    for told in (shown, explained):
        assert "length: 2 words; at least 20" in told
    assert len(rows) == 4 * len(CHECKS)  # three candidates of the first round, and a combined one
    assert {row["check"] for row in rows} == {"length", "mine"}
    assert "cannot win" in report.read_text("utf-8")
    about = json.loads((checked.project.folder / "winners/bees.winner.json").read_text("utf-8"))
    mine = about["checks"][1]
    assert mine["reason"].endswith("characters")
    assert 0 < mine["score"] < 1


def test_a_weight_moves_the_score(checked: _Checked) -> None:
    (winner,) = [one["winner"] for one in checked.end.last["documents"]]
    row = "select checks from artifacts where artifact_id = ?"
    score = json.loads(checked.project.rows(row, winner["artifact_id"])[0][0])[1]["score"]
    query = "select avg(overall_score) from eval_results where artifact_id = ?"
    (given,) = checked.project.rows(query, winner["artifact_id"])[0]

    assert winner["overall"] == pytest.approx((given + 0.5 * (1 + 9 * score)) / 1.5)


def test_the_same_command_again_does_nothing(checked: _Checked) -> None:
    before = checked.requests()

    again = checked.project.acm("run", "--json")

    assert again.code == 0, again.err
    assert checked.requests() == before
    assert checked.project.number("select count(*) from runs") == 1


def test_a_changed_check_is_made_anew_and_no_text_is_written_again(
    checked: _Checked, tmp_path: Path
) -> None:
    before = checked.requests()
    length = {"type": "length", "max": 3}
    config = configs.small(
        checked.provider.url, runs=configs.runs(alpha=["m1", "m2"]), checks=[length]
    )
    checked.project.write("strict.yaml", json.dumps(config))

    end = checked.project.acm("run", "strict.yaml", "--json")

    assert end.code == 3
    (document,) = end.last["documents"]
    assert (document["state"], document["winner"]) == ("failed", None)
    assert document["reason"].startswith("no candidate passes the checks: 2 × length (")
    assert "only checks failed: change them or the instructions" in end.err
    assert checked.requests() == before


def test_texts_that_one_has_are_checked_before_they_are_judged(
    checked: _Checked, tmp_path: Path
) -> None:
    place = {"alpha": configs.provider(checked.provider.url, "j1")}
    config = {"providers": place, "judges": [configs.judge()], "checks": [CHECKS[0]]}
    project = Project(tmp_path / "judged", config, {})
    for number, words in enumerate((5, 40, 60)):
        project.write(f"texts/t{number}.md", "bee " * words)

    end = project.acm("judge", "texts", "--config", "config.yaml", "--by", "all", "--json")
    again = project.acm("rejudge", "--criteria", "clarity", "--json")

    for one in (end, again):
        assert one.code == 0, one.err
        (document,) = one.last["documents"]
        assert [failed["reason"] for failed in document["failed_checks"]] == [
            "5 words; at least 20"
        ]
        assert (document["artifacts"], document["evaluations"]) == (3, 2)


def test_where_no_text_that_one_has_passes_nothing_is_asked(
    checked: _Checked, tmp_path: Path
) -> None:
    place = {"alpha": configs.provider(checked.provider.url, "j1")}
    config = {"providers": place, "judges": [configs.judge()], "checks": [CHECKS[0]]}
    project = Project(tmp_path / "none", config, {})
    for number in range(2):
        project.write(f"texts/t{number}.md", "bee")
    before = checked.requests()

    end = project.acm("judge", "texts", "--config", "config.yaml", "--by", "all", "--json")

    assert end.code == 3
    assert end.last["documents"][0]["state"] == "failed"
    assert checked.requests() == before


def test_a_text_is_not_paid_again_if_the_process_dies_while_a_function_looks_at_it(
    checked: _Checked, tmp_path: Path
) -> None:
    sleeping = "import time\n\n\ndef check(text):\n    time.sleep(60)\n"
    check = {"type": "function", "source": sleeping, "timeout_seconds": 60}
    place = {"alpha": configs.provider(checked.provider.url, "slept", "j1")}
    config = configs.base(place, runs=configs.runs(alpha=["slept"]), checks=[check])
    project = Project(tmp_path / "killed", config, first(1))
    answered = (
        "select count(*) from calls join artifacts on artifact_id = unit_id"
        " where calls.state = 'done' and artifacts.state = 'claimed'"
    )

    with project.started("run") as command:
        wait_until(lambda: project.number(answered) == 1)
        command.send(signal.SIGKILL)
    with project.started("run") as command:
        wait_until(lambda: project.number("select count(*) from calls where cached") == 1)
        command.send(signal.SIGKILL)

    assert checked.requests()["slept"] == 1
