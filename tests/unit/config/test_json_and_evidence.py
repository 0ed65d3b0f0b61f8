"""JSON modes and evidence in a config: their effect, and requests that are refused."""

from pathlib import Path

import pytest

from acm_api.config import loading
from acm_workers.errors import RequestError
from schemas.config.judging import Jsonify
from schemas.config.variant import RequiredEvidence

BASE = """\
input_folder: inputs
output_folder: outputs
instructions_file: instructions.md
providers:
  alpha: {dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1",
          capabilities: {"*": {efforts: [low, high], reasoning_evidence: summary}}}
runs:
  - {type: fpf, provider: alpha, model: m1}
judges:
  - {provider: alpha, model: j1}
"""
RUN = "{type: fpf, provider: alpha, model: m1}"
JUDGE = "{provider: alpha, model: j1}"


def load(folder: Path, text: str) -> loading.LoadedConfig:
    """Return the config ``text`` as loaded from ``folder``."""
    (folder / "inputs").mkdir()
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", {"OPENAI_API_KEY": "k"})


def judged(**changes: str) -> str:
    """Return the config with a judge of those values."""
    values = {"provider": "alpha", "model": "j1"} | changes
    judge = ", ".join(f"{name}: {value}" for name, value in values.items())
    return BASE.replace(JUDGE, f"{{{judge}}}")


def test_evidence_is_asked_for_by_run_and_judge(tmp_path: Path) -> None:
    run = RUN[:-1] + ", require: {grounding: cited, reasoning: tokens}, effort: high}"
    text = judged(require="{grounding: searched}", max_searches="3", json="false")

    text = text.replace(RUN, run) + "jsonify: {provider: alpha, model: m}\n"
    config = load(tmp_path, text).config

    assert config.runs[0].require == RequiredEvidence(grounding="cited", reasoning="tokens")
    assert (config.runs[0].effort, config.runs[0].max_searches) == ("high", None)
    assert config.judges[0].require == RequiredEvidence(grounding="searched")
    assert (config.judges[0].json_mode, config.judges[0].max_searches) == (False, 3)


def test_judges_follow_the_config_where_they_say_nothing_of_json(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE + "json: true\n")

    assert loaded.config.json_mode is True
    assert loaded.config.judges[0].json_mode is None
    assert loaded.origins["judges.0.json"] == "default"


def test_jsonify_may_name_a_built_in_provider(tmp_path: Path) -> None:
    config = load(tmp_path, BASE + "jsonify: {provider: openai, model: gpt-6-luna}\n").config

    assert config.jsonify == Jsonify(provider="openai", model="gpt-6-luna", max_tokens=4096)
    assert config.providers["openai"].key_env == "OPENAI_API_KEY"
    assert "openai" in config.identity()["providers"]


def test_jsonify_of_the_first_version_means_what_it_meant(tmp_path: Path) -> None:
    old = "{enabled: true, provider: alpha, model: m, temperature: 0, max_output_tokens: 800}"

    loaded = load(tmp_path, f"{BASE}jsonify: {old}\n")

    assert loaded.config.jsonify == Jsonify(provider="alpha", model="m", max_tokens=800)
    assert loaded.origins["jsonify.max_tokens"] == "config.yaml:11"
    assert loaded.notes == ("accepted, without effect in this version: jsonify.temperature",)


def test_jsonify_that_is_switched_off_is_absent(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE + "jsonify: {enabled: false, provider: gone, model: m}\n")

    assert loaded.config.jsonify is None


@pytest.mark.parametrize(
    "change",
    [
        {"json": "true"},
        {"require": "{grounding: searched}"},
        {"require": "{reasoning: tokens}"},
        {"effort": "low"},
        {"max_searches": "2"},
    ],
)
def test_what_decides_a_judges_answers_is_part_of_what_a_run_is(
    tmp_path: Path, change: dict[str, str]
) -> None:
    for name, text in (("one", BASE), ("other", judged(**change))):
        (tmp_path / name).mkdir()
        load(tmp_path / name, text)
    plain = loading.load(tmp_path / "one" / "config.yaml", {}).config
    changed = loading.load(tmp_path / "other" / "config.yaml", {}).config

    assert plain.identity() != changed.identity()


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (BASE + "jsonify: {provider: alhpa, model: m}\n", "did you mean alpha?",
         ":11 (jsonify.provider)"),
        (BASE + "jsonify: {provider: alpha, model: ''}\n", "model must not be empty",
         ":11 (jsonify.model)"),
        (BASE + "jsonify: {provider: alpha}\n", "jsonify.model is missing", ":11 (jsonify.model)"),
        (BASE + "jsonify: {provider: alpha, modle: m}\n", "did you mean model?",
         ":11 (jsonify.modle)"),
        (BASE + "jsonify: {enabled: 1, provider: alpha, model: m}\n",
         "jsonify.enabled must be true or false, not 1", ":11 (jsonify.enabled)"),
        (judged(json="maybe"), "judges.0.json must be true or false or auto",
         ":10 (judges.0.json)"),
        (judged(effort="huge"), "judges.0.effort must be low or medium or high",
         ":10 (judges.0.effort)"),
        (judged(require="{grounding: some}"),
         "judges.0.require.grounding must be none or searched or sourced or cited",
         ":10 (judges.0.require.grounding)"),
    ],
)  # fmt: skip
def test_mistake_about_json_or_evidence_is_named_with_its_place(
    tmp_path: Path, text: str, message: str, place: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, text)

    assert message in str(caught.value)
    assert caught.value.where == f"{tmp_path}/config.yaml{place}"
