"""A config on its way from a file to its effective form."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from acm_api.config.source import Key, Located, dotted


class Problem(NamedTuple):
    """Something in a config that must be mended before it can run.

    Attributes:
        key: Where it is, in the draft.
        rank: Problems of the lowest rank are told first, whatever their line.
    """

    key: Key
    message: str
    rank: int = 0


class Draft(NamedTuple):
    """A working copy: each step fills in more of it.

    Attributes:
        data: Values as read, in the shape of the effective config.
        sources: Where a value that was moved or copied stands in the file.
        labels: Origin of values that stand in no file.
        mounts: Sections that were read from a file of their own, and their key in it.
        problems: What the steps found wrong.
        notes: What people should know about a config that is accepted.
    """

    data: dict[str, Any]
    sources: dict[Key, Key]
    labels: dict[Key, str]
    mounts: dict[Key, tuple[Located, Key]]
    problems: list[Problem]
    notes: list[str]


def start(data: dict[str, Any]) -> Draft:
    """Return a draft of ``data``; a section that is null counts as absent."""
    kept = {name: _copy(value) for name, value in data.items() if value is not None}
    return Draft(kept, {}, {}, {}, [], [])


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def get(data: Any, key: Key) -> Any:
    """Return the value at ``key``, or None where there is none."""
    for part in key:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def put(draft: Draft, key: Key, value: Any, source: Key) -> None:
    """Set the value at ``key``, which stands at ``source`` in the file.

    A section on the way that has the wrong shape is left for the validation to refuse.
    """
    section: Any = draft.data
    for part in key[:-1]:
        if isinstance(section, dict):
            section = section.setdefault(str(part), {})
    if isinstance(section, dict):
        section[str(key[-1])] = value
        draft.sources[key] = source


def entries(data: Any, *keys: Key) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the key and the value of each mapping in the lists at ``keys``."""
    for key in keys:
        section = get(data, key)
        for index, entry in enumerate(section if isinstance(section, list) else []):
            if isinstance(entry, dict):
                yield (*key, index), entry


class Places:
    """Where the values of a draft stand in the user's files."""

    def __init__(self, draft: Draft, main: Located) -> None:
        self._draft = draft
        self._main = main

    def where(self, key: Key) -> str:
        """Return file, line and key as the user wrote them: ``config.yaml:12 (runs.0.model)``."""
        located, own = self._own(key)
        line = self._line(located, own)
        file = located.file if line is None else f"{located.file}:{line}"
        return f"{file} ({dotted(own)})" if own else str(file)

    def order(self, problem: Problem) -> tuple[int, int]:
        """Return by what problems are sorted: rank, then line; the file as a whole comes last."""
        line = self._line(*self._own(problem.key))
        return problem.rank, 1_000_000 if line is None else line

    def origin(self, key: Key) -> str:
        """Return where the value at ``key`` comes from, in a few words."""
        for length in range(len(key), 0, -1):
            if key[:length] in self._draft.labels:
                return self._draft.labels[key[:length]]
        located, own = self._own(key)
        if own not in located.lines:
            return "default"
        place = f"{located.file.name}:{located.lines[own]}"
        moved = located is self._main and own[0] != key[0]
        return f"v1 key {dotted(own)} ({place})" if moved else place

    def _own(self, key: Key) -> tuple[Located, Key]:
        """Return the file that ``key`` belongs to, and its name there."""
        for length in range(len(key), 0, -1):
            if key[:length] in self._draft.sources:
                key = self._draft.sources[key[:length]] + key[length:]
                break
        for prefix, (located, inner) in self._draft.mounts.items():
            if key[: len(prefix)] == prefix:
                return located, inner + key[len(prefix) :]
        return self._main, key

    def _line(self, located: Located, key: Key) -> int | None:
        """Return the line of ``key`` or of the innermost section around it."""
        if not key:  # a file that is one list
            return located.lines.get(key)
        for length in range(len(key), 0, -1):
            if key[:length] in located.lines:
                return located.lines[key[:length]]
        return None
