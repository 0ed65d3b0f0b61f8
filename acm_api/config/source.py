"""Text files, and YAML files with the line of every value."""

import math
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from acm_workers.errors import RequestError

Key = tuple[str | int, ...]
"""The place of a value in a config: ``("runs", 0, "model")``."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BOM = b"\xef\xbb\xbf"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_TOO_LARGE = "nested too deeply or too large for a config"
_DEEPEST = 40
_MOST_VALUES = 20_000
_LARGEST_INTEGER = 2**63
MAX_TEXT_BYTES = 4 * 1024 * 1024
"""Maximum size of a text file, in bytes; longer than any model's context."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Maximum size of a file with extractable text, in bytes; it may contain images."""

# YAML 1.1 reads 1e-3 as text; users mean a number.
_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")


_files_refused = ContextVar("files_refused", default=False)


@contextmanager
def without_files() -> Iterator[None]:
    """Prohibit reading files while the context is open.

    A config sent over HTTP must not make the server read local files.
    """
    token = _files_refused.set(True)
    try:
        yield
    finally:
        _files_refused.reset(token)


def files_are_refused() -> bool:
    """Return whether reading files is prohibited; see ``without_files``."""
    return _files_refused.get()


class YamlFile(NamedTuple):
    """The values of a YAML file, with the line of each value.

    Attributes:
        problems: Problems about duplicate keys, of which the last value is used.
    """

    path: Path
    data: Any
    lines: dict[Key, int]
    problems: tuple[RequestError, ...] = ()

    def line(self, key: Key) -> int | None:
        """Return the line of ``key``, or of the innermost enclosing section."""
        if not key:  # a file that is one list
            return self.lines.get(key)
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return None


def dotted(key: Key) -> str:
    """Join the parts of ``key`` with dots."""
    return ".".join(str(part) for part in key)


def read_text(path: Path, root: Path | None = None, *, blank: bool = False) -> str:
    """Return the text of the UTF-8 file at ``path`` without a byte order mark.

    Args:
        path: Path of the file.
        root: Folder that must contain the file after all links are resolved.
        blank: Whether the file may be empty or blank.

    Raises:
        RequestError: The file is missing, not a regular file, unreadable, too long, empty, blank or
            not text.
    """
    text = decoded(read_bytes(path, root), path)
    if not blank and not text.strip():
        raise RequestError(f"{path} is empty", str(path))
    return text


def decoded(data: bytes, path: Path) -> str:
    """Decode the UTF-8 ``data`` of a file without a byte order mark.

    Raises:
        RequestError: The data is not UTF-8 text.
    """
    data = data.removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        raise RequestError(message, str(path)) from error
    if "\0" in text:
        raise RequestError(f"{path} holds NUL bytes, so it is not a text file", str(path))
    return text


def read_bytes(path: Path, root: Path | None = None, longest: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a file; see ``read_text``.

    Args:
        path: Path of the file.
        root: See ``read_text``.
        longest: Maximum size of the file in bytes.

    Raises:
        RequestError: The file is missing, not a regular file, unreadable or too long.
    """
    if _files_refused.get():
        message = "files are not read for a run that is made from texts; give the content itself"
        raise RequestError(message, str(path))
    try:
        # A pipe would block for ever.
        opened = os.open(path, _READ) if root is None else _open_below(root, path.resolve())
        try:
            mode = os.fstat(opened).st_mode
            if stat.S_ISREG(mode):
                data = _content(opened, longest)
        finally:
            os.close(opened)
    except FileNotFoundError as error:
        raise RequestError(f"{path} does not exist", str(path)) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(f"{path} cannot be read: {reason}", str(path)) from error
    if stat.S_ISDIR(mode):
        raise RequestError(f"{path} is a folder, not a file", str(path))
    if not stat.S_ISREG(mode):
        raise RequestError(f"{path} is not a regular file", str(path))
    if len(data) > longest:
        raise RequestError(f"{path} is longer than {longest // 2**20} MB; split it", str(path))
    return data


def _content(opened: int, longest: int) -> bytes:
    with open(opened, "rb", closefd=False) as file:
        return file.read(longest + 1)


def _open_below(root: Path, real: Path) -> int:
    """Open a file below ``root`` without following a link in any part of its path."""
    folder = os.open(root, _READ)
    try:
        *folders, name = real.relative_to(root).parts
        for part in folders:
            inner = os.open(part, _READ | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, _READ | os.O_NOFOLLOW, dir_fd=folder)
    except ValueError as error:
        raise RequestError(f"link {real} leads out of the input folder", str(real)) from error
    finally:
        os.close(folder)


def read_yaml(file: Path, *, repeated: bool = False) -> YamlFile:
    """Return the values of ``file`` and their lines.

    Args:
        file: Path of the file.
        repeated: Whether duplicate keys are only recorded in ``problems``.

    Raises:
        RequestError: The file is missing, is not UTF-8 text, or is not plain YAML with unique keys.
    """
    return parse_yaml(read_text(file), file, repeated=repeated)


def read_config(path: Path) -> YamlFile:
    """Return the values of a config; duplicate keys are recorded in ``problems``.

    Raises:
        RequestError: As in ``read_yaml``, or the file does not contain a mapping.
    """
    if not path.exists():
        raise RequestError(f"{path} does not exist; `acm init` writes a config", str(path))
    main = read_yaml(path, repeated=True)
    if not isinstance(main.data, dict):
        raise RequestError("a config must be a mapping of keys, such as runs:", f"{path}:1")
    return main


def parse_yaml(text: str, file: Path, *, repeated: bool = False) -> YamlFile:
    """Return the values of ``text``, the content of ``file``; see ``read_yaml``."""
    found = _parsed(text, file)
    if found.problems and not repeated:
        first, *more = found.problems
        first.more = tuple(more)
        raise first
    return found


def _parsed(text: str, file: Path) -> YamlFile:
    try:
        loader = _Loader(text)
        try:
            _refuse_deep(file, text)
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


def _refuse_deep(file: Path, text: str) -> None:
    """Raise an error for nesting that would overflow the stack of the YAML library."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise RequestError(f"not valid YAML: {_TOO_LARGE}", str(file))


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
        self._merged = 0
        self._faults: list[RequestError] = []

    def read(self, root: yaml.Node) -> YamlFile:
        data = self._value(root, ())
        return YamlFile(self._file, data, self._lines, tuple(self._faults))

    def _value(self, node: yaml.Node, key: Key) -> Any:
        # Aliases can nest a node in itself, or double the size with each line.
        if len(key) > _DEEPEST or len(self._lines) > _MOST_VALUES:
            raise self._refuse(node, _TOO_LARGE)
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
        """Add the missing keys of a mapping to ``values``, followed by merged mappings."""
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
                where = f"{self._file}:{line} ({dotted((*key, name))})"
                self._faults.append(RequestError(message, where))
            again = name in own
            own[name] = line
            if name not in values or again:
                self._lines[(*key, name)] = line
                values[name] = self._value(value_node, (*key, name))
        for source in merged:
            # Each alias may double what the one before it merges.
            self._merged += 1
            if self._merged > _MOST_VALUES:
                raise self._refuse(node, _TOO_LARGE)
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
        except (ValueError, LookupError, OverflowError) as error:
            raise self._refuse(node, f"{text[:40]!r} cannot be read") from error
        if isinstance(value, float) and not math.isfinite(value):
            raise self._refuse(node, "numbers must be finite")
        if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
            raise self._refuse(node, "numbers must have at most 18 digits")
        if value is not None and not isinstance(value, str | int | float):
            raise self._refuse(node, f"{node.tag} is not accepted here")
        return value

    def _refuse(self, node: yaml.Node, problem: str) -> RequestError:
        return RequestError(
            f"not valid YAML: {problem}", f"{self._file}:{node.start_mark.line + 1}"
        )
