"""Rules of the house that no linter knows."""

import ast
import builtins
import re
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


def test_docstrings_describe_only_parameters_that_exist() -> None:
    wrong = []
    for file in _SOURCE:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            described = _section(ast.get_docstring(node) or "", "Args")
            unknown = described - _parameters(node)
            wrong += [f"{_name(file)}: {node.name}: {name}" for name in sorted(unknown)]

    assert wrong == []


def test_docstrings_name_only_errors_that_exist() -> None:
    trees = {file: ast.parse(file.read_bytes()) for file in _SOURCE}
    known = set(dir(builtins)) | {
        node.name for tree in trees.values() for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }  # fmt: skip

    wrong = [
        f"{_name(file)}: {node.name}: {name}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for name in sorted(_section(ast.get_docstring(node) or "", "Raises") - known)
        if "." not in name
    ]

    assert wrong == []


def _section(docstring: str, title: str) -> set[str]:
    """Return the names that a section of a docstring describes."""
    text = docstring.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^    (\S[^:\n]*):", text, re.MULTILINE)
    return {name.strip("*` ") for entry in entries for name in entry.split(",")}


def _parameters(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    functions = [node] if isinstance(node, ast.FunctionDef) else node.body
    return {
        argument.arg
        for function in functions
        if isinstance(function, ast.FunctionDef)
        if function is node or function.name == "__init__"
        for argument in ast.walk(function.args)
        if isinstance(argument, ast.arg)
    }
