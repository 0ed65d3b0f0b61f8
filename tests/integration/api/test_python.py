"""The Python API: a run from texts, a run from a config file, and the page that explains it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acm_api
from tests.support import api_server, configs, intercepting_proxy, simulator
from tests.support.project import Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_PAGE = Path(__file__).parents[3] / "ops" / "docs" / "python.md"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


def values(url: str) -> dict[str, Any]:
    found = configs.small(url)
    for name in ("input_folder", "output_folder", "instructions_file"):
        del found[name]
    return found


def test_a_run_from_texts_ends_with_winners_scores_and_the_exact_bill(
    tmp_path: Path, provider: Simulator
) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    texts, events = first(2), list[acm_api.RunEvent]()
    given: dict[str, Any] = {"documents": texts, "instructions": "Write.", "home": tmp_path}
    before = provider.stats()["requests"]

    planned = acm_api.plan(values(provider.url), documents=texts, instructions="Write.")
    found = acm_api.run(values(provider.url), on_event=events.append, **given)
    sent = provider.stats()["requests"] - before
    again = acm_api.run(values(provider.url), **given)

    assert found.state == "done"
    assert found.winners.keys() == texts.keys()
    assert planned.likely.calls == found.summary.calls.total == sent == 26
    assert found.usd is not None
    assert len(found.candidates) == 6
    assert {one.rank for one in found.candidates} == {1, 2, 3}
    assert len(found.verdicts) == 12
    assert {one.criterion for one in found.scores} == set(found.candidates[0].criteria)
    stored = [event.id for event in events if event.id is not None]
    assert stored == sorted(set(stored))
    assert [event.kind for event in events if event.id is not None][-1] == "run_finished"
    assert again.winners == found.winners
    assert again.summary.calls.total == 0
    assert acm_api.results(found.run_id, home=tmp_path).candidates == found.candidates
    assert len(found.to_pandas()) == 6
    assert "<table>" in found._repr_html_()
    assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert not list(tmp_path.glob("outputs*"))


def test_a_run_from_a_config_file_writes_the_files_of_acm_run(
    tmp_path: Path, provider: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path, configs.small(provider.url), first(1))
    monkeypatch.delenv("ACM_HOME", raising=False)

    found = acm_api.run(project.folder / "config.yaml", home=project.folder / ".acm")

    assert found.state == "done"
    winners = [path.read_text() for path in (project.folder / "winners").rglob("*.md")]
    assert winners == list(found.winners.values())
    assert project.acm("run", "--json").last["calls"]["total"] == 0


def test_texts_that_are_there_are_judged_and_none_is_written(
    tmp_path: Path, provider: Simulator
) -> None:
    own = values(provider.url)
    before = provider.stats()["by_model"].get("m1", 0)

    found = acm_api.judge_texts(
        {"a.md": ["A short text.", "A longer text with more in it."]},
        judges=[{"provider": "alpha", "model": "j1"}],
        criteria=["clarity"],
        config={"providers": own["providers"]},
        home=tmp_path,
    )

    assert found.state == "done"
    assert {one.model for one in found.candidates} == {"text 1", "text 2"}
    assert {one.criterion for one in found.scores} == {"clarity"}
    assert found.winners.keys() == {"a.md"}
    assert provider.stats()["by_model"].get("m1", 0) == before
    with pytest.raises(acm_api.RequestError):
        acm_api.judge_texts({"a.md": []}, home=tmp_path)


def test_a_program_that_is_killed_leaves_nothing_that_goes_on_paying(
    tmp_path: Path, provider: Simulator
) -> None:
    code = "import acm_api, json, sys; acm_api.run(**json.loads(sys.argv[1]))"
    with intercepting_proxy.holding(provider.url, '"m1"') as held:
        given = {"config": values(held.url), "documents": first(1), "instructions": "Write."}
        about = json.dumps(given | {"home": str(tmp_path)})
        with subprocess.Popen([sys.executable, "-c", code, about]) as program:
            try:
                wait_until(lambda: _sent(tmp_path))
            finally:
                program.kill()
        held.open()
        wait_until(lambda: _is_idle(tmp_path))
        left = acm_api.results(home=tmp_path)
        again = acm_api.run(**given, home=tmp_path)  # type: ignore[arg-type]

    assert left.state == "running"
    assert again.state == "done"
    assert again.summary.calls.uncertain == 0


def _sent(home: Path) -> int:
    try:
        return acm_api.results(home=home).summary.calls.total
    except acm_api.NotFound:  # neither store nor run are there yet
        return 0


def _is_idle(home: Path) -> bool:
    from acm_api.files import locks
    from acm_workers.store.connection.database import Database

    database = Database(f"sqlite:///{home / 'acm.db'}")
    idle = locks.is_idle(database)
    database.close()
    return idle


def test_the_examples_of_the_page_run_in_order(tmp_path: Path, provider: Simulator) -> None:
    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    environment = os.environ | {"SIMULATOR": provider.url, "ACM_HOME": str(tmp_path / ".acm")}

    with api_server.running(tmp_path / "server") as server:
        ran = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)],
            cwd=tmp_path,
            env=environment | {"ACM_SERVER": server.url},
            capture_output=True,
            text=True,
            check=False,
        )

    assert ran.returncode == 0, ran.stderr
    assert "done" in ran.stdout
    assert "rnus" in ran.stdout
