"""Judges of configs that name none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api.config import judging_texts, loading
from acm_workers.errors import RequestError
from acm_workers.providers.catalog import capabilities, default_judges, prices
from schemas.config.provider import KNOWN
from tests.support import configs
from tests.unit.pipeline.test_plan import AT

OPENAI = {"type": "fpf", "provider": "openai", "model": "gpt-5.6-luna"}


def load(folder: Path, environ: dict[str, str], **changes: Any) -> loading.LoadedConfig:
    values = configs.small("http://127.0.0.1:1/v1") | changes
    values = {name: value for name, value in values.items() if name != "judges" and value}
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Write.")
    (folder / "config.yaml").write_text(yaml.safe_dump(values))
    return loading.load(folder / "config.yaml", environ, AT, keys="later")


def judges(loaded: loading.LoadedConfig) -> list[str]:
    return [judge.name for judge in loaded.config.judges]


@pytest.mark.parametrize("judge", default_judges.listed(), ids=lambda one: one.provider)
def test_a_default_judge_is_alive_and_has_a_price(judge: default_judges.DefaultJudge) -> None:
    provider = KNOWN[judge.provider]

    assert capabilities.of(provider, judge.model).shutdown is None
    if judge.provider != "openrouter":  # its prices are those of its upstreams
        assert prices.known(provider, judge.model, AT) is not None


def test_one_model_of_each_provider_with_a_key_judges(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}

    loaded = load(tmp_path, keys)

    assert judges(loaded) == ["openai:gpt-5.6-terra", "anthropic:claude-sonnet-5-5"]
    assert loaded.notes[0] == (
        "judges: none are named, so the default ones judge: openai:gpt-5.6-terra (OPENAI_API_KEY is"
        " set), anthropic:claude-sonnet-5-5 (ANTHROPIC_API_KEY is set)"
    )
    assert loaded.origins["judges.0.model"] == "default judges: none are named"


def test_the_router_judges_where_no_other_key_is_set(tmp_path: Path) -> None:
    assert judges(load(tmp_path, {"OPENROUTER_API_KEY": "k"}))[0].startswith("openrouter:")


def test_without_a_key_the_providers_that_write_judge(tmp_path: Path) -> None:
    assert judges(load(tmp_path, {}, runs=[OPENAI])) == ["openai:gpt-5.6-terra"]


def test_a_server_of_another_dialect_has_no_default_judge(tmp_path: Path) -> None:
    own = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:2/v1"}

    with pytest.raises(RequestError, match="judges is missing: name at least one model"):
        load(tmp_path, {"OPENAI_API_KEY": "k"}, providers={"openai": own}, runs=[OPENAI])


def test_acm_judge_without_a_judge_says_which_options_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts").mkdir()
    monkeypatch.chdir(tmp_path)
    asked = judging_texts.TextsToJudge([tmp_path / "texts"], ["texts"])

    with pytest.raises(RequestError) as caught:
        judging_texts.load(asked, {})

    assert str(caught.value).startswith("nobody judges: name models with --judges PROVIDER:MODEL,")
    assert "--config FILE" in str(caught.value)
    assert "OPENAI_API_KEY" in str(caught.value)
