"""Loading of configs: reading, translating old keys, completing, validating and checking."""

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from acm_api.config import (
    assignments,
    checking,
    completion,
    default_judges,
    evaluator,
    old_entries,
    old_requirements,
    provider_checks,
    run_files,
    shape,
    source,
    version_1,
)
from acm_api.config.assignments import KeyAssignment
from acm_api.config.draft import ConfigDraft
from acm_api.config.run_files import FOLDERS
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.record import Record

_NO_FOLDERS = {
    "input_folder": "inputs",
    "output_folder": "outputs",
    "winners_folder": "winners",
    "reports_folder": "reports",
    "instructions_file": "instructions.md",
}
"""Folders of a run without files: relative to the folder where `acm export` is called."""

_GIVEN = {"type": "files", "folder": "texts", "provider": "files", "model": "given"}


class LoadedConfig(Record):
    """A validated config with its instructions and guidelines.

    Attributes:
        config: The effective config, with absolute paths.
        origins: Origin of each value by dotted key: file and line, or a default.
        notes: Messages for users, such as keys without effect.
    """

    config: Config
    instructions: str
    guidelines: str | None
    origins: dict[str, str]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, draft: ConfigDraft, config: Config, instructions: str, guidelines: str | None
    ) -> "LoadedConfig":
        """Return the loaded config of a draft without problems."""
        return cls(
            config=config,
            instructions=instructions,
            guidelines=guidelines,
            origins={dotted(key): draft.origin(key) for key, _ in _leaves(config)},
            notes=tuple(draft.notes),
        )


def load(  # noqa: PLR0913  each is an option of a command
    path: Path,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    writes: bool = True,
    keys: provider_checks.Keys = "here",
    given: Iterable[KeyAssignment] = (),
    also: Callable[[Config], object] | None = None,
) -> LoadedConfig:
    """Return the config in ``path``; its paths are relative to its folder.

    Args:
        path: A YAML file.
        environ: Environment variables with the keys of providers; default: those of this process.
        at: Time of the run; default: the current time.
        writes: Whether the run writes candidates; if not, only judging is checked.
        keys: The machines on which the keys of providers must be set.
        given: Values of single config keys, which override those in the file.
        also: A further check of a config with valid values, such as that of its inputs.

    Raises:
        RequestError: The first problem with file, line and key, and all other problems in ``more``.
    """
    environ = os.environ if environ is None else environ
    folder = path.absolute().parent
    draft = version_1.translate(*assignments.assigned(source.read_config(path), given))
    evaluator.apply(draft, folder)
    default_judges.choose(draft, environ)
    old_entries.judge_iterations(draft)
    with draft.collecting():
        completion.complete(draft, folder)
        old_requirements.require(draft, environ)
    valid = shape.valid_rest(draft)
    config = valid.config
    checking.check(draft, config, environ, at, writes=writes, keys=keys)
    instructions, guidelines = run_files.read(draft, config, writes=writes)
    valid.place(draft)
    if also is not None and not any(one.key == ("input_folder",) for one in draft.problems):
        with draft.collecting():
            also(config)
    draft.raise_faults()
    return LoadedConfig.of(draft, config, instructions, guidelines)


def load_values(  # noqa: PLR0913  each is an option of a run
    values: Mapping[str, Any],
    instructions: str,
    guidelines: str | None = None,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: provider_checks.Keys = "here",
    given: bool = False,
) -> LoadedConfig:
    """Return the config of a run on given texts, without folders and without reading files.

    Args:
        values: The values of a config file, without the keys of folders and files.
        instructions: Instructions for writing from each document.
        guidelines: Additional rules for writers and judges.
        environ: See ``load``.
        at: See ``load``.
        keys: See ``load``.
        given: Whether candidates are given as texts as well; ``values`` then has no ``runs``.

    Raises:
        RequestError: The first problem with its key, and all other problems in ``more``.
    """
    named = [name for name in (*FOLDERS, "instructions_file", "guidelines_file") if name in values]
    if named:
        raise RequestError(f"{named[0]} has no meaning in a run that is made from texts", named[0])
    if not instructions.strip():
        raise RequestError("instructions must say what is to be written", "instructions")
    data = copy.deepcopy(dict(values)) | _NO_FOLDERS
    draft = version_1.translate(YamlFile(Path("config"), data, {}))
    environ = os.environ if environ is None else environ
    default_judges.choose(draft, environ)
    with source.without_files():
        with draft.collecting():
            completion.complete(draft, Path.cwd())
        if given:
            draft.data["runs"] = [_GIVEN]
        valid = shape.valid_rest(draft)
        checking.check(draft, valid.config, environ, at, writes=True, keys=keys)
        valid.place(draft)
    draft.raise_faults()
    return LoadedConfig(
        config=valid.config.model_copy(update=_NO_FOLDERS),
        instructions=instructions,
        guidelines=guidelines,
        origins={},
        notes=tuple(draft.notes),
    )


def effective(loaded: LoadedConfig) -> list[tuple[str, Any, str]]:
    """Return all values of a config with dotted key and origin."""
    return [
        (dotted(key), value, loaded.origins[dotted(key)]) for key, value in _leaves(loaded.config)
    ]


def _leaves(config: Config) -> Iterator[tuple[Key, Any]]:
    """Yield each value of a config with its key."""
    return _flat(config.model_dump(mode="json", by_alias=True), ())


def _flat(value: Any, key: Key) -> Iterator[tuple[Key, Any]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _flat(item, (*key, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, item in enumerate(value):
            yield from _flat(item, (*key, index))
    else:
        yield key, value
