"""Candidates that FilePromptForge writes, beside others: results, faults, bill, plan, doctor."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, fake_forge, simulator
from tests.support.process_ends import gone
from tests.support.project import Outcome, Project, wait_until
from tests.support.texts import first

_WRITTEN = {
    "good": 1,
    "garbage": 1,
    "arrayless": 1,
    "unpriced": 1,
    "strange": 1,
    "foreign": 1,
    "dying": 2,
    "ungrounded": 2,
    "reporting-neither": 2,
    "odd": 2,
}
"""By model: the number of processes that its text takes."""

_FAILING = {
    "stubborn-ungrounded": ("evidence_missing", "(code 1)", 4),
    "stubborn-thoughtless": ("evidence_missing", "(code 2)", 4),
    "stubborn-reporting-neither": ("evidence_missing", "missing both (code 3)", 4),
    "stubborn-odd": ("evidence_missing", "(code 4)", 4),
    "reported-stubborn": ("evidence_missing", "missing grounding (code 1)", 4),
    "always-dying": ("child_failed", "SIGKILL", 2),
    "erring": ("child_failed", "HTTP 400 no such model", 1),
    "hollow": ("empty_answer", "empty file", 1),
    "mute": ("child_failed", "gave no result", 1),
    "elsewhere": ("child_failed", "not there", 1),
    "leaking": ("child_failed", "exit code 5", 1),
}
"""By model: kind of the error, a part of it, and the number of processes."""


def _entry(model: str, **more: Any) -> dict[str, Any]:
    return {"type": "fpf", "engine": "external", "provider": "openai", "model": model, **more}


def _project(folder: Path, url: str, *entries: dict[str, Any], **more: Any) -> Project:
    config = configs.base(
        {"alpha": configs.provider(url, "m1", "j1")},
        runs=list(entries),
        playoffs={"enabled": False},
        **more,
    )
    return Project(folder / "project", config, first(1))


class _Done(NamedTuple):
    project: Project
    forge: Path
    end: Outcome

    def calls(self, model: str) -> list[dict[str, Any]]:
        """Return the calls of a model."""
        names = ("state", "cached", "cost_usd", "input_tokens", "output_tokens", "price")
        query = f"select {', '.join(names)} from calls where model = ? order by call_id"  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in self.project.rows(query, model)]

    def asked(self, model: str) -> list[dict[str, Any]]:
        """Return what FilePromptForge was asked for a model, in order."""
        files = sorted((self.forge / "asked").glob(f"{model}-0*.json"))
        return [json.loads(file.read_text()) for file in files]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Done]:
    folder = tmp_path_factory.mktemp("external")
    forge = fake_forge.install(folder / "FilePromptForge")
    entries = [
        {"type": "fpf", "provider": "alpha", "model": "m1"},
        *(_entry(model) for model in (*_WRITTEN, *_FAILING)),
    ]
    with simulator.running() as provider:
        project = _project(folder, provider.url, *entries, pairwise={"enabled": False})
        yield _Done(project, forge, project.acm("run", "--json"))


def test_its_texts_are_judged_beside_others_and_found_beside_the_folder_by_default(
    done: _Done,
) -> None:
    assert done.end.code == 0, done.end.err
    (document,) = done.end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (1 + len(_WRITTEN), len(_FAILING))
    names = [name for name in done.project.files("outputs") if ".good." in name]
    (text,) = [done.project.folder / "outputs" / name for name in names]
    assert text.read_text().startswith("# A text by good")


@pytest.mark.parametrize("model", _WRITTEN)
def test_a_text_is_salvaged_whatever_its_process_said_otherwise(done: _Done, model: str) -> None:
    asked = done.asked(model)

    assert len(asked) == _WRITTEN[model]
    (state,) = done.project.rows("select state from artifacts where model = ?", model)
    assert state == ("done",)
    hinted = ["could not be used" in one["asked"] or "was seen" in one["asked"] for one in asked]
    if model != "dying":
        assert hinted == [number > 0 for number in range(len(asked))]


@pytest.mark.parametrize("model", _FAILING)
def test_a_failure_keeps_its_reason_and_what_was_printed(done: _Done, model: str) -> None:
    kind, part, processes = _FAILING[model]
    (file,) = [name for name in done.project.files("outputs") if f".{model}." in name]
    about = json.loads((done.project.folder / "outputs" / file).read_text())

    assert (about["kind"], about["child"]["attempts"]) == (kind, processes), about["reason"]
    assert part in about["reason"]
    assert "[FPF RUN_START]" in about["child"]["stderr"]
    assert about["child"]["cost_usd"] is None
    assert len(done.asked(model)) == processes


def test_a_cost_is_what_it_states_and_else_unknown(done: _Done) -> None:
    (good,), (unpriced,) = done.calls("good"), done.calls("unpriced")
    tokens = (fake_forge.USAGE["prompt_tokens"], fake_forge.USAGE["completion_tokens"])

    assert (good["state"], good["cost_usd"], good["price"]) == (
        "done", fake_forge.COST_USD, "FilePromptForge"
    )  # fmt: skip
    assert (good["input_tokens"], good["output_tokens"]) == tokens
    assert (unpriced["state"], unpriced["cost_usd"]) == ("done", None)
    for model in _FAILING:
        states = {(call["state"], call["cost_usd"]) for call in done.calls(model)}
        assert states == {("uncertain", None)}


def test_it_gets_its_own_environment_and_no_key_of_it_is_kept(done: _Done) -> None:
    (asked,) = done.asked("good")

    assert not [name for name in asked["environment"] if name.startswith("ACM_D")]
    assert fake_forge.SECRET not in json.dumps(
        [done.project.rows("select child, error from artifacts"), done.end.err]
    )
    (child,) = done.project.rows("select child from artifacts where model = 'leaking'")
    assert "[key]" in json.loads(child[0])["stderr"]


def test_the_report_tells_of_its_processes(done: _Done) -> None:
    (page,) = (done.project.folder / "reports").glob("*/index.html")

    assert "attempt 1/2" in page.read_text()
    logs = [file.read_text() for file in page.parent.glob("acm_subproc_*.log")]
    assert len(logs) == len(_WRITTEN) + len(_FAILING)
    assert all("[FPF RUN_START]" in log for log in logs)
    records = json.loads((page.parent / "timeline_data.json").read_text())["records"]
    assert [one["model"] for one in records if one["result"] == "success"].count("good") == 1


def test_a_second_run_pays_nothing_for_texts_that_are_known(done: _Done) -> None:
    before = len(list((done.forge / "asked").iterdir()))
    config = done.project.folder / "config.yaml"
    text = config.read_text()
    only = text[: text.index("runs:")]
    rest = text[text.index("judges:") :]
    (done.project.folder / "second.yaml").write_text(
        f"{only}runs: [{json.dumps(_entry('good'))}]\n{rest}\nskip: never\n"
    )
    end = done.project.acm("run", "second.yaml", "--json")

    assert end.code == 0, end.err
    assert len(list((done.forge / "asked").iterdir())) == before
    assert [call["cached"] for call in done.calls("good")] == [0, 1]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_of_it_outlives_the_command(tmp_path: Path, how: signal.Signals) -> None:
    fake_forge.install(tmp_path / "FilePromptForge")
    with simulator.running() as provider:
        project = _project(tmp_path, provider.url, _entry("hanging"))
        with project.started("run", "--json") as command:
            wait_until(lambda: "attempt 1/2" in json.dumps(project.rows("select data from events")))
            pids = _processes(os.fsencode(tmp_path / "FilePromptForge"))
            assert pids
            command.send(how)
            wait_until(lambda: all(map(gone, pids)))
            command.end()


def _processes(word: bytes) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def test_a_hanging_one_is_ended_at_its_deadline(tmp_path: Path) -> None:
    forge = fake_forge.install(tmp_path / "elsewhere")
    with simulator.running() as provider:
        fpf = {"path": str(forge), "timeout_seconds": 2}
        project = _project(tmp_path, provider.url, _entry("hanging"), fpf=fpf)
        end = project.acm("run", "--json")

    assert end.code == 3
    (error,) = project.rows("select error from artifacts")
    assert "did not end within its time" in error[0]


def test_plan_and_doctor_say_what_is_known_and_what_is_missing(tmp_path: Path) -> None:
    forge = fake_forge.install(tmp_path / "FilePromptForge")
    with simulator.running() as provider:
        project = _project(tmp_path, provider.url, _entry("good", iterations=2))
        plan = project.acm("plan", "--json")
        (forge / "providers").rmdir()
        broken = [project.acm(name) for name in ("plan", "doctor", "run")]
        project.configure({**_config(project), "budget_usd": 1})
        budget = project.acm("plan")

    (line,) = [one for one in plan.last["lines"] if one["stage"] == "generate"]
    assert (line["likely"]["calls"], line["most"]["calls"], line["likely"]["usd"]) == (2, 10, None)
    assert plan.last["most"]["usd"] is None
    assert [end.code for end in broken] == [2, 2, 2]
    for end in broken:
        assert "no checkout of FilePromptForge: it has no providers" in end.out + end.err
    assert "budget_usd cannot hold with engine: external" in budget.err


def _config(project: Project) -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load((project.folder / "config.yaml").read_text())
    return found
