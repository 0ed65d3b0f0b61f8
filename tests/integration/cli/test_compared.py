"""Runs compared with each other, and models over all runs: in the terminal, Python and HTTP."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

import acm_api
from tests.support import api_server, configs, simulator
from tests.support.project import Project
from tests.support.simulator import Simulator
from tests.support.texts import first


class _Compared(NamedTuple):
    """Two runs of one folder, the second with other instructions and one document more."""

    project: Project
    provider: Simulator
    a: str
    b: str

    @property
    def home(self) -> Path:
        """Return the folder of the store."""
        return self.project.folder / ".acm"


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Compared]:
    with simulator.running(latency_s=0.01) as provider:
        config = configs.small(provider.url, playoffs={"enabled": False})
        project = Project(tmp_path_factory.mktemp("compared"), config, first(2))
        a = project.acm("run", "--json").last["run_id"]
        for path, text in first(3).items():
            project.write(f"inputs/{path}", text)
        project.write("instructions.md", "Write a poem about it.")
        b = project.acm("run", "--json").last["run_id"]
        yield _Compared(project, provider, a, b)


def test_two_runs_are_compared_document_by_document(compared: _Compared) -> None:
    before = compared.provider.stats()["requests"]

    found = compared.project.acm("compare", compared.a, "--json")

    values = found.last
    assert found.code == 0, found.err
    assert (values["a"]["run_id"], values["b"]["run_id"]) == (compared.a, compared.b)
    assert [one["path"] for one in values["documents"]] == sorted(first(2))
    assert values["only_b"] == [path for path in first(3) if path not in first(2)]
    assert [one["key"] for one in values["changes"]] == ["instructions"]
    for one in values["documents"]:
        assert one["difference"] == one["b"]["expected"] - one["a"]["expected"]
    assert values["a"]["usd"] > 0
    assert compared.provider.stats()["requests"] == before


def test_people_read_the_conclusion_the_interval_and_what_differs(compared: _Compared) -> None:
    shown = compared.project.acm("compare", compared.a, compared.b).out

    for part in ("A: run", "B: run", "winners", "all texts", " to ", "instructions:", "only in B"):
        assert part in shown


def test_a_gate_that_is_missed_is_an_exit_code_and_a_failed_test(compared: _Compared) -> None:
    file = compared.project.folder / "reports" / "compare.xml"
    options = ("--fail-if-worse", "0", "--junit", str(file))
    ends, failures = [], []
    for runs in ((compared.a, compared.b), (compared.b, compared.a)):
        ends.append(compared.project.acm("compare", *runs, *options))
        suite = ElementTree.parse(file).getroot()[0]  # noqa: S314  our own
        failures.append(suite.attrib["failures"])
        assert suite.attrib["tests"] == "4"
        assert (suite[0].find("failure") is None) == (failures[-1] == "0")

    # One of the two directions is worse, as no simulated text is just as good as another one.
    assert sorted(one.code for one in ends) == [0, 5]
    assert failures == ["1" if one.code else "0" for one in ends]
    assert [("lower; 0 is allowed" in one.err) for one in ends] == [one.code == 5 for one in ends]


def test_winners_are_judged_against_each_other_once_their_price_is_agreed_to(
    compared: _Compared,
) -> None:
    project, ask = compared.project, ("compare", compared.a, compared.b, "--cross-judge", "9")
    before, winners = compared.provider.stats()["requests"], project.files("winners")
    refused = project.acm(*ask)
    asked = compared.provider.stats()["requests"] - before
    found = project.acm(*ask, "--yes", "--json")
    paid = compared.provider.stats()["requests"] - before
    again = project.acm(*ask, "--yes", "--json")

    rate = found.last["win_rate"]
    assert (refused.code, asked) == (2, 0)
    assert "likely 4 calls" in refused.err
    assert "--yes" in refused.err
    assert (found.code, paid) == (0, 4)  # 2 documents, one judge, both orders
    assert (rate["pairs"], rate["verdicts"]) == (2, 4)
    assert rate["a"] + rate["b"] == pytest.approx(1)
    assert again.last == found.last
    assert compared.provider.stats()["requests"] - before == 4
    assert project.files("winners") == winners


def test_programs_and_servers_have_winners_judged_and_pay_once(compared: _Compared) -> None:
    a, b, paid = compared.b, compared.a, compared.provider.stats
    before = paid()["requests"]
    with api_server.running(compared.home) as server:
        client = acm_api.Client(server.url)
        planned = client.plan_cross_judging(a, b, 1)
        asked = paid()["requests"] - before
        found = client.compare(a, b, cross_judge=1)
        after = paid()["requests"]
        remote = {"ACM_API_URL": server.url}
        options = ("--cross-judge", "1", "--json")
        agreed = compared.project.acm("compare", a, b, *options, "--yes", env=remote)
        page = server.client.get(f"{server.url}/compare?a={a}&b={b}&documents=1").text
    events: list[str] = []
    here = acm_api.compare(a, b, cross_judge=2, home=compared.home, on_event=_kinds(events))
    known = acm_api.plan_cross_judging(a, b, 2, home=compared.home)

    assert (planned.documents, planned.expected.calls, planned.run_id, asked) == (1, 2, None, 0)
    assert found.win_rate is not None
    assert (found.win_rate.pairs, found.win_rate.verdicts) == (1, 2)
    assert (agreed.code, "likely 2 calls" in agreed.err) == (0, True)
    assert agreed.last["win_rate"]["run_id"] == found.win_rate.run_id
    assert f'href="/runs/{found.win_rate.run_id}"' in page
    assert here.win_rate is not None
    assert (here.win_rate.pairs, here.warnings) == (2, found.warnings)
    assert (known.state, known.run_id) == ("done", here.win_rate.run_id)
    assert paid()["requests"] - after <= 2  # one document is new
    assert "run_finished" in events


def _kinds(into: list[str]) -> Callable[[acm_api.RunEvent], None]:
    return lambda event: into.append(event.kind)


def test_what_cannot_be_compared_is_told_in_one_line(compared: _Compared) -> None:
    itself = compared.project.acm("compare", compared.b, compared.b)
    unknown = compared.project.acm("compare", "01ARZ3", compared.b)

    assert (itself.code, unknown.code) == (2, 2)
    assert "with itself" in itself.err
    assert "there is no run" in unknown.err
    assert len(itself.err.splitlines()) == len(unknown.err.splitlines()) == 1


def test_programs_and_servers_return_the_same(compared: _Compared) -> None:
    here = acm_api.compare(compared.a, compared.b, home=compared.home)
    models = acm_api.leaderboard(home=compared.home)

    with api_server.running(compared.home, dispatch=False) as server:
        client = acm_api.Client(server.url)
        assert client.compare(compared.a, compared.b) == here
        assert client.leaderboard() == models
        assert client.leaderboard(by="day", title="nothing").rows == ()
        page = server.client.get(f"{server.url}/compare?a={compared.a}&b={compared.b}").text
        asking = server.client.get(f"{server.url}/compare?b={compared.b}").text
    assert here.reason.capitalize() in page
    assert all(one.path in page for one in here.documents)
    assert "What differs between the configs" in page
    assert "What differs between the configs" not in asking
    assert f'<option value="{compared.b}" selected>' in asking


def test_models_are_ranked_over_all_runs(compared: _Compared) -> None:
    printed = compared.project.acm("leaderboard", "--json").last["rows"]
    by_day = compared.project.acm("leaderboard", "--by", "day", "--csv").out
    none = compared.project.acm("leaderboard", "--until", "2020-01-01", "--json").last["rows"]

    assert {row["model"] for row in printed} == {"m1", "m2"}
    for row in printed:
        assert (row["runs"], row["documents"], row["texts"], row["failed"]) == (2, 5, 5, 0)
        assert row["expected_wins"] == 2.5
        assert row["low"] <= row["win_share"] <= row["high"]
        assert 0 < row["usd_per_text"] < 0.1
        assert 0 <= row["score"] <= 1
    assert sum(row["wins"] for row in printed) == 5
    assert sum(row["p_best"] for row in printed) == pytest.approx(1)
    rows = list(csv.DictReader(io.StringIO(by_day)))
    assert {row["model"] for row in rows} == {"m1", "m2"}
    assert all(len(row["period"]) == len("2026-11-23") for row in rows)
    assert none == []
    assert "by chance" in compared.project.acm("leaderboard").out
