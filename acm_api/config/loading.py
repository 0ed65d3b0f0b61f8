"""Loading a config: read, translate old keys, complete, validate, check."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acm_api.config import (
    completion,
    judging_checks,
    model_checks,
    provider_checks,
    shape,
    source,
    version_1,
)
from acm_api.config.draft import Draft, Problem
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.record import Record


class LoadedConfig(Record):
    """A config that can run, with the texts that it names.

    Attributes:
        config: Effective; all paths are absolute.
        origins: Origin of each value by dotted key: file and line, or a default.
        notes: Messages for people, such as keys without effect.
    """

    config: Config
    instructions: str
    guidelines: str | None
    origins: dict[str, str]
    notes: tuple[str, ...] = ()


def load(
    path: Path,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    writes: bool = True,
    keys: bool = True,
) -> LoadedConfig:
    """Return the config in ``path``; its relative paths start at its folder.

    Args:
        path: A YAML file.
        environ: Environment variables, for the providers' keys; this process's where absent.
        at: Time of the run; now where absent.
        writes: Whether the run writes candidates; else only its judging is checked.
        keys: Whether the providers' keys must be set; they need not where workers send calls.

    Raises:
        RequestError: The first fault with file, line and key, and the others in ``more``.
    """
    main = _read(path)
    draft = version_1.translate(main)
    completion.complete(draft, path.absolute().parent)
    config = shape.validate(draft.data)
    if not isinstance(config, Config):
        raise draft.first_error([*draft.problems, *config])
    if writes:
        draft.problems.extend(_folder_problems(config))
    check(draft, config, environ, at, writes=writes, keys=keys)
    instructions = _text(draft, "instructions_file", config.instructions_file)
    guidelines = _text(draft, "guidelines_file", config.guidelines_file)
    if draft.problems or instructions is None:
        raise draft.error()
    return LoadedConfig(
        config=config,
        instructions=instructions,
        guidelines=guidelines,
        origins={dotted(key): draft.origin(key) for key, _ in _leaves(config)},
        notes=tuple(draft.notes),
    )


def check(
    draft: Draft,
    config: Config,
    environ: Mapping[str, str] | None,
    at: datetime | None,
    *,
    writes: bool,
    keys: bool,
) -> None:
    """Add problems and notes about ``config`` to its draft; arguments as in ``load``."""
    if keys and environ is None:
        environ = os.environ
    at = at or datetime.now(UTC)
    no_judges_by = draft.sources.get(("judges",))  # the key that left it without judges, if any
    draft.problems.extend(
        [
            *provider_checks.problems(config, environ if keys else None, writes=writes),
            *judging_checks.problems(
                config,
                scored=no_judges_by not in (version_1.AUTO_RUN, version_1.MODE),
                compared=no_judges_by == version_1.MODE,
            ),
        ]
    )
    if draft.problems:  # models of unknown providers cannot be checked
        return
    draft.problems.extend(model_checks.problems(config, at, writes=writes))
    draft.notes.extend(
        [
            *judging_checks.notes(config, draft.data),
            *provider_checks.notes(config),
            *(() if keys else provider_checks.worker_notes(config)),
            *model_checks.notes(config, at, writes=writes),
        ]
    )


def effective(loaded: LoadedConfig) -> list[tuple[str, Any, str]]:
    """Return every value of a config: dotted key, value and origin."""
    return [
        (dotted(key), value, loaded.origins[dotted(key)]) for key, value in _leaves(loaded.config)
    ]


def _read(path: Path) -> YamlFile:
    if not path.exists():
        raise RequestError(f"{path} does not exist; `acm init` writes a config", str(path))
    main = source.read_yaml(path)
    if not isinstance(main.data, dict):
        raise RequestError("a config must be a mapping of keys, such as runs:", f"{path}:1")
    return main


def _folder_problems(config: Config) -> Iterator[Problem]:
    inputs = Path(config.input_folder)
    if not inputs.exists():
        yield Problem(("input_folder",), f"input folder {inputs} does not exist")
    elif not inputs.is_dir():
        yield Problem(("input_folder",), f"input folder {inputs} is a file, not a folder")
    for name in ("output_folder", "winners_folder", "reports_folder"):
        folder = Path(getattr(config, name))
        if folder.resolve() == inputs.resolve():
            yield Problem((name,), f"{name} must not be the input folder")
        elif folder.exists() and not folder.is_dir():
            yield Problem((name,), f"{name} {folder} is a file, not a folder")


def _text(draft: Draft, name: str, file: str | None) -> str | None:
    try:
        return None if file is None else source.read_text(Path(file))
    except RequestError as error:
        draft.problems.append(Problem((name,), str(error)))
        return None


def _leaves(config: Config) -> Iterator[tuple[Key, Any]]:
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
