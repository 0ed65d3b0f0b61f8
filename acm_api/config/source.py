"""Text files, and YAML files with the line of every value."""

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from acm_workers.errors import RequestError

Key = tuple[str | int, ...]
"""The place of a value in a config: ``("runs", 0, "model")``."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BOM = b"\xef\xbb\xbf"
_DEEPEST = 40
_MOST_VALUES = 20_000
# YAML 1.1 reads 1e-3 as text; users mean a number.
_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")


class YamlFile(NamedTuple):
    """The values of one file, and the line on which each begins."""

    path: Path
    data: Any
    lines: dict[Key, int]

    def line(self, key: Key) -> int | None:
        """Return the line of ``key``, or of the innermost section around it."""
        if not key:  # a file that is one list
            return self.lines.get(key)
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return None


def dotted(key: Key) -> str:
    """Return ``key`` with dots between its parts."""
    return ".".join(str(part) for part in key)


def read_text(path: Path) -> str:
    """Return the text of the UTF-8 file at ``path``; a byte order mark is left out.

    Raises:
        RequestError: It is missing, not a regular file, unreadable, empty, blank or not text.
    """
    data = _bytes(path).removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        raise RequestError(message, str(path)) from error
    if "\0" in text:
        raise RequestError(f"{path} holds NUL bytes, so it is not a text file", str(path))
    if not text.strip():
        raise RequestError(f"{path} is empty", str(path))
    return text


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise RequestError(f"{path} is a folder, not a file", str(path))
    try:
        if path.exists() and not path.is_file():  # a pipe or device would block for ever
            raise RequestError(f"{path} is not a regular file", str(path))
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RequestError(f"{path} does not exist", str(path)) from error
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise RequestError(f"{path} cannot be read: {reason}", str(path)) from error


def read_yaml(file: Path) -> YamlFile:
    """Return the values of ``file`` and their lines.

    Raises:
        RequestError: The file is missing, is not UTF-8 text, or is not plain YAML with unique keys.
    """
    text = read_text(file)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise RequestError(f"{file} is empty", str(file))
            return _Reader(file, loader).read(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(file, text, error) from error
    except (yaml.YAMLError, RecursionError) as error:
        problem = str(error).splitlines()[0]
        raise RequestError(f"not valid YAML: {problem}", str(file)) from error


def _syntax_error(file: Path, text: str, error: yaml.MarkedYAMLError) -> RequestError:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return RequestError(f"not valid YAML: {error.problem or error.context}", str(file))
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    problem = error.problem or error.context or "cannot be read"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        problem = "a tab indents this line; YAML needs spaces"
    return RequestError(f"not valid YAML: {problem}", f"{file}:{mark.line + 1}")


class _Reader:
    """Converts the nodes of one file to values and records their lines."""

    def __init__(self, file: Path, loader: Any) -> None:
        self._file = file
        self._loader = loader
        self._lines: dict[Key, int] = {}

    def read(self, root: yaml.Node) -> YamlFile:
        data = self._value(root, ())
        return YamlFile(self._file, data, self._lines)

    def _value(self, node: yaml.Node, key: Key) -> Any:
        # Aliases can nest a node in itself, or double the size with each line.
        if len(key) > _DEEPEST or len(self._lines) > _MOST_VALUES:
            raise self._refuse(node, "nested too deeply or too large for a config")
        self._lines.setdefault(key, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            values: dict[str, Any] = {}
            self._fill(values, node, key)
            return values
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*key, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        raise self._refuse(node, "this kind of value is not accepted here")

    def _fill(self, values: dict[str, Any], node: yaml.MappingNode, key: Key) -> None:
        """Add the keys of a mapping, then those it merges, that ``values`` lacks."""
        own: dict[str, int] = {}
        merged: list[yaml.MappingNode] = []
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if name_node.tag.endswith(":merge"):
                merged += self._sources(value_node)
                continue
            if not isinstance(name_node, yaml.ScalarNode):
                raise self._refuse(name_node, "a key must be one word")
            name = str(name_node.value)
            if name in own:
                message = f"key {name} is given twice; it is on line {own[name]} already"
                raise RequestError(message, f"{self._file}:{line} ({dotted((*key, name))})")
            own[name] = line
            if name not in values:
                self._lines[(*key, name)] = line
                values[name] = self._value(value_node, (*key, name))
        for source in merged:
            self._fill(values, source, key)

    def _sources(self, node: yaml.Node) -> list[yaml.MappingNode]:
        """Return the mappings that ``<<`` names; earlier ones override later ones."""
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        mappings = [source for source in sources if isinstance(source, yaml.MappingNode)]
        if len(mappings) < len(sources):
            raise self._refuse(node, "<< must name a mapping")
        return mappings

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = str(node.value)
        if node.tag.endswith(":timestamp"):
            return text
        if node.tag.endswith(":str") and not node.style and _EXPONENT.fullmatch(text):
            return float(text)
        try:
            value = self._loader.construct_object(node)
        except (ValueError, LookupError) as error:
            raise self._refuse(node, f"{text[:40]!r} cannot be read") from error
        if isinstance(value, float) and not math.isfinite(value):
            raise self._refuse(node, "numbers must be finite")
        if value is not None and not isinstance(value, str | int | float):
            raise self._refuse(node, f"{node.tag} is not accepted here")
        return value

    def _refuse(self, node: yaml.Node, problem: str) -> RequestError:
        return RequestError(
            f"not valid YAML: {problem}", f"{self._file}:{node.start_mark.line + 1}"
        )
