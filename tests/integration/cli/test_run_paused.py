"""Providers are paused for money, quota or key; others continue, and resume goes on."""

from pathlib import Path
from typing import Any

import pytest

from tests.support import configs, intercepting_proxy, simulator
from tests.support.intercepting_proxy import Reply, ReplyAfter
from tests.support.project import Project
from tests.support.texts import first

_QUOTA = Reply(429, {"error": {"message": "You are out of money.", "code": "insufficient_quota"}})
_KEY = Reply(401, {"error": {"message": "Incorrect API key.", "code": "invalid_api_key"}})
_DAY = Reply(
    429,
    {"error": {"message": "Come back tomorrow.", "code": "rate_limit_exceeded"}},
    {"Retry-After": "40000"},
)
_FAILED = "select count(*) from eval_results where state = 'failed'"
_PLANNED = "select count(*) from eval_results where state = 'planned' and judge_provider = ?"
_DONE = "select count(*) from eval_results where state = 'done' and judge_provider = ?"
_EVENTS = "select kind from events where kind like '%paused' order by event_id"


def _two(url: str, other: str) -> dict[str, Any]:
    """Return a config whose second judge is at another provider: 11 calls a document."""
    providers = {
        "alpha": configs.provider(url, "m1", "m2", "j1"),
        "beta": configs.provider(other, "j2"),
    }
    judges = [configs.judge(iterations=2), configs.judge("j2", "beta")]
    pairs = {"strategy": "round_robin", "position_swap": "none", "judges": [configs.judge()]}
    changes: dict[str, Any] = {"judges": judges, "pairwise": pairs, "playoffs": {"enabled": False}}
    return configs.base(providers, **changes)


@pytest.mark.parametrize(
    ("reply", "words"),
    [(_QUOTA, "insufficient_quota"), (_KEY, "invalid_api_key"), (_DAY, "asks to wait 40000 s")],
)
def test_a_provider_that_cannot_go_on_rests_and_others_go_on(
    tmp_path: Path, reply: Reply, words: str
) -> None:
    proxy_reply = ReplyAfter(reply, passes=1)
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, proxy_reply) as url,
    ):
        project = Project(tmp_path, _two(provider.url, url), first(2))
        paused = project.acm("run", "--json")
        done, left = (project.number(query, name) for query, name in
                      ((_DONE, "alpha"), (_PLANNED, "beta")))  # fmt: skip
        refused, status, shown = proxy_reply.refused, project.acm("status"), project.acm("show")
        again = project.acm("resume", "--json")
        proxy_reply.passes = 1000
        resumed = project.acm("resume", "--json")
        counted = provider.stats()

    assert (paused.code, again.code, resumed.code) == (4, 4, 0), resumed.err
    assert paused.last["state"] == again.last["state"] == "paused"
    assert words in paused.last["reason"]
    assert "acm resume" in paused.last["reason"]
    assert {document["state"] for document in paused.last["documents"]} == {"paused"}
    assert (done, left, project.number(_FAILED)) == (8, 3, 0)
    assert 1 <= refused <= 8
    assert words in status.out
    assert words in shown.out
    assert project.rows(_EVENTS)[:2] == [("provider_paused",), ("run_paused",)]
    assert {document["missing"] for document in resumed.last["documents"]} == {0}
    assert (resumed.last["state"], resumed.last["reason"]) == ("done", None)
    assert counted["answered_twice"] == 0
    assert counted["by_status"] == {"200": 2 * 9}


def test_a_paused_run_can_be_cancelled_and_goes_on_all_the_same(tmp_path: Path) -> None:
    proxy_reply = ReplyAfter(_QUOTA)
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, proxy_reply) as url,
    ):
        project = Project(tmp_path, configs.small(url), first(1))
        paused = project.acm("run", "--json")
        cancelled = project.acm("cancel", "--json")
        proxy_reply.passes = 1000
        resumed = project.acm("resume", "--json")

    assert (paused.code, cancelled.code, resumed.code) == (4, 0, 0), resumed.err
    assert paused.last["calls"]["failed"] == proxy_reply.refused
    assert cancelled.last["state"] == "cancelled"
    assert resumed.last["state"] == "done"


def test_the_same_command_goes_on_as_well(tmp_path: Path) -> None:
    proxy_reply = ReplyAfter(_KEY, passes=3)
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, proxy_reply) as url,
    ):
        project = Project(tmp_path, configs.small(url), first(1))
        paused = project.acm("run", "--plain")
        proxy_reply.passes = 1000
        resumed = project.acm("run", "--json")
        counted = provider.stats()

    assert paused.code == 4
    assert "paused: alpha: HTTP 401 (invalid_api_key): Incorrect API key." in paused.out
    assert resumed.code == 0, resumed.err
    assert "resuming run" in resumed.err
    assert counted["answered_twice"] == 0


def test_first_stages_are_kept_while_the_provider_of_the_second_rests(tmp_path: Path) -> None:
    proxy_reply = ReplyAfter(_QUOTA)
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, proxy_reply) as url,
    ):
        providers = {
            "alpha": configs.provider(provider.url, "m1", "m2", "sim-two-stage"),
            "beta": configs.provider(url, "j2"),
        }
        judge = configs.judge("sim-two-stage", require={"grounding": "searched"})
        changes: dict[str, Any] = {
            "judges": [judge],
            "jsonify": {"provider": "beta", "model": "j2"},
            "pairwise": {"enabled": False},
            "playoffs": {"enabled": False},
        }
        project = Project(tmp_path, configs.base(providers, **changes), first(1))
        paused = project.acm("run", "--json")
        proxy_reply.passes = 1000
        resumed = project.acm("resume", "--json")
        counted = provider.stats()

    sent = "select stage, count(*) from calls where state = 'done' and not cached group by stage"
    assert (paused.code, resumed.code) == (4, 0), resumed.err
    assert dict(project.rows(sent)) == {"main": 4, "jsonify": 2}
    assert resumed.last["calls"]["cached"] == 2
    assert counted["answered_twice"] == 0
    assert counted["by_status"] == {"200": 6}
