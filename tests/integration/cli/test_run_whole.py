"""A whole run by the ``acm`` command: five documents to winners, files, report and bill."""

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.simulator import Simulator
from tests.support.texts import TEXTS, first

_OUTPUT = re.compile(r"(?P<stem>.+)\.(fpf\.[1-8]|combine\.1)\.(?P<model>[ab]\d)\.[0-9a-z]{3}\.md")


class _Whole(NamedTuple):
    project: Project
    provider: Simulator
    plan: dict[str, Any]
    run: Outcome


def _config(url: str) -> dict[str, Any]:
    providers = {
        "alpha": configs.provider(url, "a1", "a2", max_in_flight=16),
        "beta": configs.provider(url, "b1", "b2", dialect="openai", max_in_flight=16),
    }
    variants = configs.runs(alpha=["a1", "a2"], beta=["b1", "b2"])
    return configs.base(
        providers,
        runs=[{**variant, "iterations": 2} for variant in variants],
        judges=[configs.judge("a2", iterations=2), configs.judge("b2", "beta", iterations=2)],
        pairwise={"strategy": "round_robin", "position_swap": "both"},
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Whole]:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path_factory.mktemp("whole"), _config(provider.url))
        planned = project.acm("plan", "--json")
        assert provider.stats()["requests"] == 0
        yield _Whole(project, provider, planned.last, project.acm("run", "--json"))


def test_every_document_has_a_winner_and_the_exit_code_is_0(whole: _Whole) -> None:
    assert whole.run.code == 0, whole.run.err
    found = {document["path"]: document for document in whole.run.last["documents"]}

    assert whole.run.last["state"] == "done"
    assert set(found) == set(TEXTS)
    for document in found.values():
        assert (document["state"], document["missing"]) == ("done", 0)
        assert document["winner"]["rank_score"] > 0


def test_a_winner_is_a_text_that_was_written_for_its_document(whole: _Whole) -> None:
    for document in whole.run.last["documents"]:
        stem = str(PurePosixPath(document["path"]).with_suffix(""))
        winners = whole.project.folder / "winners"
        about = json.loads((winners / f"{stem}.winner.json").read_bytes())
        output = whole.project.folder / "outputs" / document["winner"]["file"]

        assert (winners / f"{stem}.winner.md").read_bytes() == output.read_bytes()
        assert output.name.startswith(PurePosixPath(stem).name + ".")
        assert about["artifact_id"] == document["winner"]["artifact_id"]
    assert len(whole.project.files("winners")) == 2 * len(TEXTS)


def test_outputs_are_named_after_document_generator_number_and_model(whole: _Whole) -> None:
    names = [_OUTPUT.fullmatch(name) for name in whole.project.files("outputs")]
    stems = [name["stem"] for name in names if name]

    assert None not in names
    assert sorted(stems) == sorted(9 * [str(PurePosixPath(path).with_suffix("")) for path in TEXTS])


def test_plan_ledger_and_provider_agree_on_every_call(whole: _Whole) -> None:
    planned = whole.plan["likely"]["calls"]
    counted = whole.provider.stats()
    shown = whole.project.acm("show", "--json").last

    assert shown["calls"] == {"total": planned, "failed": 0, "cached": 0, "uncertain": 0}
    assert planned == counted["requests"] == 5 * (8 + 8 * 4 + 28 * 4 + 1 + 4 + 8 * 4)
    assert counted["by_status"] == {"200": planned}
    assert counted["answered_twice"] == 0
    assert shown == whole.run.last


def test_plan_and_result_agree_on_every_unit(whole: _Whole) -> None:
    units, documents = whole.plan["units"], whole.run.last["documents"]
    done = {kind: sum(document[kind] for document in documents) for kind in _KINDS}

    assert whole.plan["documents"] == len(documents)
    assert done["artifacts"] == units["generate"] + units["combine"]
    assert done["evaluations"] == units["score"]
    assert done["comparisons"] == units["compare"]


_KINDS = ("artifacts", "evaluations", "comparisons")


def test_the_bill_is_the_sum_of_the_tokens_at_their_prices(whole: _Whole) -> None:
    price, tokens = configs.PRICE, whole.provider.stats()["tokens"]
    rows = whole.project.rows("select input_tokens, cached_tokens, output_tokens from calls")
    cost = sum(
        (given - (kept or 0)) * price["input"]
        + (kept or 0) * price["cached"]
        + written * price["output"]
        for given, kept, written in rows
    )

    assert sum(row[0] for row in rows) == tokens["input"]
    assert sum(row[2] for row in rows) == tokens["output"]
    assert whole.run.last["usd"] == pytest.approx(cost / 1_000_000, abs=1e-9)
    assert whole.run.last["usd"] > 0


def test_the_report_names_every_document_and_winner(whole: _Whole) -> None:
    run_id = whole.run.last["run_id"]
    report = whole.project.folder / "reports" / run_id
    page = (report / "index.html").read_text("utf-8")

    assert {"rankings.csv", "results.json", "elo_summary.csv", "timeline_data.json"} <= {
        file.name for file in report.iterdir()
    }
    for document in whole.run.last["documents"]:
        assert document["path"] in page


def test_a_second_run_pays_nothing_says_why_and_brings_deleted_files_back(whole: _Whole) -> None:
    project, before = whole.project, whole.provider.stats()["requests"]
    outputs, winners = project.files("outputs"), project.files("winners")
    for name in sorted(outputs)[:3]:
        (project.folder / "outputs" / name).unlink()
    (project.folder / "winners" / "maps.winner.md").unlink()

    again = project.acm("run", "--json")
    told = project.acm("run", "--plain")

    assert (again.code, told.code) == (0, 0)
    assert whole.provider.stats()["requests"] == before
    assert again.last["calls"]["total"] == 0
    assert again.last["usd"] == 0
    for document in again.last["documents"]:
        assert document["state"] == "skipped"
        assert whole.run.last["run_id"] in document["reason"]
    assert "nothing to do" in told.out
    assert whole.run.last["run_id"] in told.out
    assert (project.files("outputs"), project.files("winners")) == (outputs, winners)


def test_without_skipping_everything_is_answered_from_the_ledger(tmp_path: Path) -> None:
    # Elo depends on the order of the answers, and so might the choice of the parents.
    changes: dict[str, Any] = {"skip": "never", "ranking": {"method": "score"}}
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url, **changes), first(2))
        paid = project.acm("run", "--json").last
        again = project.acm("run", "--json")
        requests = provider.stats()["requests"]

    assert again.code == 0, again.err
    assert again.last["run_id"] != paid["run_id"]
    assert paid["calls"]["total"] == requests == 2 * 13
    assert again.last["calls"] == {"total": 0, "failed": 0, "cached": 2 * 13, "uncertain": 0}
    assert again.last["usd"] == 0
    for old, new in zip(paid["documents"], again.last["documents"], strict=True):
        assert new["winner"]["overall"] == old["winner"]["overall"]
