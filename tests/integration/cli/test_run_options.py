"""Options of `acm run` that choose documents, values, a budget, keys and a browser."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_DONE = "select count(*) from eval_results where state = 'done'"
_CONFIG = "select config from runs order by run_id"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.01) as running:
        yield running


def test_only_named_documents_are_run_and_the_rest_later(
    tmp_path: Path, provider: Simulator
) -> None:
    texts = first(3)
    name, *others = sorted(texts)
    project = Project(tmp_path, configs.small(provider.url), texts)

    planned = project.acm("plan", "--only", name, "--json")
    one = project.acm("run", "--only", name, "--json")
    again = project.acm("run", "--only", name, "--json")
    rest = project.acm("run", "--json")
    unknown = project.acm("run", "--only", name[:-1])

    assert planned.last["documents"] == 1
    assert [document["path"] for document in one.last["documents"]] == [name]
    assert again.last["calls"]["total"] == 0
    states = {document["path"]: document["state"] for document in rest.last["documents"]}
    assert states == {name: "skipped", **dict.fromkeys(others, "done")}
    assert unknown.code == 2
    assert f"did you mean {name}?" in unknown.err


def test_an_interrupted_run_of_some_documents_goes_on_with_these(
    tmp_path: Path, provider: Simulator
) -> None:
    texts = first(2)
    name = min(texts)
    with intercepting_proxy.holding(provider.url, '"m1"') as held:
        project = Project(tmp_path, configs.small(held.url), texts)
        with project.started("run", "--only", name, "--set", "seed=3", "--json") as command:
            wait_until(lambda: command.ended or project.number(_DONE))  # and then it is killed
        held.open()
        resumed = project.acm("resume", "--json")

    ((config,),) = project.rows(_CONFIG)
    assert resumed.code == 0, resumed.err
    assert [document["path"] for document in resumed.last["documents"]] == [name]
    assert json.loads(config)["seed"] == 3
    report = (project.folder / "reports" / resumed.last["run_id"] / "index.html").read_text()
    assert "seed" in report


def test_values_and_budget_of_options_are_those_of_the_stored_run(
    tmp_path: Path, provider: Simulator
) -> None:
    project = Project(tmp_path, configs.small(provider.url), first(1))

    ran = project.acm("run", "--set", "pairwise.enabled=false", "--set", "playoffs.enabled=false",
                      "--budget", "3", "--json")  # fmt: skip
    shown = project.acm("plan", "--set", "seed=3", "--show-config", "--json")
    refused = project.acm("run", "--set", "pairwise.enabld=false")
    poor = project.acm("run", "--budget", "0")

    ((config,),) = project.rows(_CONFIG)
    assert ran.code == 0, ran.err
    assert json.loads(config)["budget_usd"] == 3
    assert not json.loads(config)["pairwise"]["enabled"]
    assert shown.last["seed"] == {"value": 3, "origin": "--set seed"}
    assert (refused.code, poor.code) == (2, 2)
    assert refused.err == (
        "acm: --set pairwise.enabld: unknown key enabld in pairwise; did you mean enabled?\n"
    )
    assert poor.err == "acm: --budget: budget_usd must be above 0, not 0.0\n"


def test_keys_come_from_the_file_beside_the_config_and_go_nowhere_else(
    tmp_path: Path, provider: Simulator
) -> None:
    config = configs.small(provider.url)
    config["providers"]["alpha"]["key_env"] = "ALPHA_KEY"
    project = Project(tmp_path, config, first(1))

    without = project.acm("run", "--json")
    project.write(".env", "ALPHA_KEY=sk-in-a-file-7391\nACM_LOG_LEVEL=debug\n")
    ran = project.acm("run", "--json")

    assert without.code == 2
    assert "ALPHA_KEY" in without.err
    assert ran.code == 0, ran.err
    assert "ACM_LOG_LEVEL not taken" in ran.err
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != ".env"]
    assert not [file for file in files if b"sk-in-a-file-7391" in file.read_bytes()]


def test_the_report_is_opened_or_its_place_is_named(tmp_path: Path, provider: Simulator) -> None:
    project = Project(tmp_path, configs.small(provider.url), first(1))
    browser = project.write("browser", '#!/bin/sh\necho "$1" > opened\n')
    browser.chmod(0o755)

    ran = project.acm("run", "--open", env={"BROWSER": str(browser)})
    without = project.acm("run", "--open", env={"BROWSER": str(tmp_path / "none")})

    (report,) = (tmp_path / "reports").glob("*/index.html")
    assert (ran.code, without.code) == (0, 0), ran.err
    assert (tmp_path / "opened").read_text() == f"{report.as_uri()}\n"
    assert f"no browser was found here; open {report}" in without.out


def test_export_in_a_copied_folder_asks_where_to_write(tmp_path: Path, provider: Simulator) -> None:
    project = Project(tmp_path / "first", configs.small(provider.url), first(1))
    ran = project.acm("run", "--json")
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    shutil.rmtree(tmp_path / "first" / "winners")
    copied = Project(tmp_path / "copy", configs.small(provider.url), first(1))

    here = project.acm("export")
    shutil.rmtree(tmp_path / "first" / "winners")
    asked, told = copied.acm("export"), copied.acm("export", "--to", "there")

    assert ran.code == here.code == told.code == 0, ran.err
    assert f"1 winner written into {tmp_path}/first/winners" in here.out
    assert asked.code == 2
    assert f"was started in {tmp_path}/first, and its folders are there" in asked.err
    assert "--to ." in asked.err
    assert f"1 winner written into {tmp_path}/copy/there/winners" in told.out
    assert not (tmp_path / "first" / "winners").exists()


def test_a_run_without_a_report_writes_texts_and_winners_and_can_report_later(
    tmp_path: Path, provider: Simulator
) -> None:
    config = configs.small(provider.url, report=False, ranking={"top_n": None})
    project = Project(tmp_path, config, first(1))

    ran = project.acm("run")
    again = project.acm("run")
    followed = project.acm("follow")
    exported = project.acm("export")
    none = [*(tmp_path / "reports").glob("*/*.html")]
    reported = project.acm("report")

    assert (ran.code, again.code, followed.code, exported.code) == (0, 0, 0, 0), ran.err
    assert "report:" not in ran.out + again.out + followed.out
    assert "no report (report: false)" in exported.out
    assert none == []
    assert [*(tmp_path / "winners").rglob("*.winner.md")]
    assert Path(reported.out.strip()).is_file()


def test_candidates_in_json_follow_their_schema_and_are_judged(
    tmp_path: Path, provider: Simulator
) -> None:
    schema = {
        "type": "object", "additionalProperties": False, "required": ["title", "pages"],
        "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}},
    }  # fmt: skip
    writer = {"type": "fpf", "provider": "alpha", "json": True, "schema": "schema.json"}
    config = configs.small(
        provider.url,
        runs=[writer | {"model": model} for model in ("m1", "m2")],
        playoffs={"enabled": False},
    )
    project = Project(tmp_path, config, first(1))
    project.write("schema.json", json.dumps(schema))

    ran = project.acm("run", "--json")
    again = project.acm("run", "--json")

    assert (ran.code, again.code, again.last["calls"]["total"]) == (0, 0, 0), ran.err
    written = [*(tmp_path / "outputs").rglob("*.json")]
    assert [sorted(json.loads(one.read_text())) for one in written] == [["pages", "title"]] * 2
    (winner,) = (tmp_path / "winners").rglob("*.winner.md")
    assert winner.read_text() in {one.read_text() for one in written}


def test_a_pipeline_is_told_by_exit_code_5_that_a_winner_is_not_good_enough(
    tmp_path: Path, provider: Simulator
) -> None:
    texts = first(1)
    project = Project(tmp_path, configs.small(provider.url), texts)

    missed = project.acm("run", "--fail-under", "10.5", "--json")
    again = project.acm("run", "--fail-under", "10.5", "--fail-unsure", "0")
    passed = project.acm("run", "--fail-under", "1", "--fail-unsure", "0", "--json")

    score = missed.last["documents"][0]["winner"]["overall"]
    assert (missed.code, again.code, passed.code) == (5, 5, 0), missed.err
    assert f"{min(texts)}: score {score:.2f} is below 10.5" in missed.err
    assert "P(best)" not in again.err
