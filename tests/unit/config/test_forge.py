"""Entries that FilePromptForge writes: what a config may say of them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api.config import loading
from acm_workers.errors import RequestError
from tests.support import configs, fake_forge

ENTRY = {"type": "fpf", "engine": "external", "provider": "gemini", "model": "gemini-2.5-pro"}


def _load(folder: Path, **changes: Any) -> loading.LoadedConfig:
    project = folder / "project"
    (project / "inputs").mkdir(parents=True, exist_ok=True)
    (project / "instructions.md").write_text("Rewrite it.")
    providers = {"alpha": configs.provider("http://127.0.0.1:1/v1", "j1")}
    config = configs.base(providers, **{"runs": [ENTRY], **changes})
    (project / "config.yaml").write_text(yaml.safe_dump(config))
    return loading.load(project / "config.yaml", {"PATH": "/usr/bin:/bin"})


def test_it_is_looked_for_beside_the_folder_of_the_config(tmp_path: Path) -> None:
    forge = fake_forge.install(tmp_path / "FilePromptForge")
    found = _load(tmp_path)

    assert found.config.fpf is not None
    assert (found.config.fpf.path, found.config.fpf.timeout_seconds) == (str(forge), 1800)
    assert found.config.runs[0].provider == "gemini"  # its own name stays
    assert [*found.config.providers] == ["alpha"]
    assert any("written by FilePromptForge" in note for note in found.notes)
    assert any("name playoffs.models" in note for note in found.notes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "FilePromptForge does not exist; name the checkout of FilePromptForge with fpf.path"),
        ({"fpf": {"variables": ["ACM_DATABASE_URL"]}}, "no name of a variable that it may have"),
        ({"fpf": {"pat": "x"}}, "unknown key pat in fpf; did you mean path?"),
        ({"budget_usd": 3}, "budget_usd cannot hold with engine: external"),
        ({"runs": [ENTRY | {"temperature": 0.5}]}, "temperature of FilePromptForge is in its"),
        (
            {"runs": [ENTRY | {"require": {"grounding": "cited"}}]},
            "require: FilePromptForge demands",
        ),
        ({"runs": [ENTRY | {"type": "ma"}]}, "engine: external is for type fpf"),
        ({"runs": [ENTRY | {"engine": "extern"}]}, "did you mean external?"),
    ],
)
def test_what_it_cannot_do_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        _load(tmp_path, **changes)

    assert any(message in str(one) for one in (caught.value, *caught.value.more))


def test_a_section_that_nobody_uses_is_told(tmp_path: Path) -> None:
    runs = [{"type": "fpf", "provider": "alpha", "model": "j1"}]
    found = _load(tmp_path, runs=runs, fpf={"path": "../x"})

    assert found.config.fpf is None
    assert "fpf has no effect: no entry of runs has engine: external" in found.notes


def test_a_run_made_from_texts_cannot_name_a_program() -> None:
    values = {"runs": [ENTRY], "providers": {}, "judges": []}

    with pytest.raises(RequestError, match="runs a program of a machine"):
        loading.load_values(values, "Rewrite it.", environ={})
