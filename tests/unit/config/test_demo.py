"""The configs and documents that are shipped."""

import shutil
from importlib import resources
from pathlib import Path

import pytest
import yaml

from acm_api.config import loading
from acm_api.files import inputs


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Return a copy of the shipped folder."""
    with resources.as_file(resources.files("acm_api.demo")) as shipped:
        return Path(shutil.copytree(shipped, tmp_path / "demo"))


def test_demo_uses_two_providers_with_two_models_each_and_no_key(demo: Path) -> None:
    config = loading.load(demo / "config.yaml", {}).config

    models = {(run.provider, run.model) for run in config.runs}
    assert len(models) == 4
    assert {provider for provider, _ in models} == {"alpha", "beta"}
    assert {each.dialect for each in config.providers.values()} == {"openai", "openai_chat"}
    assert len(config.judges) == 2
    assert (config.pairwise.strategy, config.pairwise.position_swap) == ("adaptive", "random")
    assert config.playoffs.enabled


def test_every_model_of_the_demo_has_a_price(demo: Path) -> None:
    config = loading.load(demo / "config.yaml", {}).config

    writing = {(run.provider, run.model) for run in config.runs}
    used = writing | {(judge.provider, judge.model) for judge in config.judges}
    assert all(model in config.providers[provider].prices for provider, model in used)


def test_demo_has_three_documents_of_two_to_six_kilobytes(demo: Path) -> None:
    loaded = loading.load(demo / "config.yaml", {})

    found = inputs.of_config(loaded.config)

    assert len(found) == 3
    assert all(2000 <= len(document.text.encode()) <= 6000 for document in found)


def test_starter_works_after_a_key_is_set(demo: Path) -> None:
    loaded = loading.load(demo / "starter.yaml", {"OPENAI_API_KEY": "some-key"})

    assert loaded.notes == ()
    assert {run.provider for run in loaded.config.runs} == {"openai"}
    assert (demo / "starter_instructions.md").read_text().strip()


def test_every_section_of_the_starter_is_explained_above_it(demo: Path) -> None:
    lines = (demo / "starter.yaml").read_text().splitlines()
    sections = yaml.safe_load("\n".join(lines)).keys()

    for section in sections:
        number = next(n for n, line in enumerate(lines) if line.startswith(f"{section}:"))
        assert lines[number - 1].startswith("#"), section
