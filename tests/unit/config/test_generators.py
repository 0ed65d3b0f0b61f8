"""Entries for GPT Researcher in a config: what is filled in, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from acm_workers.errors import RequestError
from acm_workers.generators import programs
from tests.support import fake_researcher

ENTRY: dict[str, Any] = {"type": "gptr", "provider": "alpha", "model": "m1"}
FOLDER = {"type": "folder", "folder": "sources"}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {programs.VARIABLE: str(fake_researcher.install(tmp_path / "gptr"))}


def load(folder: Path, environ: dict[str, str], *entries: dict[str, Any], **more: Any) -> Any:
    (folder / "inputs").mkdir()
    (folder / "sources").mkdir()
    (folder / "sources" / "one.md").write_text("# One\n")
    (folder / "instructions.md").write_text("Write.")
    alpha = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
    gamma = {"dialect": "google", "base_url": "http://127.0.0.1:1/v1"}
    delta = {"dialect": "anthropic", "base_url": "http://127.0.0.1:1/v1"}
    config = {
        "input_folder": "inputs",
        "output_folder": "outputs",
        "instructions_file": "instructions.md",
        "providers": {"alpha": alpha, "gamma": gamma, "delta": delta},
        "retriever": FOLDER,
        "runs": list(entries),
        "judges": [{"provider": "alpha", "model": "j1"}],
    } | more
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return loading.load(folder / "config.yaml", environ)


def refusal(folder: Path, environ: dict[str, str], *entries: dict[str, Any], **more: Any) -> str:
    with pytest.raises(RequestError) as caught:
        load(folder, environ, *entries, **more)
    return str(caught.value).replace(f"{folder}/", "")


def test_each_type_gets_the_options_that_it_knows(tmp_path: Path, environ: dict[str, str]) -> None:
    entries = [ENTRY, ENTRY | {"type": "dr"}, ENTRY | {"type": "ma"}]

    loaded: LoadedConfig = load(tmp_path, environ, *entries)

    found = [
        one.research.model_dump(exclude_none=True) for one in loaded.config.runs if one.research
    ]
    assert found == [
        {"words": 1200, "sub_queries": 3, "max_calls": 20, "timeout_seconds": 1200.0},
        {
            "words": 1200, "sub_queries": 3, "breadth": 3, "depth": 2, "max_calls": 132,
            "timeout_seconds": 1200.0,
        },
        {
            "sub_queries": 3, "sections": 3, "follow_guidelines": False, "max_calls": 120,
            "timeout_seconds": 600.0,
        },
    ]  # fmt: skip
    assert loaded.origins["runs.1.research.breadth"] == "default of type dr"
    assert loaded.origins["runs.0.research.max_calls"] == "four times the usual number"
    assert loaded.config.retriever is not None
    assert loaded.config.retriever.folder == str(tmp_path / "sources")


@pytest.mark.parametrize(
    ("entry", "more", "message"),
    [
        ({"research": {"depth": 2}}, {},
         "depth is not for type gptr, which knows embedding, max_calls, sub_queries,"
         " timeout_seconds, words"),
        ({"temperature": 0.5}, {},
         "temperature is for type fpf: type gptr makes its calls itself"),
        ({"require": {"grounding": "searched"}}, {},
         "require is for type fpf: type gptr always searches, with the retriever"),
        ({"provider": "gamma"}, {},
         "type gptr needs an OpenAI-compatible server, and gamma speaks google; name one that"
         " does, such as openai or openrouter"),
        ({"provider": "delta"}, {},
         "type gptr needs an OpenAI-compatible server, and delta speaks anthropic; name one that"
         " does, such as openai or openrouter"),
        ({}, {"retriever": None},
         "type gptr searches, and there is no retriever: name one, such as"
         " retriever: {type: folder, folder: sources}"),
        ({}, {"retriever": {"type": "folder"}}, "a retriever of type folder needs folder"),
        ({}, {"retriever": {"type": "searxng"}},
         "a retriever of type searxng needs url"),
        ({}, {"retriever": FOLDER | {"url": "http://127.0.0.1"}},
         "url is not for a retriever of type folder; leave it out"),
        ({}, {"retriever": FOLDER | {"folder": "nowhere"}},
         "folder of the retriever nowhere does not exist"),
        ({}, {"retriever": FOLDER | {"folder": "inputs"}},
         "folder of the retriever inputs has no file"),
        ({}, {"retriever": FOLDER | {"folder": "config.yaml"}},
         "folder of the retriever config.yaml is no folder"),
        ({"type": "fpf", "research": {"max_calls": 1, "timeout_seconds": 5}}, {},
         "research is for types gptr, dr and ma"),
    ],
)  # fmt: skip
def test_what_it_cannot_do_is_refused(
    entry: dict[str, Any],
    more: dict[str, Any],
    message: str,
    tmp_path: Path,
    environ: dict[str, str],
) -> None:
    assert refusal(tmp_path, environ, ENTRY | entry, **more) == message


def test_a_missing_environment_is_told_with_the_command_that_makes_it(tmp_path: Path) -> None:
    place = str(tmp_path / "nowhere")

    told = refusal(tmp_path, {programs.VARIABLE: place}, ENTRY)

    assert told == "type gptr: GPT Researcher is not in nowhere; `acm setup gptr` builds it"


def test_without_such_an_entry_winners_stay_known(tmp_path: Path, environ: dict[str, str]) -> None:
    config = load(tmp_path, environ, {"type": "fpf", "provider": "alpha", "model": "m1"}).config

    identity = config.identity()

    assert "retriever" not in identity
    assert "research" not in identity["runs"][0]
