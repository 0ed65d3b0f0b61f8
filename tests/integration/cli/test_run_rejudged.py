"""Judging the texts of a run again: no text is written, and both rankings are shown."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from schemas.units import candidate_name
from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.simulator import Simulator
from tests.support.texts import first

_DOCUMENTS = 2


class _Judged(NamedTuple):
    """A run, and the same texts judged by another judge.

    Attributes:
        asked: Requests of the second run.
    """

    project: Project
    provider: Simulator
    run: Outcome
    again: Outcome
    asked: int


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Judged]:
    with simulator.running(latency_s=0.02) as provider:
        alpha = configs.provider(provider.url, "m1", "m2", "j1", "j2")
        config = configs.base(
            {"alpha": alpha}, pairwise={"strategy": "round_robin", "position_swap": "both"}
        )
        project = Project(tmp_path_factory.mktemp("judged"), config, first(_DOCUMENTS))
        run = project.acm("run", "--json")
        before = provider.stats()["requests"]
        again = project.acm("rejudge", "--judges", "alpha:j2", "--json")
        yield _Judged(project, provider, run, again, provider.stats()["requests"] - before)


def test_a_run_is_judged_again_without_writing_anything(judged: _Judged) -> None:
    assert judged.again.code == 0, judged.again.err
    stages = judged.project.rows(
        "select distinct unit_kind, model from calls where run_id = ?", judged.again.last["run_id"]
    )

    assert sorted(stages) == [("comparison", "j2"), ("evaluation", "j2")]
    # 3 iterations are a judge's default: 2 candidates and the combined one, and every pair twice.
    assert judged.asked == _DOCUMENTS * (2 * 3 + 2 * 1 + 2 + 4)


def test_the_bill_holds_the_judging_alone(judged: _Judged) -> None:
    project, result = judged.project, judged.again.last
    paid = project.rows("select sum(cost_usd) from calls where run_id = ?", result["run_id"])

    assert result["calls"]["total"] == judged.asked
    assert result["usd"] == pytest.approx(paid[0][0])
    assert result["expected"]["calls"] == judged.asked


def test_candidates_are_the_same_texts_and_name_where_they_come_from(judged: _Judged) -> None:
    ids = judged.run.last["run_id"], judged.again.last["run_id"]
    query = "select artifact_id, text, generator, taken_from, file from artifacts where run_id = ?"
    old = {row[0]: row[1:] for row in judged.project.rows(query, ids[0])}
    new = judged.project.rows(query, ids[1])

    assert len(new) == len(old) == _DOCUMENTS * 3
    for _, text, generator, origin, file in new:
        assert (text, generator, None, file) == old[origin]
    assert judged.project.rows("select rejudged_from from runs order by run_id") == [
        (None,),
        (ids[0],),
    ]


def test_both_rankings_are_told_side_by_side(judged: _Judged) -> None:
    changes = judged.again.last["changes"]
    old = {document["path"]: document["winner"] for document in judged.run.last["documents"]}
    new = {document["path"]: document["winner"] for document in judged.again.last["documents"]}

    assert [change["path"] for change in changes] == sorted(old)
    for change in changes:
        was, now = old[change["path"]], new[change["path"]]
        moves = change["moves"]
        assert [move["new"]["rank"] for move in moves] == [1, 2, 3]
        assert sorted(move["old"]["rank"] for move in moves) == [1, 2, 3]
        assert change["old_winner"] == candidate_name(was["generator"], was["number"], was["model"])
        assert change["new_winner"] == candidate_name(now["generator"], now["number"], now["model"])
        assert change["winner_changed"] == (change["old_winner"] != change["new_winner"])
        assert change["why"]


def test_the_earlier_winners_stay_and_the_new_run_has_a_report(judged: _Judged) -> None:
    run_id, again = judged.run.last["run_id"], judged.again.last["run_id"]
    winners = judged.project.folder / "winners"

    abouts = [json.loads(file.read_bytes()) for file in winners.rglob("*.winner.json")]
    assert {about["run_id"] for about in abouts} == {run_id}
    assert (judged.project.folder / "reports" / again / "index.html").is_file()
    assert len(judged.project.files("outputs")) == _DOCUMENTS * 3


def test_the_same_judge_is_not_asked_and_not_paid_again(judged: _Judged) -> None:
    before = judged.provider.stats()["requests"]
    told = judged.project.acm("rejudge", judged.run.last["run_id"], "--judges", "alpha:j1")
    again = judged.project.acm("rejudge", "--judges", "alpha:j2", "--json")
    chained = judged.project.acm("rejudge", judged.again.last["run_id"], "--judges", "alpha:j2")
    listed = judged.project.acm("list", "--json").last["runs"]

    assert (told.code, again.code, chained.code) == (0, 0, 0), told.err + again.err
    assert again.last["rejudged_from"] == judged.run.last["run_id"]
    assert judged.provider.stats()["requests"] == before
    assert "cost $0.00" in told.out
    assert "wins as before" in told.out
    assert len(listed) == 2 + 3


def test_criteria_may_be_others_and_judges_stay(judged: _Judged) -> None:
    judged.project.write("mine.yaml", "{min: 1, max: 5, criteria: [wit, clarity]}")
    run_id = judged.run.last["run_id"]

    told = judged.project.acm("rejudge", run_id, "--criteria", "mine.yaml", "--json")

    assert told.code == 0, told.err
    rows = judged.project.rows(
        "select criteria_scores, judge from eval_results where run_id = ?", told.last["run_id"]
    )
    assert {judge for _, judge in rows} == {"alpha:j1"}
    for scores, _ in rows:
        given = json.loads(scores)
        assert set(given) == {"wit", "clarity"}
        assert all(1 <= score <= 5 for score in given.values())
    assert all(
        "The criteria differ, so scores cannot be compared with the earlier ones." in one["why"]
        for one in told.last["changes"]
    )


def test_another_config_may_judge(judged: _Judged) -> None:
    alpha = configs.provider(judged.provider.url, "m1", "m2", "j2")
    other = configs.base(
        {"alpha": alpha}, judges=[configs.judge("j2", name="strict")], pairwise={"enabled": False}
    )
    judged.project.write("other.yaml", json.dumps(other))

    run_id = judged.run.last["run_id"]
    told = judged.project.acm("rejudge", run_id, "--config", "other.yaml", "--json")

    assert told.code == 0, told.err
    assert all(one["comparisons"] == 0 for one in told.last["documents"])
    assert all(one["evaluations"] == 2 + 2 for one in told.last["documents"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name other judges or criteria: --judges, --criteria or --config"),
        (["--judges", "aplha:j2"], "unknown provider aplha; did you mean alpha?"),
        (["--criteria", "none.yaml"], "--criteria: none.yaml does not exist"),
        (["--config", "none.yaml"], "none.yaml does not exist"),
    ],
)
def test_a_mistake_is_told_in_one_line_before_anything_is_paid(
    judged: _Judged, arguments: list[str], message: str
) -> None:
    before = judged.provider.stats()["requests"]

    told = judged.project.acm("rejudge", *arguments)

    assert (told.code, len(told.err.splitlines())) == (2, 1), told.err
    assert message in told.err
    assert judged.provider.stats()["requests"] == before


def test_winners_are_told_by_the_folder_that_holds_them_and_by_the_run_that_they_are_of(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "project"
    with simulator.running(latency_s=0.02) as provider:
        alpha = configs.provider(provider.url, "m1", "m2", "j1", "j2")
        config = configs.base({"alpha": alpha}, winners_folder="best")
        project = Project(folder, config, first(1))
        run_id = project.acm("run", "--json").last["run_id"]
        again = project.acm("rejudge", "--judges", "alpha:j2", "--plain")
        shown = project.acm("show")
        shutil.rmtree(folder / "best")
        later = project.acm("rejudge", "--judges", "alpha:m1", "--plain")
        project.acm("export", run_id, "--to", "../elsewhere")
        exported = project.acm("show", run_id)

    assert (again.code, later.code) == (0, 0), again.err + later.err
    assert f"{folder / 'best'} still has winners of run {run_id}; `acm export " in again.out
    assert "winners:" not in shown.out
    assert "still has" not in later.out
    assert f"writes its winners to {folder / 'best'}" in later.out
    assert f"winners: {tmp_path / 'elsewhere' / 'winners'}\n" in exported.out
    assert f"report: {tmp_path / 'elsewhere' / 'reports'}" in exported.out


def test_a_run_that_went_wrong_is_judged_as_far_as_it_came(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"runs": configs.runs(alpha=["m1", "m2@O7"])}
    with simulator.running(latency_s=0.02) as provider:
        config = configs.small(provider.url, **changes)
        project = Project(tmp_path, config, first(1))
        project.acm("run", "--json")
        told = project.acm("rejudge", "--judges", "alpha:m1")
        resumed = project.acm("resume", "--failed")
        written = project.number(
            "select count(*) from calls where unit_kind = 'artifact' and run_id ="
            " (select max(run_id) from runs)"
        )

    assert told.code == 0, told.err
    assert "left out because not written: 1 planned candidate" in told.out
    assert "m1 #1 *" in told.out
    assert resumed.code == 2
    assert written == 0
