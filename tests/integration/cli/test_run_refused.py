"""Bad input: one line, exit code 2; nothing is paid or created."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.simulator import Simulator

_ALIKE = [configs.judge(name="j"), configs.judge("m1", name="j")]
_WEIGHTLESS = [configs.judge(weight=0), configs.judge("m1", weight=0)]
_CRITERIA = [{"name": "accuracy", "weight": 0}, {"name": "clarity", "weight": 0}]


class _Bad(NamedTuple):
    """A mistake in a project, and the words that its message must have."""

    spoil: Callable[[Project, dict[str, Any]], object]
    words: tuple[str, ...]


def _changed(**changes: Any) -> Callable[[Project, dict[str, Any]], object]:
    return lambda project, config: project.configure(config | changes)


def _written(path: str, text: str | bytes) -> Callable[[Project, dict[str, Any]], object]:
    return lambda project, config: project.write(path, text)


def _removed(*paths: str) -> Callable[[Project, dict[str, Any]], object]:
    def spoil(project: Project, config: dict[str, Any]) -> None:
        for path in paths:
            (project.folder / path).unlink()

    return spoil


def _provider(project: Project, config: dict[str, Any], **changes: Any) -> None:
    project.configure(config | {"providers": {"alpha": config["providers"]["alpha"] | changes}})


def _variant(**changes: Any) -> Callable[[Project, dict[str, Any]], object]:
    return _changed(runs=[configs.runs(alpha=["m1"])[0] | changes])


_INPUTS = ("inputs/bees.md",)
_BAD = {
    "no config": _Bad(_removed("config.yaml"), ("config.yaml", "does not exist")),
    "empty config": _Bad(_written("config.yaml", ""), ("config.yaml", "empty")),
    "no YAML": _Bad(_written("config.yaml", "runs: [\n"), ("config.yaml:2",)),
    "unknown key": _Bad(_changed(judgess=[]), ("judgess", "did you mean judges?")),
    "unknown inner key": _Bad(_variant(modle="m2"), ("runs.0", "modle", "did you mean model?")),
    "no input folder": _Bad(_changed(input_folder="nowhere"), ("nowhere", "does not exist")),
    "no documents": _Bad(_removed(*_INPUTS), ("inputs", "holds no documents")),
    "empty document": _Bad(_written("inputs/nothing.md", " \n"), ("nothing.md", "is empty")),
    "not UTF-8": _Bad(_written("inputs/old.txt", b"caf\xe9"), ("old.txt", "not UTF-8")),
    "no instructions": _Bad(_removed("instructions.md"), ("instructions.md", "does not exist")),
    "unknown provider": _Bad(_variant(provider="alfa"), ("alfa", "did you mean alpha?")),
    "unknown type": _Bad(_variant(type="fff"), ("fff", "fpf")),
    "no key": _Bad(
        lambda project, config: _provider(project, config, key_env="NO_SUCH_KEY"),
        ("NO_SUCH_KEY", "is not set"),
    ),
    "two judges alike": _Bad(_changed(judges=_ALIKE), ("two judges", "name j")),
    "weightless judges": _Bad(_changed(judges=_WEIGHTLESS), ("judges", "weight 0")),
    "weightless criteria": _Bad(_changed(criteria=_CRITERIA), ("criteria", "weight 0")),
    "no iterations": _Bad(_variant(iterations=0), ("runs.0.iterations", "at least 1")),
    "output is a file": _Bad(
        _changed(output_folder="instructions.md"), ("output_folder", "a file, not a folder")
    ),
}


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running() as provider:
        yield provider


@pytest.mark.parametrize("name", _BAD)
def test_bad_input_is_refused_in_one_line_before_anything_is_paid(
    name: str, provider: Simulator, tmp_path: Path
) -> None:
    config = configs.small(provider.url)
    project = Project(tmp_path, config, {"bees.md": "Bees keep warm together."})
    _BAD[name].spoil(project, config)
    before = project.names()

    outcome = project.acm("run", "--json")
    lines = outcome.err.splitlines()
    error = outcome.last["error"]

    assert (outcome.code, len(lines)) == (2, 1), outcome.err
    assert lines[0].startswith("acm: ")
    for words in _BAD[name].words:
        assert words in lines[0]
    assert set(error) == {"kind", "message", "where"}
    assert error["kind"] == "request_error"
    assert error["where"] is not None
    assert error["message"] in lines[0]
    assert project.names() == before
    assert provider.stats()["requests"] == 0


def test_a_plan_refuses_what_a_run_refuses(provider: Simulator, tmp_path: Path) -> None:
    config = configs.small(provider.url)
    project = Project(tmp_path, config | {"judges": _ALIKE})
    lines = [project.acm(command).err.splitlines() for command in ("plan", "run")]

    assert lines[0] == lines[1]
    assert len(lines[0]) == 1
