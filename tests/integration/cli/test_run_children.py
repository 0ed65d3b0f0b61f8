"""Candidates that child processes write, beside others: files, bill, failures, ends."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acm_workers.processes import own_network
from tests.support import intercepting_proxy, process_ends, simulator
from tests.support.child_runs import SECRET, entry, environment, made
from tests.support.process_ends import gone
from tests.support.project import Outcome, Project, wait_until

_FAILING = {
    "crash": ("child_failed", "exit code 1: ValueError: no luck", 2),
    "quiet": ("child_failed", "exit code 0: it said nothing", 1),
    "empty": ("empty_answer", "no report", 2),
    "groundless": ("evidence_missing", "no source", 2),
    "limited": ("child_failed", "exit code 4: too many requests", 2),
}
"""By model: kind of the error, a part of it, and the number of children that were started."""


_TOLD = "select data from events where kind = 'child' order by event_id limit 1"


class _Done(NamedTuple):
    project: Project
    end: Outcome
    stats: dict[str, Any]

    def child(self, model: str) -> dict[str, Any]:
        """Return what is kept of the child of a model."""
        (row,) = self.project.rows("select child from artifacts where model = ?", model)
        kept: dict[str, Any] = json.loads(row[0])
        return kept


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Done]:
    folder = tmp_path_factory.mktemp("children")
    entries = [
        entry("fpf", "m1"),
        entry("gptr", "m2", iterations=2),
        entry("dr", "m3"),
        *(entry("ma", model) for model in _FAILING),
    ]
    with simulator.running(latency_s=0.02) as provider:
        project = made(folder / "project", provider.url, *entries)
        end = project.acm("run", "--json", env=environment(folder / "gptr"))
        yield _Done(project, end, provider.stats())


def test_reports_are_judged_and_ranked_beside_other_texts(done: _Done) -> None:
    assert done.end.code == 0, done.end.err
    (document,) = done.end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (4, len(_FAILING))
    assert (document["evaluations"], document["comparisons"]) == (4, 12)


def test_the_bill_is_the_providers(done: _Done) -> None:
    sums = "count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd)"
    (own,) = done.project.rows(f"select {sums} from calls where not cached")  # noqa: S608

    tokens = done.stats["tokens"]
    assert own[:3] == (done.stats["requests"], tokens["input"], tokens["output"])
    assert own[3] == pytest.approx((tokens["input"] + 4 * tokens["output"]) / 1e6)
    assert done.end.last["usd"] == pytest.approx(own[3])


def test_files_are_numbered_by_generator_and_reports_have_their_office_file(done: _Done) -> None:
    names = done.project.files("outputs")

    kinds = sorted(
        name.split(".", 1)[1].rsplit(".", 2)[0] for name in names if name.endswith(".md")
    )
    assert kinds == ["dr.1.m3", "fpf.1.m1", "gptr.1.m2", "gptr.2.m2"]
    assert sorted(name.split(".")[1] for name in names if name.endswith(".docx")) == [
        "dr", "gptr", "gptr"
    ]  # fmt: skip
    assert sum(name.endswith(".failed.json") for name in names) == len(_FAILING)


@pytest.mark.parametrize("model", _FAILING)
def test_a_failure_keeps_reason_exit_code_output_and_cost(done: _Done, model: str) -> None:
    kind, part, attempts = _FAILING[model]
    (file,) = [name for name in done.project.files("outputs") if f".{model}." in name]
    about = json.loads((done.project.folder / "outputs" / file).read_text())

    assert (about["kind"], about["child"]["attempts"]) == (kind, attempts)
    assert part in about["reason"]
    assert "OPENAI_BASE_URL" in about["child"]["stdout"]
    spent = done.project.rows(
        "select sum(cost_usd) from calls where unit_id = ?", about["artifact_id"]
    )
    assert about["child"]["cost_usd"] == pytest.approx(spent[0][0])


def test_answers_are_used_again_only_where_they_can_lead_elsewhere(done: _Done) -> None:
    used = {model: done.child(model)["reused"] for model in _FAILING}

    assert used == {"crash": 0, "quiet": 0, "empty": 0, "groundless": 0, "limited": 2}


def test_no_child_sees_a_real_key(done: _Done) -> None:
    for model in ("m3", *_FAILING):
        child = done.child(model)
        assert "OPENAI_API_KEY" in child["stdout"]
        assert "arguments: [" in child["stdout"]
        assert SECRET not in json.dumps(child)
    for file in done.project.folder.rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes(), file


def test_children_have_a_network_of_their_own_where_that_is_possible(done: _Done) -> None:
    for model in ("m3", *_FAILING):
        devices = done.child(model)["stdout"].rpartition("devices: ")[2].strip()
        assert (devices == "['lo']") is (own_network.why_not() is None)


def test_sources_and_progress_are_kept_for_the_report(done: _Done) -> None:
    child = done.child("m3")

    (source,) = child["sources"]
    assert source["url"].endswith("bees.md")
    assert [step["name"] for step in child["steps"]] == ["searching", "writing"]
    assert (child["calls"], child["searches"], child["exit_code"]) == (2, 1, 0)
    query = "select data from events where kind = 'child' and document_id is not null"
    told = [json.loads(data) for (data,) in done.project.rows(f"{query} order by event_id")]
    assert {one["generator"] for one in told} == {"gptr", "dr", "ma"}
    # A later step is told as well if it comes two seconds after this one.
    deep = next(one for one in told if one["generator"] == "dr" and "calls" in one)
    assert (deep["step"], deep["calls"], deep["searches"]) == ("searching", 1, 1)
    assert deep["peak_rss_bytes"] == 25_000_000
    (page,) = (done.project.folder / "reports").glob("*/index.html")
    assert source["url"] in page.read_text()
    types = {
        record["report_type"]
        for record in json.loads((page.parent / "timeline_data.json").read_text())["records"]
    }
    assert {"FPF rest", "GPTR", "DR", "MA"} <= types


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_child_outlives_its_worker_and_a_resumed_one_pays_only_new_calls(
    tmp_path: Path, how: signal.Signals
) -> None:
    env = environment(tmp_path / "gptr")
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url) as held,
    ):
        project = made(tmp_path / "project", held.url, entry("gptr", "slow"))
        held.hold("Plan: ")  # the second call of the child
        with project.started("run", "--json", env=env) as command:
            wait_until(
                lambda: (
                    project.number("select count(*) from calls where state = 'started'")
                    and project.number("select count(*) from calls where state = 'done'")
                    and project.rows(_TOLD)
                )
            )
            (told,) = project.rows(_TOLD)
            pids = [int(pid) for pid in json.loads(told[0])["detail"].split()]
            with process_ends.recorded(command.pid, *pids) as ends_s:
                command.send(how)
                if how != signal.SIGKILL:
                    held.open()
                worker_s, *children_s = ends_s()
            command.end()
        assert max(children_s) - worker_s <= 2.0
        assert all(map(gone, pids))
        held.open()
        end = project.acm("run", "--json", env=env)
        stats = provider.stats()

    assert end.code == 0, end.err
    assert os.environ.get("ALPHA_KEY") is None
    (child,) = project.rows("select child from artifacts")
    assert json.loads(child[0])["reused"] >= 1
    # The child asks twice, the judge once; what was in flight when the worker died is asked again.
    assert stats["requests"] <= 4
