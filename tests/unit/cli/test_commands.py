"""Habits of the command line: help, completion, and what `acm init` writes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.core import TyperGroup
from typer.testing import CliRunner

from acm_api.cli.main import app, main
from acm_api.config import loading
from acm_workers.errors import RequestError


def commands(group: TyperGroup, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        yield (*names, name), command
        if isinstance(command, TyperGroup):
            yield from commands(command, *names, name)


ALL = dict(commands(typer.main.get_command(app)))  # type: ignore[arg-type]


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_a_short_option_prints_the_help_of_each_command(names: tuple[str, ...]) -> None:
    short, long = (CliRunner().invoke(app, [*names, option]) for option in ("-h", "--help"))

    assert short.exit_code == long.exit_code == 0
    assert short.output == long.output != ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("runn", ["runn", "run", "`acm -h`"]),
        ("run a.yaml b.yaml", ["b.yaml", "`acm run -h`"]),
        ("run --onlly x", ["--onlly", "--only", "`acm run -h`"]),
        ("run --only", ["--only"]),
        ("list --limit 0", ["--limit", "`acm list -h`"]),
    ],
)
def test_a_command_that_cannot_be_is_told_in_one_line(
    words: str, told: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["acm", *words.split()])

    with pytest.raises(SystemExit) as end:
        main()

    (line,) = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert line.startswith("acm: ")
    assert all(word in line for word in told)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_a_shell_asks_the_command_itself(
    shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Typer finds out which shell has started it; here it is told.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")

    found = CliRunner().invoke(app, ["--show-completion", shell])

    assert found.exit_code == 0
    assert "_ACM_COMPLETE=" in found.output


def test_completion_knows_commands_and_options() -> None:
    for words, number, wanted in (("acm res", "1", "resume"), ("acm run --bud", "2", "--budget")):
        asked = {"_ACM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": number}

        found = CliRunner().invoke(app, [], prog_name="acm", env=asked)

        assert wanted in found.output.split()


@pytest.mark.parametrize("words", ["", "db"])
def test_a_command_without_anything_prints_its_help(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["acm", *words.split()])

    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("Usage: acm")


def started(folder: Path) -> Path:
    """Return the config that `acm init` writes."""
    made = CliRunner().invoke(app, ["init", str(folder)])
    assert made.exit_code == 0
    (folder / "inputs" / "a.md").write_text("Bees dance.")
    return folder / "config.yaml"


def test_the_judge_of_the_first_config_writes_nothing(tmp_path: Path) -> None:
    config = yaml.safe_load(started(tmp_path / "new").read_text())

    models = [
        {(one["provider"], one["model"]) for one in config[key]} for key in ("runs", "judges")
    ]
    assert not models[0] & models[1]


def test_the_first_config_is_refused_until_its_instructions_are_written(tmp_path: Path) -> None:
    config, keys = started(tmp_path / "new"), {"OPENAI_API_KEY": "sk-1"}

    with pytest.raises(RequestError) as caught:
        loading.load(config, keys)
    (tmp_path / "new" / "instructions.md").write_text("Summarise it.")

    assert "is as `acm init` wrote it: say what is to be written" in str(caught.value)
    assert "config.yaml" in str(caught.value.where)
    assert loading.load(config, keys).instructions == "Summarise it."


def test_lists_of_users_and_keys_have_words_and_times_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACM_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "250")

    for words in ("users add ann", "keys add ann --scope read --scope run"):
        assert CliRunner().invoke(app, words.split()).exit_code == 0
    users, keys = (CliRunner().invoke(app, [one, "list"]).output for one in ("users", "keys"))

    assert re.search(r"ann +\d{4}-\d\d-\d\d \d\d:\d\d *\n", users)
    assert "read, run" in keys
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d  ", keys)
    assert "+00:00" not in users + keys
