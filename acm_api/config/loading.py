"""Loading a config: read, translate old keys, complete, validate, check."""

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from acm_api.config import (
    assignments,
    batch_checks,
    completion,
    default_judges,
    forge_checks,
    judging_checks,
    model_checks,
    old_requirements,
    provider_checks,
    research_checks,
    shape,
    source,
    text_checks,
    text_schemas,
    version_1,
)
from acm_api.config.assignments import Assignment
from acm_api.config.draft import ConfigDraft, Problem
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.record import Record

FOLDERS = ("input_folder", "output_folder", "winners_folder", "reports_folder")
_NO_FOLDERS = {
    "input_folder": "inputs",
    "output_folder": "outputs",
    "winners_folder": "winners",
    "reports_folder": "reports",
    "instructions_file": "instructions.md",
}
"""Of a run that is made from texts: below the folder where `acm export` is called."""

_GIVEN = {"type": "files", "folder": "texts", "provider": "files", "model": "given"}


class LoadedConfig(Record):
    """A config that can run, with the texts that it names.

    Attributes:
        config: Effective; all paths are absolute.
        origins: Origin of each value by dotted key: file and line, or a default.
        notes: Messages for users, such as keys without effect.
    """

    config: Config
    instructions: str
    guidelines: str | None
    origins: dict[str, str]
    notes: tuple[str, ...] = ()


def load(  # noqa: PLR0913  each is an option of a command
    path: Path,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    writes: bool = True,
    keys: provider_checks.Keys = "here",
    given: Iterable[Assignment] = (),
    also: Callable[[Config], object] | None = None,
) -> LoadedConfig:
    """Return the config in ``path``; its relative paths start at its folder.

    Args:
        path: A YAML file.
        environ: Environment variables, for the providers' keys; this process's if absent.
        at: Time of the run; now if absent.
        writes: Whether the run writes candidates; else only its judging is checked.
        keys: Where the providers' keys must be set.
        given: Values for single keys, instead of those in the file.
        also: A further check of a config with valid values, such as that of its inputs.

    Raises:
        RequestError: The first fault with file, line and key, and the others in ``more``.
    """
    main, options = assignments.assigned(_read(path), given)
    draft = version_1.translate(main)
    draft.options.update(options)
    environ = os.environ if environ is None else environ
    draft.errors.extend(main.faults)
    folder = path.absolute().parent
    version_1.judges_of_llm_doc_eval(draft, folder)
    default_judges.add(draft, environ)
    version_1.judge_iterations(draft)
    with _collecting(draft):
        completion.complete(draft, folder)
        old_requirements.add(draft, environ)
    valid = _validated(draft)
    if valid is None:
        raise draft.error()
    config = valid.config
    told = [problem.key for problem in draft.problems]
    if writes:
        draft.problems.extend(_folder_problems(config))
    check(draft, config, environ, at, writes=writes, keys=keys)
    instructions = _text(draft, "instructions_file", config.instructions_file)
    guidelines = _text(draft, "guidelines_file", config.guidelines_file)
    if writes and instructions is not None and _is_placeholder(instructions):
        message = f"{config.instructions_file} is as `acm init` wrote it: say what is to be written"
        draft.problems.append(Problem(("instructions_file",), message))
    _place_in_draft(draft, valid, len(told))
    draft.drop_consequences(told)
    if also is not None and not any(one.key == ("input_folder",) for one in draft.problems):
        with _collecting(draft):
            also(config)
    if draft.problems or draft.errors or instructions is None:
        raise draft.error()
    return LoadedConfig(
        config=config,
        instructions=instructions,
        guidelines=guidelines,
        origins={dotted(key): draft.origin(key) for key, _ in leaves(config)},
        notes=tuple(draft.notes),
    )


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
    """Return the config of a run from texts, without folders and without reading files.

    Args:
        values: The values of a config file, without the keys of folders and files.
        instructions: What to write from each document.
        guidelines: Rules that writers and judges see as well.
        environ: As in ``load``.
        at: As in ``load``.
        keys: As in ``load``.
        given: Whether its candidates are texts as well, so that ``values`` has no ``runs``.

    Raises:
        RequestError: The first fault with its key, and the others in ``more``.
    """
    named = [name for name in (*FOLDERS, "instructions_file", "guidelines_file") if name in values]
    if named:
        raise RequestError(f"{named[0]} has no meaning in a run that is made from texts", named[0])
    if not instructions.strip():
        raise RequestError("instructions must say what is to be written", "instructions")
    data = copy.deepcopy(dict(values)) | _NO_FOLDERS
    draft = version_1.translate(YamlFile(Path("config"), data, {}))
    environ = os.environ if environ is None else environ
    default_judges.add(draft, environ)
    with source.without_files():
        with _collecting(draft):
            completion.complete(draft, Path.cwd())
        if given:
            draft.data["runs"] = [_GIVEN]
        valid = _validated(draft)
        if valid is None:
            raise draft.error()
        config, told = valid.config, len(draft.problems)
        check(draft, config, environ, at, writes=True, keys=keys)
        _place_in_draft(draft, valid, told)
    if draft.problems or draft.errors:
        raise draft.error()
    return LoadedConfig(
        config=config.model_copy(update=_NO_FOLDERS),
        instructions=instructions,
        guidelines=guidelines,
        origins={},
        notes=tuple(draft.notes),
    )


def check(
    draft: ConfigDraft,
    config: Config,
    environ: Mapping[str, str] | None,
    at: datetime | None,
    *,
    writes: bool,
    keys: provider_checks.Keys,
) -> None:
    """Add problems and notes about ``config`` to its draft; arguments as in ``load``."""
    if environ is None:
        environ = os.environ
    at = at or datetime.now(UTC)
    no_judges_by = draft.sources.get(("judges",))  # the key that left it without judges, if any
    draft.problems.extend(
        [
            *provider_checks.problems(config, environ, writes=writes, keys=keys),
            *(text_schemas.problems(config) if writes else ()),
            *judging_checks.problems(
                config,
                scored=no_judges_by != version_1.MODE and not version_1.judging_is_off(draft),
                compared=no_judges_by == version_1.MODE,
            ),
        ]
    )
    if writes:
        here = keys != "workers"
        draft.problems.extend(research_checks.problems(config, environ, here=here))
        draft.problems.extend(forge_checks.problems(config, environ, here=here))
    draft.problems.extend(text_checks.problems(config, here=keys != "workers"))
    checked = _with_addresses(config, draft.problems)
    draft.problems.extend(model_checks.problems(checked, at, writes=writes))
    draft.problems.extend(batch_checks.problems(checked, at, writes=writes))
    if draft.problems:
        return
    draft.notes.extend(
        [
            *judging_checks.notes(config, draft.data),
            *provider_checks.notes(config),
            *provider_checks.key_notes(config, environ, writes=writes, keys=keys),
            *model_checks.notes(config, at, writes=writes),
            *batch_checks.notes(config),
            *(forge_checks.notes(config) if writes else ()),
            *text_checks.notes(config),
        ]
    )


def _with_addresses(config: Config, problems: list[Problem]) -> Config:
    """Return ``config`` without the providers whose address is invalid."""
    wrong = {problem.key for problem in problems}
    sound = {
        name: provider
        for name, provider in config.providers.items()
        if ("providers", name, "base_url") not in wrong
    }
    return config.model_copy(update={"providers": sound})


def effective(loaded: LoadedConfig) -> list[tuple[str, Any, str]]:
    """Return every value of a config: dotted key, value and origin."""
    return [
        (dotted(key), value, loaded.origins[dotted(key)]) for key, value in leaves(loaded.config)
    ]


@contextmanager
def _collecting(draft: ConfigDraft) -> Iterator[None]:
    """Add an error to the problems of the draft, so that further problems are found too."""
    try:
        yield
    except RequestError as error:
        draft.errors.extend([error, *error.more])


def _validated(draft: ConfigDraft) -> shape.ValidRest | None:
    """Return the config of a draft; problems are collected, and later checks use the valid values.

    None if too little is valid.
    """
    found = shape.validate(draft.data)
    if isinstance(found, Config):
        return shape.ValidRest(found, {})
    told = {problem.key for problem in draft.problems}
    draft.problems.extend(problem for problem in found if problem.key not in told)
    return shape.validate_rest(draft.data, found)


def _place_in_draft(draft: ConfigDraft, valid: shape.ValidRest, first: int) -> None:
    """Give problems of a config, from the ``first`` one on, the places that they have in the draft.

    Where entries of a list were left out, the others have moved up.
    """
    draft.problems[first:] = [
        one._replace(key=valid.in_draft(one.key)) for one in draft.problems[first:]
    ]


def _read(path: Path) -> YamlFile:
    if not path.exists():
        raise RequestError(f"{path} does not exist; `acm init` writes a config", str(path))
    main = source.read_yaml(path, repeated=True)
    if not isinstance(main.data, dict):
        raise RequestError("a config must be a mapping of keys, such as runs:", f"{path}:1")
    return main


def _folder_problems(config: Config) -> Iterator[Problem]:
    for name in FOLDERS:
        try:
            Path(getattr(config, name)).exists()
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            yield Problem((name,), f"{name} cannot be used: {why}")
            return
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


def _text(draft: ConfigDraft, name: str, file: str | None) -> str | None:
    try:
        return None if file is None else source.read_text(Path(file))
    except RequestError as error:
        draft.problems.append(Problem((name,), str(error)))
        return None


def _is_placeholder(instructions: str) -> bool:
    shipped = resources.files("acm_api.demo").joinpath("starter_instructions.md")
    return instructions.split() == shipped.read_text("utf-8").split()


def leaves(config: Config) -> Iterator[tuple[Key, Any]]:
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
