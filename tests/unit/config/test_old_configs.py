"""Configs of ACM 1, its presets and llm-doc-eval: each plans at once, or every reason is told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from acm_api.config import loading, migration, old_requirements, version_1
from acm_api.config.draft import ConfigDraft
from acm_api.config.source import YamlFile
from acm_workers.errors import RequestError
from tests.support.old_configs import CONFIGS

AT = datetime(2026, 11, 20, tzinfo=UTC)
PLANNED = [name for name, old in CONFIGS.items() if not old.refused]
REFUSED = [name for name, old in CONFIGS.items() if old.refused]


def put(folder: Path, name: str) -> Path:
    old = CONFIGS[name]
    (folder / "inputs").mkdir()
    (folder / "instructions.md").write_text("Write a summary.")
    for path, text in {"config.yaml": old.text, **old.files}.items():
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder / "config.yaml"


def load(folder: Path, name: str) -> loading.LoadedConfig:
    return loading.load(put(folder, name), {}, AT, keys="later")


@pytest.mark.parametrize("name", PLANNED)
def test_an_old_config_plans_as_it_is(tmp_path: Path, name: str) -> None:
    notes = load(tmp_path, name).notes

    assert [part for part in CONFIGS[name].told if not any(part in note for note in notes)] == []


@pytest.mark.parametrize("name", REFUSED)
def test_an_old_config_is_refused_with_every_reason_at_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, name)

    found = [str(one).replace(str(tmp_path), "ROOT") for one in (caught.value, *caught.value.more)]
    expected = CONFIGS[name].refused
    assert len(found) == len(expected), found
    unsaid = [part for part in expected if not any(one.startswith(part) for one in found)]
    assert unsaid == []


def test_writers_of_an_old_config_search_and_think_as_they_did(tmp_path: Path) -> None:
    (run,) = load(tmp_path, "fpf with eval").config.runs

    assert (run.require.grounding, run.require.reasoning, run.effort) == (
        "searched", "tokens", "high"
    )  # fmt: skip


def test_writers_of_a_config_of_today_do_as_it_says(tmp_path: Path) -> None:
    file = put(tmp_path, "fpf with eval")
    text = file.read_text().replace("eval:\n  auto_run: true\n  judges", "judges")
    file.write_text(text)

    (run,) = loading.load(file, {}, AT, keys="later").config.runs

    assert (run.require.grounding, run.effort) == ("none", None)


def test_a_config_of_llm_doc_eval_gives_judges_criteria_and_limits(tmp_path: Path) -> None:
    loaded = load(tmp_path, "config of llm-doc-eval beside")

    config = loaded.config
    assert [judge.name for judge in config.judges] == ["openai:gpt-4.1", "google:gemini-3.5-flash"]
    assert {(one.iterations, one.max_tokens, one.temperature) for one in config.judges} == {
        (3, 1024, 0.0)
    }
    assert {judge.require.grounding for judge in config.judges} == {"none"}
    assert {judge.require.grounding for judge in config.comparing_judges} == {"searched"}
    assert config.pairwise.iterations == 2
    assert [(one.name, one.weight, one.min, one.max) for one in config.criteria] == [
        ("factuality", 0.2, 1, 5), ("relevance", 2.0, 1, 5)
    ]  # fmt: skip
    assert config.providers["google"].max_in_flight == 4
    assert (config.retries.attempts, config.retries.base_delay_seconds) == (3, 2)
    assert loaded.origins["judges.0.model"] == "config.yaml:5"


def test_sections_of_llm_doc_eval_mean_the_same_in_a_config(tmp_path: Path) -> None:
    config = load(tmp_path, "sections of llm-doc-eval in the config").config

    assert [judge.model for judge in config.judges] == ["gpt-4.1", "gemini-3.5-flash"]
    assert config.criteria[0].max == 5


def test_iterations_by_type_hold_for_runs_of_that_type(tmp_path: Path) -> None:
    assert load(tmp_path, "iterations by type").config.runs[0].iterations == 2


def test_models_beside_runs_write_as_well(tmp_path: Path) -> None:
    config = load(tmp_path, "models beside runs").config

    assert [run.provider for run in config.runs] == ["openai", "google", "anthropic"]


def test_own_instructions_to_combine_are_read(tmp_path: Path) -> None:
    playoffs = load(tmp_path, "own instructions to combine").config.playoffs

    assert playoffs.instructions == "Make one of both."
    assert [model.model for model in playoffs.models or ()] == ["gpt-5.6-sol"]


def test_a_preset_sets_effort_and_switches(tmp_path: Path) -> None:
    config = load(tmp_path, "a preset in a config").config

    assert config.runs[0].effort == "low"
    assert not config.pairwise.enabled
    assert config.judges


def test_switched_off_evaluation_leaves_judges_of_llm_doc_eval_out(tmp_path: Path) -> None:
    path = put(tmp_path, "sections of llm-doc-eval in the config")
    path.write_text(path.read_text() + "\nenable: {evaluation: false}\n")

    config = loading.load(path, {}, AT, keys="later").config

    assert (config.judges, config.pairwise.judges) == ((), None)


def test_settings_of_acm_2_stand_where_they_belong_today(tmp_path: Path) -> None:
    config = load(tmp_path, "settings of ACM 2").config

    assert [(one.model, one.weight, one.iterations) for one in config.judges] == [
        ("gpt-5.6-sol", 2.0, 4), ("gemini-3.5-flash", 1.0, 4)
    ]  # fmt: skip
    assert (config.ranking.elo.k, config.ranking.elo.initial) == (16, 1200)
    assert config.ranking.top_n is not None
    assert config.ranking.top_n.model_dump() == {
        "count": 2, "threshold": 0.5, "min": 1, "max": 4
    }  # fmt: skip
    assert [one.name for one in config.criteria] == ["accuracy", "policy"]
    assert [one.name for one in config.playoffs.criteria or ()] == ["coherence", "accuracy"]
    assert [(one.provider, one.model, one.iterations) for one in config.playoffs.judges or ()] == [
        ("openai", "gpt-5.6-sol", 2)
    ]


def test_limits_of_research_in_a_preset_are_given_to_each_entry_of_their_types() -> None:
    limits: dict[str, object] = {
        "TOTAL_WORDS": 900,
        "MAX_ITERATIONS": 2,
        "DEEP_RESEARCH_BREADTH": 4,
    }
    limits |= {"DEEP_RESEARCH_DEPTH": 1, "ma": {"max_sections": 5}, "TEMPERATURE": 0.2}
    runs = [{"type": name, "provider": "openai"} for name in ("gptr", "dr", "ma", "fpf")]

    draft = version_1.translate(YamlFile(Path("config.yaml"), {"runs": runs, **limits}, {}))

    assert [entry.get("research") for entry in draft.data["runs"]] == [
        {"words": 900, "sub_queries": 2},
        {"words": 900, "sub_queries": 2, "breadth": 4, "depth": 1},
        {"sections": 5, "sub_queries": 2},
        None,
    ]
    assert draft.notes == ["accepted, without effect in this version: TEMPERATURE"]


@pytest.mark.parametrize("name", PLANNED)
def test_a_migrated_config_means_what_the_old_one_meant(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, name)
    old = loading.load(file, {}, AT, keys="later").config
    (tmp_path / "new").mkdir()

    text = migration.migrated(file, tmp_path / "new", environ={}, at=AT)

    (tmp_path / "new/config.yaml").write_text(text)
    new = loading.load(tmp_path / "new/config.yaml", {}, AT, keys="later").config
    assert new == old
    assert "TO DECIDE" not in text


def test_a_migrated_config_says_what_is_left_to_decide(tmp_path: Path) -> None:
    file = put(tmp_path, "models that are shut down")

    text = migration.migrated(file, tmp_path / "new", environ={}, at=AT)

    assert "# TO DECIDE: gemini-1.5-pro of google was shut down" in text
    assert yaml.safe_load(text)["runs"][0]["model"] == "gemini-1.5-pro"


def test_a_preset_becomes_a_config(tmp_path: Path) -> None:
    file = tmp_path / "presets.yaml"
    runs = "runs: [{type: fpf, provider: openai, model: gpt-5.6-luna}]"
    folders = "input_folder: in, output_folder: out, instructions_file: i.md"
    file.write_text(f"quick: {{iterations_default: 2, {folders}, {runs}}}\nlong: {{runs: []}}\n")

    data = yaml.safe_load(migration.migrated(file, tmp_path, "quick", {}, AT))

    assert data["runs"][0]["iterations"] == 2
    with pytest.raises(RequestError, match="has no preset slow"):
        migration.migrated(file, tmp_path, "slow", {}, AT)


RESEARCH = (
    "runs:\n  - {type: gptr, provider: openai, model: gpt-5.6-luna}\n  - {type: ma, model: m}\n"
)


def test_research_of_an_old_config_searches_with_tavily_if_its_key_is_there() -> None:
    data = yaml.safe_load(RESEARCH) | {"iterations_default": 1}

    with_key, without = (ConfigDraft(dict(data), YamlFile(Path("c"), data, {})) for _ in range(2))
    old_requirements.require(with_key, {"TAVILY_API_KEY": "k"})
    old_requirements.require(without, {})

    assert with_key.data["retriever"] == {"type": "tavily", "key_env": "TAVILY_API_KEY"}
    assert "retriever" not in without.data


def test_a_multi_agent_run_without_a_provider_is_openais_or_its_models() -> None:
    data = {"runs": [{"type": "ma", "model": "gpt-4o"}, {"type": "ma", "model": "google:g"}]}

    runs = version_1.translate(YamlFile(Path("c"), data, {})).data["runs"]

    assert [(run["provider"], run["model"]) for run in runs] == [
        ("openai", "gpt-4o"), ("google", "g")
    ]  # fmt: skip
