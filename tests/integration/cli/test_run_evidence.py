"""Judges that must search, in every dialect: in one call where that works, in two where not."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.texts import first

DIALECTS = ("openai_chat", "openai", "anthropic", "google")
PRICE = {"input": 1.0, "output": 4.0, "search": 10.0}
SEARCHED: dict[str, Any] = {"require": {"grounding": "searched"}, "max_searches": 2}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Outcome]]:
    """Run one document with a judge of each kind in each dialect."""
    with simulator.running(latency_s=0.01) as provider:
        providers = {
            dialect: configs.provider(
                provider.google_url if dialect == "google" else provider.url,
                dialect=dialect,
                prices=dict.fromkeys(("sim-one", "sim-two-stage", "sim-jsonify"), PRICE),
            )
            for dialect in DIALECTS
        }
        judges = [
            configs.judge(model, dialect, **SEARCHED)
            for dialect in DIALECTS
            for model in ("sim-one", "sim-two-stage")
        ]
        plain = configs.judge("sim-one", "openai", name="plain", json=False, **SEARCHED)
        writer = {"type": "fpf", "provider": "anthropic", "model": "sim-one"}
        config = configs.base(
            providers,
            runs=[writer | {"require": {"grounding": "cited", "reasoning": "tokens"}}],
            judges=[*judges, plain],
            jsonify={"provider": "google", "model": "sim-jsonify"},
            playoffs={"enabled": False},
        )
        project = Project(tmp_path_factory.mktemp("project"), config, first(1))
        yield project, project.acm("run", "--json")


def calls(project: Project, judge: str) -> list[Any]:
    return project.rows(
        "select stage, calls.model, grounding, calls.state from calls join eval_results"
        " on unit_id = eval_id where judge = ? order by call_id",
        judge,
    )


def test_every_judge_scores_and_every_call_is_priced(ran: tuple[Project, Outcome]) -> None:
    project, outcome = ran

    assert outcome.code == 0, outcome.err
    assert outcome.last["documents"][0]["evaluations"] == 9
    assert outcome.last["documents"][0]["missing"] == 0
    assert outcome.last["usd"] is not None
    assert project.number("select count(*) from calls where cost_usd is null or cost_usd <= 0") == 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_search_and_schema_go_in_one_call_where_they_work_together(
    ran: tuple[Project, Outcome], dialect: str
) -> None:
    ((stage, model, grounding, state),) = calls(ran[0], f"{dialect}:sim-one")

    assert (stage, model, state) == ("main", "sim-one", "done")
    assert grounding in ("searched", "sourced", "cited")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_prose_with_search_and_then_json_where_they_do_not(
    ran: tuple[Project, Outcome], dialect: str
) -> None:
    main, jsonify = calls(ran[0], f"{dialect}:sim-two-stage")

    assert (main[0], main[1], main[3]) == ("main", "sim-two-stage", "done")
    assert main[2] in ("searched", "sourced", "cited")
    assert jsonify == ("jsonify", "sim-jsonify", "none", "done")


def test_judge_with_json_false_needs_no_second_model(ran: tuple[Project, Outcome]) -> None:
    asked = calls(ran[0], "plain")

    assert {model for _, model, *_ in asked} == {"sim-one"}
    assert asked[0][:3] != ("main", "sim-one", "none")


def test_what_was_reached_is_stored_with_units_and_told(ran: tuple[Project, Outcome]) -> None:
    project, _ = ran
    report = next((project.folder / "reports").rglob("index.html")).read_text("utf-8")
    proof = project.rows("select proof from artifacts")[0][0]

    assert '"grounding": "cited"' in proof
    assert '"reasoning": "none"' not in proof
    assert "grounding: cited (" in report
    assert project.number("select count(*) from eval_results where proof is null") == 0
    assert project.acm("show", "--json").last["documents"][0]["winner"]["proof"]["sources"] > 0
