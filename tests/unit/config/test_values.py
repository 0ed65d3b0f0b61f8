"""Configs of runs that are made from texts: values, without folders, reading no file."""

from pathlib import Path
from typing import Any

import pytest

from acm_api.config import loading
from acm_api.files import inputs
from acm_workers.errors import RequestError
from tests.support import configs

_URL = "http://127.0.0.1:9/v1"


def values(**more: Any) -> dict[str, Any]:
    found = configs.small(_URL)
    for name in ("input_folder", "output_folder", "instructions_file"):
        del found[name]
    return found | more


def test_values_become_a_config_without_places_of_this_machine() -> None:
    loaded = loading.load_values(values(), "Write.", environ={})

    assert str(Path.cwd()) not in loaded.config.model_dump_json()
    assert loaded.instructions == "Write."
    assert [run.model for run in loaded.config.runs] == ["m1", "m2"]


def test_values_given_are_not_changed() -> None:
    given = values(criteria=["accuracy", "wit"])

    loading.load_values(given, "Write.", environ={})

    assert given == values(criteria=["accuracy", "wit"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("input_folder", "/etc"),
        ("output_folder", "out"),
        ("instructions_file", "/etc/passwd"),
        ("guidelines_file", "/etc/passwd"),
        ("criteria_file", "/etc/hostname"),
        ("playoffs", {"criteria_file": "/etc/hostname"}),
        ("judges", [{"provider": "alpha", "model": "j1", "prompts": {"score_file": "/etc/hosts"}}]),
        ("runs", [{"type": "fpf", "provider": "alpha", "model": "m1", "schema": "/etc/hosts"}]),
    ],
)
def test_no_key_makes_a_file_be_read(key: str, value: Any) -> None:
    with pytest.raises(RequestError) as caught:
        loading.load_values(values(**{key: value}), "Write.", environ={})

    assert "made from texts" in str(caught.value)


def test_all_faults_of_values_are_told_with_their_keys() -> None:
    with pytest.raises(RequestError) as caught:
        loading.load_values(values(rnus=[], seed="x"), "Write.", environ={})

    where = {caught.value.where, *(one.where for one in caught.value.more)}
    assert where == {"config (rnus)", "config (seed)"}


@pytest.mark.parametrize("name", ["", "/a", "a/../b", "a//b", "./a", "a\\b", "a\nb", "x" * 2000])
def test_a_name_that_is_no_path_below_a_folder_is_refused(name: str) -> None:
    with pytest.raises(RequestError):
        inputs.checked_name(name)


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "\ud800"])
def test_a_text_that_no_file_could_hold_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        inputs.check_text("a.md", text)
