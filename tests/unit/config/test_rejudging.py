"""The config with which a run is judged again: its own one, with changes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acm_api.config import rejudging
from acm_api.config.rejudging import EvaluationChanges, JudgingChanges
from acm_workers.errors import RequestError
from schemas.run import Run
from tests.support import stored

FAR = {"dialect": "openai", "base_url": "https://far.example/v1", "key_env": "FAR_KEY"}
TONE = {"name": "tone", "weight": 0.7, "max": 5, "description": "Friendly"}


def run(**changes: Any) -> Run:
    alpha = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
    judges = [
        {"name": "kind", "provider": "alpha", "model": "j1", "iterations": 2},
        {"name": "off", "provider": "alpha", "model": "j2", "weight": 0.0},
    ]
    given = {
        "providers": {"alpha": alpha, "far": FAR},
        "runs": [{"type": "fpf", "provider": "far", "model": "m1", "iterations": 2}],
        "judges": judges,
    }
    return Run(
        id="RUN",
        key="k",
        title="config.yaml",
        state="done",
        config=stored.config(**(given | changes)),
        instructions="Write.",
        guidelines=None,
        created_at=stored.NOW,
    )


def effective(
    given: Run, environ: Mapping[str, str] | None = None, **changes: Any
) -> rejudging.RejudgingConfig:
    return rejudging.effective(given, JudgingChanges(**changes), environ or {}, stored.NOW)


def refusal(given: Run, **changes: Any) -> tuple[str, str | None]:
    with pytest.raises(RequestError) as caught:
        effective(given, **changes)
    assert "\n" not in str(caught.value)
    return str(caught.value), caught.value.where


def test_a_judge_may_be_named_by_provider_and_model() -> None:
    config = effective(run(), judges="alpha:org/j9:free").config

    (judge,) = config.judges
    assert (judge.name, judge.provider, judge.model) == (
        "alpha:org/j9:free",
        "alpha",
        "org/j9:free",
    )
    assert judge.iterations == 3


def test_a_judge_of_the_run_keeps_its_settings_and_one_that_was_off_judges_now() -> None:
    config = effective(run(), judges="kind, off").config

    kind, off = config.judges
    assert (kind.name, kind.model, kind.iterations, kind.weight) == ("kind", "j1", 2, 1.0)
    assert (off.name, off.model, off.weight) == ("off", "j2", 1.0)


def test_new_judges_do_all_judging() -> None:
    others = [{"name": "other", "provider": "alpha", "model": "j3"}]
    given = run(pairwise={"judges": others}, playoffs={"judges": others})

    config = effective(given, judges="alpha:j9").config

    assert [judge.model for judge in config.comparing_judges] == ["j9"]
    assert [judge.model for judge in config.judges_of(combined=True)] == ["j9"]


def test_judges_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "judges.yaml"
    file.write_text("judges:\n- {provider: alpha, model: j7, weight: 2}\n")

    (judge,) = effective(run(), judges=str(file)).config.judges

    assert (judge.name, judge.weight) == ("alpha:j7", 2)


def test_criteria_may_be_named_and_those_of_the_run_keep_their_settings() -> None:
    given = run(criteria=[TONE, {"name": "wit"}], playoffs={"criteria": [{"name": "flow"}]})

    config = effective(given, criteria="tone, clarity").config

    tone, clarity = config.criteria
    assert (tone.max, tone.weight, tone.description) == (5, 0.7, "Friendly")
    assert (clarity.max, clarity.weight) == (10, 0.2)
    assert config.playoffs.criteria is None


def test_a_criterion_that_nobody_knows_is_told_as_new_before_it_is_paid_for() -> None:
    given = run(criteria=[TONE, {"name": "wit"}])

    notes = effective(given, criteria="tome,clarity,wit,zest").notes

    assert notes == (
        "criterion tome is new: weight 0.2, scores from 1 to 10, without a description;"
        " did you mean tone?",
        "criterion zest is new: weight 0.2, scores from 1 to 10, without a description",
    )


def test_criteria_may_come_from_a_file_with_one_scale(tmp_path: Path) -> None:
    file = tmp_path / "criteria.yaml"
    file.write_text("{min: 1, max: 5, criteria: [factuality]}")

    (criterion,) = effective(run(), criteria=str(file)).config.criteria

    assert (criterion.name, criterion.min, criterion.max) == ("factuality", 1, 5)


def test_keys_of_those_who_wrote_the_texts_are_not_needed() -> None:
    assert effective(run(), judges="alpha:j9").config.runs[0].provider == "far"


def test_stored_answers_serve_however_the_run_was_made() -> None:
    assert effective(run(cache="refresh"), judges="alpha:j9").config.cache == "reuse"


def test_a_run_whose_judges_only_compared_is_judged_again_so() -> None:
    others = [{"name": "other", "provider": "alpha", "model": "j3"}]
    given = run(judges=[], pairwise={"judges": others})

    config = effective(given, criteria="clarity").config

    assert (config.judges, [judge.name for judge in config.comparing_judges]) == ((), ["other"])


def test_nothing_is_noted_that_nobody_asked_for() -> None:
    assert effective(run(pairwise={"strategy": "swiss"}), judges="alpha:j9").notes == ()


def test_another_config_changes_the_judging_and_not_the_texts(tmp_path: Path) -> None:
    (tmp_path / "instructions.md").write_text("Write otherwise.")
    (tmp_path / "config.yaml").write_text(
        "{input_folder: gone, output_folder: o2, instructions_file: instructions.md,"
        " providers: {beta: {dialect: openai_chat, base_url: 'http://127.0.0.1:2/v1'}},"
        " runs: [{type: fpf, provider: beta, model: w}],"
        " judges: [{provider: beta, model: j}], pairwise: {strategy: swiss}}"
    )

    found = effective(run(), config=tmp_path / "config.yaml", budget_usd=None)

    assert [judge.name for judge in found.config.judges] == ["beta:j"]
    assert found.config.pairwise.strategy == "swiss"
    assert found.config.runs[0].model == "m1"
    assert Path(found.config.output_folder).name == "outputs"
    assert found.notes == (
        "instructions and guidelines of run RUN hold: its candidates were written for them",
    )


@pytest.mark.parametrize(
    ("changes", "message", "where"),
    [
        ({}, "name other judges or criteria: --judges, --criteria or --config", None),
        ({"judges": "j9"}, "j9 is neither a file, nor provider:model, nor a judge of run RUN"
         " (kind, off)", "--judges"),
        ({"judges": "kind,"}, "a judge without a name: give a file, provider:model, or a judge of"
         " run RUN (kind, off)", "--judges"),
        ({"judges": ""}, "a judge without a name: give a file, provider:model, or a judge of"
         " run RUN (kind, off)", "--judges"),
        ({"criteria": ","}, "a criterion without a name: give a file, or names with commas between",
         "--criteria"),
        ({"judges": "x" * 5000}, "x" * 5000 + " is neither a file, nor provider:model, nor a judge"
         " of run RUN (kind, off)", "--judges"),
        ({"judges": "kind,kind"}, "two judges have the name kind; give one of them another name",
         "--judges (judges.1.name)"),
        ({"judges": "aplha:x"}, "unknown provider aplha; did you mean alpha? (known: alpha,"
         " anthropic, far, google, openai, openaidp, openrouter)",
         "--judges (judges.0.provider)"),
        ({"judges": "far:x"}, "environment variable FAR_KEY, the key of provider far, is not set",
         "run RUN (providers.far.key_env)"),
        ({"judges": "openai:gpt-5.6-luna"},
         "environment variable OPENAI_API_KEY, the key of provider openai, is not set",
         "--judges (judges.0.provider)"),
        ({"criteria": "wit,Wit"}, "criteria wit and Wit are too alike to tell apart; rename one",
         "--criteria (criteria.1.name)"),
        ({"criteria": "gone.yaml"}, "gone.yaml does not exist", "--criteria"),
        ({"judges": "kind", "budget_usd": 1.0},
         "a budget needs the price of every model, and none is known of alpha:j1; name them in"
         " providers.*.prices, or leave budget_usd out", "run RUN (budget_usd)"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(
    changes: dict[str, Any], message: str, where: str | None
) -> None:
    assert refusal(run(), **changes) == (message, where)


def test_a_mistake_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "judges.yaml"
    file.write_text("- {provider: alpha, model: j7}\n- {provider: alpha, mdel: j8}\n")

    told = refusal(run(), judges=str(file))

    assert told == (
        "unknown key mdel in judges.1; did you mean model?",
        f"{file}:2 (1.mdel)",
    )


def test_a_server_gets_names_as_they_are_and_the_content_of_files(tmp_path: Path) -> None:
    judges, criteria = tmp_path / "judges.yaml", tmp_path / "criteria.yaml"
    judges.write_text("judges:\n- {provider: alpha, model: j7, weight: 2}\n")
    criteria.write_text("max: 7\ncriteria: [wit, {name: flow, max: 3}]\n")

    named = rejudging.as_values(JudgingChanges("kind, alpha:j9", "tone,wit"))
    filed = rejudging.as_values(JudgingChanges(str(judges), str(criteria)))

    assert named == (["kind", "alpha:j9"], ["tone", "wit"])
    assert filed.judges == [{"provider": "alpha", "model": "j7", "weight": 2}]
    assert filed.criteria == [{"name": "wit", "max": 7}, {"name": "flow", "max": 3}]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "name other judges or criteria: --judges or --criteria"),
        ({"config": Path("c.yaml"), "judges": "j"}, "--config is not for runs on a server"),
        ({"criteria": "missing.yaml"}, "missing.yaml does not exist"),
        ({"criteria": "a,,b"}, "a criterion without a name"),
    ],
)
def test_what_no_server_can_judge_by_is_refused_before_it_is_asked(
    changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(RequestError, match=told):
        rejudging.as_values(JudgingChanges(**changes))


def test_an_evaluation_may_name_judges_and_criteria_of_the_run() -> None:
    given = run(criteria=[TONE], pairwise={"enabled": False})
    changes = EvaluationChanges(
        mode=None, judges=["kind", "alpha:j9"], criteria=["tone", "clarity"]
    )

    config = rejudging.evaluation(given, changes, {}, stored.NOW)

    assert [(one.name, one.iterations) for one in config.judges] == [("kind", 2), ("alpha:j9", 3)]
    assert [(one.name, one.max) for one in config.criteria] == [("tone", 5), ("clarity", 10)]
    assert not config.pairwise.enabled


def test_a_budget_of_an_evaluation_needs_prices_like_that_of_a_run() -> None:
    with pytest.raises(RequestError, match="a budget needs the price of every model"):
        rejudging.evaluation(run(), EvaluationChanges(budget_usd=2), {}, stored.NOW)


def test_a_judge_that_an_evaluation_names_and_that_is_none_is_told_with_its_key() -> None:
    with pytest.raises(RequestError, match="strict is neither provider:model, nor a judge") as told:
        rejudging.evaluation(run(), EvaluationChanges(judges=["strict"]), {}, stored.NOW)

    assert told.value.where == "config.judges"
