"""The effective values of a config, and the origin of each."""

from pathlib import Path
from typing import Any

import pytest

from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from acm_workers.errors import RequestError
from schemas.config.judging import DEFAULT_CRITERIA, Jsonify

BASE = """\
input_folder: inputs
output_folder: out/texts
instructions_file: instructions.md
providers:
  alpha: {dialect: openai_chat, base_url: "http://localhost:8077/v1"}
runs:
  - {type: fpf, provider: alpha, model: m1}
judges:
  - {provider: alpha, model: j1, weight: 0.5}
"""


def load(folder: Path, text: str, **environ: str) -> LoadedConfig:
    """Return the config ``text`` as loaded from ``folder``."""
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", environ)


def origins(loaded: LoadedConfig) -> dict[str, str]:
    return {key: origin for key, _, origin in loading.effective(loaded)}


def values(loaded: LoadedConfig) -> dict[str, Any]:
    return {key: value for key, value, _ in loading.effective(loaded)}


def test_paths_start_at_the_folder_of_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(tmp_path, BASE)
    monkeypatch.chdir(tmp_path.parent)

    config = loading.load(Path(tmp_path.name) / "config.yaml", {}).config

    assert config.input_folder == str(tmp_path / "inputs")
    assert config.output_folder == str(tmp_path / "out" / "texts")
    assert config.winners_folder == str(tmp_path / "out" / "winners")
    assert config.reports_folder == str(tmp_path / "out" / "reports")
    assert config.instructions_file == str(tmp_path / "instructions.md")


def test_absolute_paths_and_given_folders_stay(tmp_path: Path) -> None:
    config = load(tmp_path, f"{BASE}winners_folder: {tmp_path}/best\nreports_folder: ../r\n").config

    assert config.winners_folder == str(tmp_path / "best")
    assert config.reports_folder == str(tmp_path.parent / "r")


def test_texts_come_with_the_config(tmp_path: Path) -> None:
    (tmp_path / "style.md").write_bytes(b"\xef\xbb\xbfBe brief. \xe2\x82\xac")

    loaded = load(tmp_path, BASE + "guidelines_file: style.md\n")

    assert loaded.instructions == "Summarise."
    assert loaded.guidelines == "Be brief. €"


def test_judges_are_named_after_their_model(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE)

    assert [judge.name for judge in loaded.config.judges] == ["alpha:j1"]
    assert origins(loaded)["judges.0.name"] == "default: provider:model"


def test_known_criteria_bring_their_weight_and_description(tmp_path: Path) -> None:
    loaded = load(
        tmp_path, BASE + "criteria: [accuracy, wit, {name: clarity, weight: 0.9, max: 5}]\n"
    )

    accuracy, wit, clarity = loaded.config.criteria
    assert accuracy == DEFAULT_CRITERIA[0]
    assert (wit.weight, wit.description) == (0.2, "")
    assert (clarity.weight, clarity.max) == (0.9, 5)
    assert clarity.description == DEFAULT_CRITERIA[2].description
    told = origins(loaded)
    assert told["criteria.0.name"] == "config.yaml:10"
    assert told["criteria.0.weight"] == "default of accuracy"
    assert told["criteria.1.weight"] == "default"
    assert told["criteria.2.weight"] == "config.yaml:10"


@pytest.mark.parametrize("start", ["criteria:\n", "# a bare list\n"])
def test_criteria_may_have_a_file_of_their_own(tmp_path: Path, start: str) -> None:
    (tmp_path / "c.yaml").write_text(start + "- accuracy\n- {name: wit, weight: 3}\n")

    loaded = load(tmp_path, BASE + "criteria_file: c.yaml\n")

    assert [each.name for each in loaded.config.criteria] == ["accuracy", "wit"]
    assert origins(loaded)["criteria.1.weight"] == "c.yaml:3"
    assert origins(loaded)["criteria.0.name"] == "c.yaml:2"


@pytest.mark.parametrize(
    ("criteria", "message", "where"),
    [
        (
            "criteria:\n  - clarity\n  - {name: wit, wight: 2}\n",
            "unknown key wight in criteria.1; did you mean weight?",
            "c.yaml:3 (criteria.1.wight)",
        ),
        (
            "criteria:\n\t- clarity\n",
            "not valid YAML: a tab indents this line; YAML needs spaces",
            "c.yaml:2",
        ),
        (
            "clarity: 1\n",
            "c.yaml must hold a list named criteria, and nothing else but the scale of all:"
            " min, max, step",
            "config.yaml:10 (criteria_file)",
        ),
        ("# none\n[]\n", "criteria must not be empty", "c.yaml:2"),
        (
            "- {name: wit, weight: 0}\n",
            "every criterion has weight 0, so nothing would count",
            "c.yaml:1",
        ),
        (
            "min: 5\nmax: 5\ncriteria:\n- wit\n- clarity\n",
            "max must be at least one step above min",
            "c.yaml:2 (max)",
        ),
        (
            "min: 12\ncriteria: [wit]\n",
            "max must be at least one step above min (max is 10 where it is not given)",
            "c.yaml:1 (min)",
        ),
        (
            "min: 1\nmax: five\ncriteria: [wit, clarity]\n",
            'max must be a number, not "five"',
            "c.yaml:2 (max)",
        ),
        ("step: 0\ncriteria: [wit]\n", "step must be greater than 0, not 0", "c.yaml:1 (step)"),
        (
            "max: 5\nstep: 0.0001\ncriteria: [wit]\n",
            "the scale has more than 10,000 steps; use a larger step",
            "c.yaml:1 (max)",
        ),
        (
            "max: 5\ncriteria:\n- clarity\n- {name: wit, min: 7}\n",
            "criteria.1: max must be at least one step above min",
            "c.yaml:4 (criteria.1)",
        ),
    ],
)
def test_mistake_in_the_criteria_file_is_told_with_its_place(
    tmp_path: Path, criteria: str, message: str, where: str
) -> None:
    (tmp_path / "c.yaml").write_text(criteria)

    with pytest.raises(RequestError) as caught:
        load(tmp_path, BASE + "criteria_file: c.yaml\n")

    assert str(caught.value).replace(f"{tmp_path}/", "") == message
    assert caught.value.where == f"{tmp_path}/{where}"


def test_built_in_provider_needs_no_definition(tmp_path: Path) -> None:
    text = BASE.replace("provider: alpha, model: j1", "provider: openrouter, model: j1")

    loaded = load(tmp_path, text, OPENROUTER_API_KEY="secret-value")

    assert loaded.config.providers["openrouter"].key_env == "OPENROUTER_API_KEY"
    assert "openai" not in loaded.config.providers
    assert origins(loaded)["providers.openrouter.base_url"] == "built-in provider openrouter"
    assert "secret-value" not in loaded.model_dump_json()


def test_limits_can_be_set_on_a_built_in_provider(tmp_path: Path) -> None:
    text = BASE.replace("providers:", "providers:\n  openai: {requests_per_minute: 60}")

    loaded = load(tmp_path, text)

    provider = loaded.config.providers["openai"]
    assert (provider.requests_per_minute, provider.key_env) == (60, "OPENAI_API_KEY")
    assert origins(loaded)["providers.openai.requests_per_minute"] == "config.yaml:5"
    assert origins(loaded)["providers.openai.dialect"] == "built-in provider openai"


def test_another_server_never_gets_the_key_of_a_built_in_provider(tmp_path: Path) -> None:
    other = '{dialect: openai, base_url: "http://127.0.0.1:9/v1"}'
    text = BASE.replace("providers:", f"providers:\n  openai: {other}")

    loaded = load(tmp_path, text)

    assert loaded.config.providers["openai"].key_env is None


def test_keys_are_wanted_only_for_providers_that_are_called(tmp_path: Path) -> None:
    text = BASE.replace(
        "providers:", 'providers:\n  far: {dialect: openai, base_url: "https://x.y", key_env: FAR}'
    )
    text += "  - {provider: far, model: j2, weight: 0}\n"
    text += "playoffs: {enabled: false, models: [{provider: far, model: c}]}\n"

    loaded = load(tmp_path, text)

    assert loaded.config.judges[1].provider == "far"


def test_client_of_workers_is_told_which_setting_they_need(tmp_path: Path) -> None:
    far = 'far: {dialect: openai_chat, base_url: "https://x.example/v1", key_env: FAR_KEY}'
    text = BASE.replace("providers:", f"providers:\n  {far}")

    loaded = load(tmp_path, text)
    of_client = loading.load(tmp_path / "config.yaml", keys="workers")

    assert loaded.notes == ()
    assert of_client.notes == (
        "provider far: unless workers allow it, FAR_KEY may not be sent to x.example;"
        " ACM_KEY_HOSTS=FAR_KEY=x.example on the machine that has the key allows it",
    )


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
def test_servers_on_this_machine_need_no_key(tmp_path: Path, host: str) -> None:
    loaded = load(tmp_path, BASE.replace("localhost", host))

    assert loaded.config.providers["alpha"].key_env is None


def test_every_documented_key_is_accepted(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        BASE
        + """\
criteria: [{name: accuracy, weight: 0.3, min: 1, max: 10}, clarity]
pairwise: {enabled: true, strategy: adaptive, position_swap: random, top_n: null, iterations: 1,
           judges: null, stop_confidence: 0.9, max_comparisons: null}
playoffs: {enabled: true, models: null, min_confidence: 0.5}
ranking: {method: auto, top_n: {count: 3, threshold: 0.7, min: 1, max: 5}}
budget_usd: null
cache: off
skip: auto
json: auto
jsonify: {provider: alpha, model: j1}
one_file_only: true
""",
    )

    assert loaded.config.cache == "off"
    assert loaded.config.one_file_only
    assert loaded.config.jsonify == Jsonify(provider="alpha", model="j1", max_tokens=4096)
    assert loaded.notes == ()


def test_null_sections_count_as_absent(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE + "pairwise:\nranking: null\neval:\n")

    assert loaded.config.pairwise.enabled
    assert loaded.notes == ()


def test_every_value_of_the_effective_config_has_an_origin(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE + "ranking: {elo: {k: 16}}\n")

    told = origins(loaded)
    assert told.keys() == loaded.origins.keys()
    assert told["ranking.elo.k"] == "config.yaml:10"
    assert told["ranking.elo.initial"] == "default"
    assert told["winners_folder"] == "default: beside output_folder"
    assert told["json"] == "default"
    assert values(loaded)["judges.0.weight"] == 0.5
    assert values(loaded)["runs.0.json"] == "auto"
