"""Providers that answer in the background, in a config."""

from pathlib import Path
from typing import Any

import pytest

from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from acm_workers.errors import RequestError
from acm_workers.providers.catalog import capabilities
from schemas.config.provider import KNOWN

KEYS = {"OPENAI_API_KEY": "sk-for-tests", "DEEP_KEY": "another"}


def load(folder: Path, providers: str, entry: str) -> LoadedConfig:
    (folder / "inputs").mkdir()
    (folder / "inputs" / "a.md").write_text("A text.")
    (folder / "instructions.md").write_text("Write.")
    path = folder / "config.yaml"
    path.write_text(
        f"input_folder: inputs\noutput_folder: outputs\ninstructions_file: instructions.md\n"
        f"providers: {providers}\nruns: [{{type: fpf, {entry}}}]\n"
        f"judges: [{{provider: openai, model: gpt-6-luna}}]\n"
    )
    return loading.load(path, KEYS)


def test_deep_research_at_openai_needs_no_definition(tmp_path: Path) -> None:
    config = load(tmp_path, "{}", "provider: openaidp, model: gpt-6-luna").config

    deep = config.providers["openaidp"]
    assert deep == KNOWN["openaidp"]
    assert (deep.base_url, deep.key_env) == ("https://api.openai.com/v1", "OPENAI_API_KEY")
    assert (deep.timeout_seconds, deep.poll_seconds) == (3600, 10)
    assert capabilities.of(deep, "gpt-6-luna").background
    assert not capabilities.of(config.providers["openai"], "gpt-6-luna").background


def test_limits_of_deep_research_are_set_without_naming_its_address(tmp_path: Path) -> None:
    given = "{openaidp: {poll_seconds: 30, requests_per_minute: 5}}"

    loaded = load(tmp_path, given, "provider: openaidp, model: gpt-6-luna")

    deep = loaded.config.providers["openaidp"]
    assert (deep.poll_seconds, deep.requests_per_minute) == (30, 5)
    assert (deep.background, deep.timeout_seconds) == (True, 3600)
    assert loaded.origins["providers.openaidp.background"] == "built-in provider openaidp"


@pytest.mark.parametrize(
    ("name", "dialect"), [("openaidp", "openai"), ("openaidp", "openaidp"), ("deep", "openaidp")]
)
def test_deep_research_may_live_elsewhere(tmp_path: Path, name: str, dialect: str) -> None:
    place = f'dialect: {dialect}, base_url: "https://models.example.org/v1", key_env: DEEP_KEY'

    loaded = load(tmp_path, f"{{{name}: {{{place}}}}}", f"provider: {name}, model: own")

    deep = loaded.config.providers[name]
    assert (deep.dialect, deep.background, deep.timeout_seconds) == ("openai", True, 3600)
    assert (deep.base_url, deep.key_env) == ("https://models.example.org/v1", "DEEP_KEY")
    assert capabilities.of(deep, "own").background


def test_deep_research_elsewhere_does_not_get_the_key_of_openai(tmp_path: Path) -> None:
    place = '{openaidp: {dialect: openai, base_url: "https://models.example.org/v1"}}'

    with pytest.raises(RequestError, match="provider openaidp needs key_env"):
        load(tmp_path, place, "provider: openaidp, model: own")


def test_one_model_may_answer_in_the_background_and_another_not(tmp_path: Path) -> None:
    given: dict[str, Any] = {"gpt-6-sol": True, "gpt-6-luna": False}
    own = "{openai: {capabilities: {gpt-6-sol: {background: true}}}}"

    openai = load(tmp_path, own, "provider: openai, model: gpt-6-sol").config.providers["openai"]

    assert {name: capabilities.of(openai, name).background for name in given} == given


@pytest.mark.parametrize("said", ["background: true", "capabilities: {m1: {background: true}}"])
def test_only_one_dialect_has_a_background(tmp_path: Path, said: str) -> None:
    place = f'{{alpha: {{dialect: openai_chat, base_url: "http://127.0.0.1:1/v1", {said}}}}}'

    with pytest.raises(RequestError, match=r"background needs dialect: openai$"):
        load(tmp_path, place, "provider: alpha, model: m1")


def test_models_that_deep_research_does_not_know_are_still_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown model gpt-7-nonsense of openaidp"):
        load(tmp_path, "{}", "provider: openaidp, model: gpt-7-nonsense")


def test_a_background_gives_answers_an_hour_unless_told_otherwise(tmp_path: Path) -> None:
    place = 'dialect: openai, base_url: "http://127.0.0.1:1/v1", background: true'
    given = f"{{slow: {{{place}}}, hasty: {{{place}, timeout_seconds: 60}}}}"

    found = load(tmp_path, given, "provider: slow, model: m1").config.providers

    assert (found["slow"].timeout_seconds, found["hasty"].timeout_seconds) == (3600, 60)
