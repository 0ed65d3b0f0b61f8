"""Configs of the first version, and values that this version does not support."""

import copy
from pathlib import Path
from typing import Any

import pytest

from acm_api.config import loading, version_1
from acm_api.config.draft import ConfigDraft
from acm_api.config.source import YamlFile, dotted
from acm_workers.errors import RequestError

NO = "is not available in this version"
V1 = """\
input_folder: ./inputs
output_folder: ./outputs
instructions_file: instructions.md
guidelines_file: guidelines.md
follow_guidelines: true
one_file_only: true
iterations_default: 3
runs:
  - type: fpf
    provider: openrouter
    model: m1
  - {type: fpf, provider: openrouter, model: m2, iterations: 1}
concurrency:
  gpt_researcher: {enabled: true, max_concurrent_reports: 3, launch_delay_seconds: 1.0}
  multi_agent: {enabled: true, max_concurrent_runs: 2}
policies:
  concurrency:
    gpt_researcher: {enforce: true, max_concurrent_reports_cap: 2, launch_delay_seconds_min: 0.5}
acm:
  log: {console_level: high, file_level: low, forward_subprocess_output: true}
eval:
  auto_run: true
  streaming_single_eval: true
  output_directory: ./final_reports
  export_directory: ./exports
  config_path: ./eval.yaml
  log: {console_level: high}
  iterations: 2
  pairwise_top_n: 4
  mode: both
  judges:
    - {provider: openrouter, model: j1}
    - {provider: openrouter, model: j2, iterations: 5}
combine:
  enabled: true
  models: [{provider: openrouter, model: c1}]
"""


def translate(data: dict[str, Any]) -> ConfigDraft:
    """Return the draft of a file with ``data``."""
    return version_1.translate(YamlFile(Path("config.yaml"), data, {}))


def load(folder: Path, text: str) -> loading.LoadedConfig:
    """Return the config ``text`` as loaded from ``folder``."""
    (folder / "inputs").mkdir()
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "guidelines.md").write_text("Be brief.")
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", {"OPENROUTER_API_KEY": "k"})


def test_a_config_of_the_first_version_means_what_it_meant(tmp_path: Path) -> None:
    config = load(tmp_path, V1).config

    assert [run.iterations for run in config.runs] == [3, 1]
    assert [(judge.name, judge.iterations) for judge in config.judges] == [
        ("openrouter:j1", 2),
        ("openrouter:j2", 5),
    ]
    assert config.pairwise.enabled
    assert config.pairwise.top_n == 4
    assert config.playoffs.enabled
    assert [each.model for each in config.playoffs.models or ()] == ["c1"]
    assert config.guidelines_file == str(tmp_path / "guidelines.md")
    assert config.winners_folder == str(tmp_path / "winners")
    assert config.one_file_only


def test_moved_values_name_their_old_key(tmp_path: Path) -> None:
    origins = load(tmp_path, V1).origins

    assert origins["judges.0.model"] == "v1 key eval.judges.0.model (config.yaml:32)"
    assert origins["judges.0.iterations"] == "v1 key eval.iterations (config.yaml:28)"
    assert origins["runs.0.iterations"] == "v1 key iterations_default (config.yaml:7)"
    assert origins["runs.1.iterations"] == "config.yaml:12"
    assert origins["pairwise.top_n"] == "v1 key eval.pairwise_top_n (config.yaml:29)"
    assert origins["pairwise.enabled"] == "v1 key eval.mode (config.yaml:30)"
    assert origins["playoffs.models.0.model"] == "v1 key combine.models.0.model (config.yaml:36)"


def test_keys_without_effect_are_accepted_and_named(tmp_path: Path) -> None:
    notes = load(tmp_path, V1).notes

    start = "accepted, without effect in this version: "
    assert [note.removeprefix(start) for note in notes if note.startswith(start)] == [
        "acm.log",
        "eval.export_directory",
        "eval.log",
        "eval.streaming_single_eval",
    ]


def test_translating_leaves_the_original_alone() -> None:
    data: dict[str, Any] = {
        "iterations_default": 2,
        "runs": [{"type": "fpf"}],
        "eval": {"auto_run": True, "judges": [{"model": "j"}], "iterations": 4},
    }
    before = copy.deepcopy(data)

    draft = translate(data)

    assert data == before
    assert draft.data == {
        "runs": [{"type": "fpf", "iterations": 2}],
        "judges": [{"model": "j", "iterations": 4}],
    }
    assert draft.sources["judges",] == ("eval", "judges")


def test_todays_keys_pass_unchanged() -> None:
    data = {"runs": [{"model": "m"}], "judges": [], "pairwise": {"top_n": None}}

    draft = translate(data)

    assert draft.data == data
    assert (draft.sources, draft.problems, draft.notes) == ({}, [], [])


def test_mode_single_switches_comparing_off() -> None:
    assert translate({"eval": {"auto_run": True, "mode": "single"}}).data == {
        "pairwise": {"enabled": False}
    }


def test_mode_pairwise_compares_and_scores_nothing(tmp_path: Path) -> None:
    loaded = load(tmp_path, V1.replace("mode: both", "mode: pairwise"))

    config = loaded.config
    assert config.scoring_judges == ()
    assert [judge.model for judge in config.comparing_judges] == ["j1", "j2"]
    assert "eval.mode is pairwise: candidates are compared, and not scored" in loaded.notes
    assert (
        loaded.origins["pairwise.judges.0.model"] == "v1 key eval.judges.0.model (config.yaml:32)"
    )


def test_mode_pairwise_needs_judges_that_compare(tmp_path: Path) -> None:
    judges = V1[V1.index("  judges:") : V1.index("combine:")]
    text = V1.replace("mode: both", "mode: pairwise").replace(judges, "")

    with pytest.raises(RequestError) as caught:
        load(tmp_path, text)

    assert str(caught.value) == "judges is missing: name at least one model that compares"


def test_iterations_of_eval_reach_judges_in_their_new_place() -> None:
    draft = translate({"eval": {"iterations": 3}, "judges": [{"model": "j"}]})

    assert draft.data == {"judges": [{"model": "j", "iterations": 3}]}


def test_playoffs_of_eval_switch_ours() -> None:
    draft = translate({"eval": {"auto_run": True, "playoffs": {"enabled": False, "top_n": 3}}})

    assert draft.data == {"playoffs": {"enabled": False}}
    assert draft.notes == [
        "eval.playoffs.top_n is without effect, as it was: the best two are combined;"
        " playoffs.parents: 3 combines more of them"
    ]


def test_auto_run_false_judges_nothing_and_needs_no_judges(tmp_path: Path) -> None:
    loaded = load(tmp_path, V1.replace("auto_run: true", "auto_run: false"))

    assert loaded.config.judges == ()
    assert not loaded.config.pairwise.enabled
    assert not loaded.config.playoffs.enabled
    assert "eval.auto_run is false: nothing is scored, compared or combined" in loaded.notes
    assert loaded.origins["judges"] == "v1 key eval.auto_run (config.yaml:22)"


@pytest.mark.parametrize(
    ("old", "new", "message", "place"),
    [
            ("mode: both", "mode: bath", "eval.mode must be both, single or pairwise, not 'bath'",
         ":30 (eval.mode)"),
        ("auto_run: true", "auto_run: 1", "eval.auto_run must be true or false, not 1",
         ":22 (eval.auto_run)"),
        ("pairwise_top_n:", "pairwise_topn:",
         "unknown key pairwise_topn in eval; did you mean pairwise_top_n?",
         ":29 (eval.pairwise_topn)"),
        ("max_concurrent_runs", "max_concurent_runs",
         "unknown key max_concurent_runs in concurrency.multi_agent; "
         "did you mean max_concurrent_runs?", ":15 (concurrency.multi_agent.max_concurent_runs)"),
        ("log: {console_level: high}", "log: high", "eval.log must be a mapping of keys",
         ":27 (eval.log)"),
        ("iterations_default: 3", "iterations_default: 0",
         "runs.0.iterations must be at least 1, not 0", ":7 (iterations_default)"),
        ("  iterations: 2", "  iterations: many",
         'judges.0.iterations must be a whole number, not "many"', ":28 (eval.iterations)"),
        ("pairwise_top_n: 4", "pairwise_top_n: 1", "pairwise.top_n must be at least 2, not 1",
         ":29 (eval.pairwise_top_n)"),
        ("model: j1}", "mdel: j1}", "unknown key mdel in judges.0; did you mean model?",
         ":32 (eval.judges.0.mdel)"),
        ("combine:", "judges: []\ncombine:",
         "eval.judges and judges say the same thing; keep one of them", ":31 (eval.judges)"),
        ("combine:", "pairwise: {enabled: false}\ncombine:",
         "eval.mode and pairwise.enabled say the same thing; keep one of them",
         ":30 (eval.mode)"),
        ("model: c1", "model: ''", "model must not be empty", ":36 (combine.models.0.model)"),
        ("provider: openrouter\n    model: m1", "provider: openia\n    model: m1",
         "unknown provider openia; did you mean openai?"
         " (known: anthropic, google, openai, openaidp, openrouter)",
         ":10 (runs.0.provider)"),
    ],
)  # fmt: skip
def test_mistake_is_named_by_the_key_that_the_user_wrote(
    tmp_path: Path, old: str, new: str, message: str, place: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, V1.replace(old, new, 1))

    assert str(caught.value) == message
    assert caught.value.where == f"{tmp_path}/config.yaml{place}"


def test_todays_sections_cannot_contradict_auto_run() -> None:
    draft = translate({"eval": {"auto_run": False}, "pairwise": {"enabled": True}})

    assert [problem.message for problem in draft.problems] == [
        "pairwise.enabled cannot be true while eval.auto_run is false"
    ]


@pytest.mark.parametrize("section", ["eval", "combine", "concurrency", "policies", "runs"])
@pytest.mark.parametrize("value", [5, "x", [], {}, [1], {"judges": 5, "models": "x"}])
def test_sections_of_any_shape_are_survived(section: str, value: object) -> None:
    draft = translate({section: value, "pairwise": 3, "eval.mode": "single"})

    assert draft.data["pairwise"] == 3


def test_options_of_the_agents_are_given_to_each_entry_that_has_none_of_its_own() -> None:
    entries = [{"type": "fpf"}, {"type": "ma"}, {"type": "ma", "research": {"sections": 2}}]

    draft = translate({"runs": entries, "max_sections": 5, "follow_guidelines": True})

    assert [entry.get("research") for entry in draft.data["runs"]] == [
        None,
        {"follow_guidelines": True, "sections": 5},
        {"sections": 2, "follow_guidelines": True},
    ]


def test_deep_research_is_named_by_its_provider() -> None:
    found = version_1.unsupported({"runs": [{"type": "openaidp"}]})

    assert [(dotted(key), message) for key, message, _ in found] == [
        ("runs.0.type", "openaidp is a provider: write type: fpf, provider: openaidp")
    ]


def test_other_dialects_are_refused() -> None:
    found = version_1.unsupported({"providers": {"alpha": {"dialect": "simulated"}}})

    assert [(dotted(key), message) for key, message, _ in found] == [
        (
            "providers.alpha.dialect",
            f"dialect simulated {NO}; use openai_chat, openai, anthropic or google",
        )
    ]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"budget_usd": 5, "skip": "never", "missing_score": 5},
        {"ranking": {"method": "posterior", "elo": {"k": 3, "order": "shuffled"}}},
        {"pairwise": {"strategy": "adaptive", "max_comparisons": 9}},
        {"playoffs": {"judges": [], "criteria": ["wit"], "pairwise": False}},
        {"runs": [{"type": "fpf", "json": "auto", "require": {"grounding": "cited"}}]},
        {"runs": [{"json": 1}], "pairwise": {"strategy": "round_robin"}},
        {"runs": "x", "providers": ["y"], "pairwise": 3, "ranking": None, "playoffs": [1]},
    ],
)
def test_all_else_is_left_to_the_validation(data: dict[str, Any]) -> None:
    assert version_1.unsupported(data) == []
