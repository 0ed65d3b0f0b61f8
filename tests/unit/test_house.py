"""Rules of the house that no linter knows."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("acm_api", "acm_workers", "prompts", "schemas", "ops")
_SOURCE = sorted(file for name in _PACKAGES for file in (_ROOT / name).rglob("*.py"))
_TESTS = sorted((_ROOT / "tests").rglob("*.py"))


def _name(file: Path) -> str:
    return str(file.relative_to(_ROOT))


def test_no_two_public_classes_have_one_name() -> None:
    places = defaultdict(list)
    for file in _SOURCE:
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(_name(file))

    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {_name(file): file.read_bytes().count(b"\n") for file in [*_SOURCE, *_TESTS]}

    assert {name: length for name, length in lengths.items() if length > 500} == {}


def test_every_module_says_what_it_is_about() -> None:
    silent = [
        _name(file) for file in _SOURCE if not ast.get_docstring(ast.parse(file.read_bytes()))
    ]

    assert silent == []


def test_commands_write_to_the_terminal_through_one_module() -> None:
    own = _ROOT / "acm_api/cli/view/output.py"
    commands = [file for file in (_ROOT / "acm_api/cli").rglob("*.py") if file != own]

    direct = [_name(file) for file in commands if _writes_directly(file)]

    assert direct == []


def _writes_directly(file: Path) -> bool:
    calls = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.Call)]
    names = {ast.unparse(call.func) for call in calls}
    return not names.isdisjoint({"print", "typer.echo", "typer.secho", "Console"})


@pytest.mark.parametrize(
    ("page", "most"),
    [("README.md", 150), ("ops/docs/architecture.md", 150)],
    ids=["readme", "arch"],
)
def test_pages_that_newcomers_read_first_are_short(page: str, most: int) -> None:
    assert (_ROOT / page).read_bytes().count(b"\n") <= most
