"""Loading a config: from the user's YAML to an effective config, or one line that says why not."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acm_api.config import (
    completion,
    contradictions,
    judging_checks,
    model_checks,
    policies,
    provider_checks,
    shape,
    source,
    unavailable,
    version_1,
)
from acm_api.config.draft import Draft, Places, Problem
from acm_api.config.source import Key, Located, dotted
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.record import Record


class LoadedConfig(Record):
    """A config that can run, with the texts it names.

    Attributes:
        config: Effective; all paths are absolute.
        origins: Where each value comes from, by dotted key: file and line, or what derived it.
        notes: What people should know, such as keys that have no effect.
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
        at: When it is to run; now where absent.
        writes: Whether it is to write candidates; else only its judging is looked at.
        keys: Whether the providers' keys have to be here; not where workers elsewhere call them.

    Raises:
        RequestError: The first thing that must be mended, with file, line and key, and the rest.
    """
    main = _read(path)
    draft = version_1.translate(main.data)
    draft.problems.extend(unavailable.problems(draft.data))
    places = Places(draft, main)
    completion.complete(draft, path.absolute().parent)
    config = shape.config(draft.data)
    if not isinstance(config, Config):
        raise first(places, [*draft.problems, *config])
    if writes:
        draft.problems.extend(_folder_problems(config))
    given = (os.environ if environ is None else environ) if keys else None
    check(draft, config, given, at or datetime.now(UTC), writes=writes)
    instructions = _text(draft, "instructions_file", config.instructions_file)
    guidelines = _text(draft, "guidelines_file", config.guidelines_file)
    if draft.problems or instructions is None:
        raise every(places, draft.problems)
    return LoadedConfig(
        config=config,
        instructions=instructions,
        guidelines=guidelines,
        origins={dotted(key): places.origin(key) for key, _ in _leaves(config)},
        notes=tuple(draft.notes),
    )


def check(
    draft: Draft,
    config: Config,
    environ: Mapping[str, str] | None,
    at: datetime,
    *,
    writes: bool,
) -> None:
    """Add to a draft what is wrong with the config that it became, and what to know of it.

    Args:
        writes: Whether candidates are written, or only judged.
    """
    unjudged = draft.sources.get(("judges",))  # what left it without judges, if anything did
    draft.problems.extend(
        [
            *provider_checks.problems(config, environ, writes=writes),
            *judging_checks.problems(
                config,
                scored=unjudged not in (version_1.AUTO_RUN, version_1.MODE),
                compared=unjudged == version_1.MODE,
            ),
            *contradictions.problems(config),
            *policies.problems(config),
        ]
    )
    if draft.problems:  # models of unknown providers tell nothing new
        return
    draft.problems.extend(model_checks.problems(config, at, writes=writes))
    draft.notes.extend(
        [
            *contradictions.notes(config, draft.data),
            *policies.notes(config),
            *model_checks.notes(config, at, writes=writes),
        ]
    )


def effective(loaded: LoadedConfig) -> list[tuple[str, Any, str]]:
    """Return every value of a config: dotted key, value, and where it comes from."""
    return [
        (dotted(key), value, loaded.origins[dotted(key)]) for key, value in _leaves(loaded.config)
    ]


def _read(path: Path) -> Located:
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


def first(places: Places, problems: list[Problem]) -> RequestError:
    """Return the first of several problems as an error."""
    problem = min(problems, key=places.order)
    return RequestError(problem.message, places.where(problem.key))


def every(places: Places, problems: list[Problem]) -> RequestError:
    """Return the first problem as an error, and behind it the others of its rank."""
    ordered = sorted(problems, key=places.order)
    same = [problem for problem in ordered if problem.rank == ordered[0].rank]
    told = dict.fromkeys((places.where(problem.key), problem.message) for problem in same)
    first, *more = (RequestError(message, where) for where, message in told)
    first.more = tuple(more)
    return first


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
