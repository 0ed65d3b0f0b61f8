"""The README and the starter config, held to the configuration that they describe."""

import json
import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from acm_api.cli.main import app
from schemas.config.config import Config
from schemas.config.provider import ModelLimits, OwnCapabilities, TokenPrice
from schemas.record import Record

_ROOT = Path(__file__).parents[2]
_README = (_ROOT / "README.md").read_text("utf-8")
_ROW = re.compile(r"\| `(?P<key>[^`]+)` \| (?P<default>[^|]+) \| (?P<meaning>[^|]+) \|")
_IN_ONE_ROW = (TokenPrice, ModelLimits, OwnCapabilities)
_LIKE_ANOTHER = {"pairwise.judges", "playoffs.criteria", "playoffs.judges", "playoffs.models"}
_DERIVED = {
    "winners_folder": "beside output_folder",
    "reports_folder": "beside output_folder",
    "judges[].name": "provider:model",
}


def _keys(section: type[Record], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the keys of a section as the README names them, those of inner sections included."""
    for name, field in section.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        inner, between = _inner(field.annotation)
        if inner in (None, *_IN_ONE_ROW) or key in _LIKE_ANOTHER:
            yield key, field
        else:
            yield from _keys(typing.cast(type[Record], inner), f"{key}{between}")


def _inner(annotation: Any) -> tuple[Any, str]:
    """Return the record in a field, if there is one, and what stands between their names."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation, "."
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _inner(arguments[0])
    if origin is tuple and arguments:
        return _inner(arguments[0])[0], "[]."
    if origin is dict:
        return _inner(arguments[1])[0], ".NAME."
    return None, ""


def _default(key: str, field: FieldInfo) -> str:
    if key in _DERIVED:
        return _DERIVED[key]
    if field.default is PydanticUndefined:
        return "required"
    return f"`{json.dumps(field.default)}`"


def test_the_readme_names_every_key_with_its_default() -> None:
    section = _README.split("## Configuration")[1].split("Environment variables:")[0]
    told = {row["key"]: row["default"].strip() for row in _ROW.finditer(section)}

    assert told == {key: _default(key, field) for key, field in _keys(Config)}


def test_the_starter_explains_every_key() -> None:
    starter = (_ROOT / "acm_api" / "demo" / "starter.yaml").read_text("utf-8")

    for key, _ in _keys(Config):
        name = key.rpartition(".")[2]
        assert re.search(rf"\b{name}\b", starter), key


def test_the_readme_names_every_command() -> None:
    section = _README.split("## Commands")[1].split("## Files")[0]
    named = set(re.findall(r"`acm ([a-z]+)", section))
    functions = [
        each.name or each.callback.__name__ for each in app.registered_commands if each.callback
    ]
    groups = [
        str(group.typer_instance.info.name)
        for group in app.registered_groups
        if group.typer_instance
    ]

    assert named == {*functions, *groups}


def test_the_readme_names_folders_that_exist() -> None:
    section = _README.split("## Map")[1].split("Imports only")[0]
    folders = re.findall(r"^\| `([a-z_/]+)`", section, re.MULTILINE)

    assert len(folders) > 10
    assert all((_ROOT / folder).is_dir() for folder in folders)
