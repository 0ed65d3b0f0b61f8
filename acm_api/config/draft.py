"""A config between the user's file and its effective form, with the origin of each value."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.config import source
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError

JUDGES: tuple[Key, ...] = (("judges",), ("pairwise", "judges"), ("playoffs", "judges"))
"""Lists of judges: for scores, for comparisons, and for scores of combined candidates."""

MODELS: tuple[Key, ...] = (("runs",), *JUDGES, ("playoffs", "models"))
"""Lists whose entries name a provider and a model."""

JSONIFY: Key = ("jsonify",)
"""A section that names a provider and a model."""

AUTO_RUN: Key = ("eval", "auto_run")
NOT_RUN: Key = ("eval",)
MODE: Key = ("eval", "mode")
"""Key of an old config that can disable scoring."""


class Problem(NamedTuple):
    """A problem of a config.

    Attributes:
        key: Key of the problem in the draft.
        rank: Problems of the lowest rank are reported first, regardless of their line.
    """

    key: Key
    message: str
    rank: int = 0


@dataclass(frozen=True)
class ConfigDraft:
    """Values in the shape of the effective config, which are completed step by step.

    Attributes:
        main: The file that the config was read from.
        sources: Original keys in the file, for values that were moved or copied.
        labels: Origins of values that are not in a file.
        mounts: Sections that were read from other files, with their keys in these files.
        options: Command-line options by the keys that they set.
        notes: Messages about an accepted config.
        errors: Problems with a separate location, such as problems in other files.
    """

    data: dict[str, Any]
    main: YamlFile
    sources: dict[Key, Key] = field(default_factory=dict)
    labels: dict[Key, str] = field(default_factory=dict)
    mounts: dict[Key, tuple[YamlFile, Key]] = field(default_factory=dict)
    options: Mapping[Key, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[RequestError] = field(default_factory=list)

    def section(self, *names: str) -> dict[str, Any]:
        """Return the mapping at ``names``; empty if there is none."""
        value: Any = self.data
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def entries(self, *lists: Key) -> Iterator[tuple[Key, dict[str, Any]]]:
        """Yield the key and the value of each mapping in ``lists``."""
        for key in lists:
            *outer, name = (str(part) for part in key)
            entries = self.section(*outer).get(name)
            for index, entry in enumerate(entries if isinstance(entries, list) else []):
                if isinstance(entry, dict):
                    yield (*key, index), entry

    @property
    def judging_is_off(self) -> bool:
        """Whether a key of an old config disables judging."""
        return self.sources.get(("judges",)) in (AUTO_RUN, NOT_RUN, ("enable", "evaluation"))

    def problem(self, key: Key, message: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(key, message))

    def read(self, key: Key, path: Path) -> str | None:
        """Return the text in a file; None, with a problem at ``key``, if it cannot be read."""
        try:
            return source.read_text(path)
        except RequestError as error:
            self.problem(key, str(error))
            return None

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Add an error in another file to the draft, so that later problems are found as well."""
        try:
            yield
        except RequestError as error:
            self.errors.extend([error, *error.more])

    def raise_faults(self) -> None:
        """Raise ``error()`` if there is a problem."""
        if self.problems or self.errors:
            raise self.error()

    def error(self) -> RequestError:
        """Return the first problem as an error, with all other problems in ``more``."""
        ordered = sorted(self.problems, key=self._order)
        # A key that is missing because its name is misspelled is one mistake.
        meant = {message.partition("did you mean ")[2] for _, message, _ in ordered}
        messages = dict.fromkeys(
            (self.where(one.key), one.message)
            for one in ordered
            if not (one.rank and f"{one.key[-1]}?" in meant)
        )
        first, *more = (
            *(RequestError(message, where) for where, message in messages),
            *self.errors,
        )
        first.more = tuple(more)
        return first

    def where(self, key: Key) -> str:
        """Return file, line and key as the user wrote them: ``config.yaml:12 (runs.0.model)``."""
        option = self._option(key) or self._option_within(key)
        if option is not None:
            return option
        file, own = self._in_file(key)
        line = file.line(own)
        path = file.path if line is None else f"{file.path}:{line}"
        return f"{path} ({dotted(own)})" if own else str(path)

    def origin(self, key: Key) -> str:
        """Return a short description of the origin of the value at ``key``."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.labels:
                return self.labels[key[:length]]
        option = self._option(key)
        if option is not None:
            return option
        file, own = self._in_file(key)
        if own not in file.lines:
            return "default"
        place = f"{file.path.name}:{file.lines[own]}"
        moved = file is self.main and own[0] != key[0]
        return f"v1 key {dotted(own)} ({place})" if moved else place

    def _order(self, problem: Problem) -> tuple[int, int]:
        """Return the sort key of a problem: rank, then line; problems without a line are last."""
        file, own = self._in_file(problem.key)
        line = file.line(own)
        return problem.rank, 1_000_000 if line is None else line

    def _option(self, key: Key) -> str | None:
        """Return the command-line option that set ``key`` or an enclosing section."""
        own = self._own(key)
        prefixes = (own[:length] for length in range(len(own), 0, -1))
        return next((self.options[one] for one in prefixes if one in self.options), None)

    def _option_within(self, key: Key) -> str | None:
        """Return the command-line option that added the section ``key``, which is in no file."""
        own = self._own(key)
        if not own or own in self.main.lines:
            return None
        return next((option for at, option in self.options.items() if at[: len(own)] == own), None)

    def _own(self, key: Key) -> Key:
        """Return ``key`` as the user wrote it."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.sources:
                return self.sources[key[:length]] + key[length:]
        return key

    def _in_file(self, key: Key) -> tuple[YamlFile, Key]:
        """Return the file of ``key``, and its key in that file."""
        key = self._own(key)
        for prefix, (file, inner) in self.mounts.items():
            if key[: len(prefix)] == prefix:
                return file, inner + key[len(prefix) :]
        return self.main, key
