"""Rules of the house that no linter knows."""

import ast
import builtins
import re
import sys
import tomllib
from collections import defaultdict
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("acm_api", "acm_workers", "prompts", "schemas", "ops")
_SOURCE = sorted(file for name in _PACKAGES for file in (_ROOT / name).rglob("*.py"))
_TESTS = sorted((_ROOT / "tests").rglob("*.py"))


def _name(file: Path) -> str:
    return str(file.relative_to(_ROOT))


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes())


def test_no_two_public_classes_have_one_name() -> None:
    places = defaultdict(list)
    for file in _SOURCE:
        for node in _tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(_name(file))

    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {_name(file): file.read_bytes().count(b"\n") for file in [*_SOURCE, *_TESTS]}

    assert {name: length for name, length in lengths.items() if length > 500} == {}


def test_every_module_says_what_it_is_about() -> None:
    silent = [_name(file) for file in _SOURCE if not ast.get_docstring(_tree(file))]

    assert silent == []


def test_commands_write_to_the_terminal_through_one_module() -> None:
    own = _ROOT / "acm_api/cli/view/output.py"
    commands = [file for file in (_ROOT / "acm_api/cli").rglob("*.py") if file != own]

    direct = [_name(file) for file in commands if _writes_directly(file)]

    assert direct == []


def _writes_directly(file: Path) -> bool:
    calls = [node for node in ast.walk(_tree(file)) if isinstance(node, ast.Call)]
    names = {ast.unparse(call.func) for call in calls}
    return not names.isdisjoint({"print", "typer.echo", "typer.secho", "Console"})


@pytest.mark.parametrize(
    ("page", "most"),
    [("README.md", 150), ("ops/docs/architecture.md", 150)],
    ids=["readme", "arch"],
)
def test_pages_that_newcomers_read_first_are_short(page: str, most: int) -> None:
    assert (_ROOT / page).read_bytes().count(b"\n") <= most


def test_each_imported_package_is_declared() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    used = {_canonical(line) for line in project["project"]["dependencies"]}
    groups = project["dependency-groups"]["dev"]
    developing = used | {_canonical(line) for line in groups if isinstance(line, str)}

    distributions = {
        module: set(map(_canonical, names)) for module, names in packages_distributions().items()
    }
    undeclared = {
        f"{_name(file)}: {module}"
        for file in [*_SOURCE, *_TESTS]
        for module in _imported(file) - set(_PACKAGES) - {"tests"} - sys.stdlib_module_names
        if module not in _BESIDE_THE_CODE.get(_name(file), ())
        if not (used if _is_installed(file) else developing) & distributions.get(module, set())
    }

    assert undeclared == set()


_BESIDE_THE_CODE = {
    "acm_api/ranked_results.py": {"pandas"},  # used where it is installed
    "acm_workers/submissions/harness/run_function.py": {"codec"},  # a file of the same folder
    "acm_workers/submissions/harness/run_evaluator.py": {"codec", "station_shim"},
}


def _is_installed(file: Path) -> bool:
    return file.relative_to(_ROOT).parts[0] not in {"ops", "tests"}


def _imported(file: Path) -> set[str]:
    """Return the outermost packages that a file imports."""
    names = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def _canonical(requirement: str) -> str:
    """Return the name of a requirement as package indexes compare it."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_docstrings_describe_only_parameters_that_exist() -> None:
    wrong = []
    for file in _SOURCE:
        for node in ast.walk(_tree(file)):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            described = _section(ast.get_docstring(node) or "", "Args")
            unknown = described - _parameters(node)
            wrong += [f"{_name(file)}: {node.name}: {name}" for name in sorted(unknown)]

    assert wrong == []


def test_docstrings_name_only_errors_that_exist() -> None:
    trees = {file: _tree(file) for file in _SOURCE}
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
