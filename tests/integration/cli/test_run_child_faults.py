"""Children without a key, a package or a retriever that answers: state, reason, exit code, cost."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import (
    fake_researcher,
    intercepting_proxy,
    scripted_server,
    silent_port,
    simulator,
)
from tests.support.child_runs import SECRET, entry, environment, made
from tests.support.intercepting_proxy import Reply, ReplyAfter
from tests.support.project import PATIENCE_S
from tests.support.scripted_server import Hang

_KEY = Reply(401, {"error": {"message": "Incorrect API key.", "code": "invalid_api_key"}})
_BILL = "select coalesce(sum(cost_usd), 0) from calls"


def test_a_refused_key_pauses_the_provider_and_a_good_one_pays_only_new_calls(
    tmp_path: Path,
) -> None:
    env = environment(tmp_path / "gptr")
    refusing = ReplyAfter(_KEY, passes=1)  # the child asks twice
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, refusing) as url,
    ):
        project = made(tmp_path / "project", url, entry("gptr", "m1"))
        paused = project.acm("run", "--json", env=env)
        states = project.rows("select state from artifacts")
        sent = provider.stats()["requests"]
        refusing.passes = 1000
        resumed = project.acm("resume", "--json", env=env)
        stats = provider.stats()

    assert (paused.code, resumed.code) == (4, 0), (paused.err, resumed.err)
    assert "invalid_api_key" in paused.err + paused.out
    assert (states, sent, refusing.refused) == ([("planned",)], 1, 1)
    (child,) = project.rows("select child from artifacts")
    assert (json.loads(child[0])["reused"], json.loads(child[0])["calls"]) == (1, 1)
    # Two texts of the child and one score.
    assert stats["requests"] == 3
    tokens = stats["tokens"]
    usd = (tokens["input"] + 4 * tokens["output"]) / 1e6
    assert abs(project.rows(_BILL)[0][0] - usd) < 1e-9


def test_without_the_key_no_child_starts_and_the_variable_is_named(tmp_path: Path) -> None:
    able = environment(tmp_path / "gptr")
    without = {name: value for name, value in able.items() if name != "ALPHA_KEY"}
    with simulator.running(latency_s=0.02) as provider:
        project = made(tmp_path / "project", provider.url, entry("gptr", "m1"))
        end = project.acm("run", "--json", env=without)
        stats = provider.stats()

    assert end.code == 2
    assert "ALPHA_KEY, the key of provider alpha, is not set" in end.err
    assert (stats["requests"], project.number("select count(*) from calls")) == (0, 0)


def test_an_environment_without_its_packages_fails_the_candidate_at_once(tmp_path: Path) -> None:
    # Its Python is there and has no packages; the program is the one that is shipped.
    bare = fake_researcher.install(tmp_path / "gptr", f'"{sys.executable}" -S "$@"')
    env = {"ACM_GPTR_ENVIRONMENT": str(bare), "ALPHA_KEY": SECRET}
    with simulator.running(latency_s=0.02) as provider:
        project = made(tmp_path / "project", provider.url, entry("fpf", "m1"), entry("ma", "m2"))
        end = project.acm("run", "--json", env=env)

    assert end.code == 0, end.err
    (file,) = [name for name in project.files("outputs") if name.endswith(".failed.json")]
    about = json.loads((project.folder / "outputs" / file).read_text())
    child = about["child"]
    assert (about["kind"], child["exit_code"], child["error_code"]) == (
        "child_failed", 3, "missing_package"
    )  # fmt: skip
    assert "No module named" in about["reason"]
    assert (child["attempts"], child["calls"], child["cost_usd"]) == (1, 0, 0)
    assert child["wall_s"] < PATIENCE_S  # it may take ten minutes


@contextmanager
def _retriever(hangs: bool) -> Iterator[str]:
    """Yield the address of a retriever that hangs, or that nobody listens for."""
    if not hangs:
        with silent_port.reserved() as port:
            yield f"http://127.0.0.1:{port}"
        return
    with scripted_server.running(Hang()) as server:
        yield server.base_url


@pytest.mark.parametrize(
    ("hangs", "state", "counts"),
    [(False, "failed", (0, 2)), (True, "uncertain", (2, 0))],
    ids=["refused", "hangs"],
)
def test_a_retriever_that_does_not_answer_fails_the_candidate_and_what_it_may_cost_is_told(
    tmp_path: Path, hangs: bool, state: str, counts: tuple[int, int]
) -> None:
    with simulator.running(latency_s=0.02) as provider, _retriever(hangs) as url:
        project = made(
            tmp_path / "project",
            provider.url,
            entry("fpf", "m1"),
            entry("gptr", "m2"),
            retriever={
                "type": "searxng", "url": url, "timeout_seconds": 1.0, "usd_per_search": 0.01
            },
        )  # fmt: skip
        end = project.acm("run", "--json", env=environment(tmp_path / "gptr"))

    assert end.code == 0, end.err
    (document,) = end.last["documents"]
    assert (document["artifacts"], document["missing"]) == (1, 1)
    (file,) = [name for name in project.files("outputs") if name.endswith(".failed.json")]
    about = json.loads((project.folder / "outputs" / file).read_text())
    child = about["child"]
    assert (about["kind"], child["attempts"], child["searches"]) == ("out_of_attempts", 1, 1)
    assert "after 2 failures" in about["reason"]
    query = "select state from calls where provider = 'retriever'"
    assert project.rows(query) == [(state,)] * 2
    told = end.last["calls"]
    assert (told["uncertain"], told["failed"]) == counts
    assert child["cost_usd"] == (None if hangs else 0)
