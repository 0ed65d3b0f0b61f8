"""The config of `acm judge`, which judges existing texts without writing candidates."""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from acm_api.config import (
    assignments,
    checking,
    completion,
    default_judges,
    provider_checks,
    rejudging,
    shape,
    source,
    version_1,
)
from acm_api.config.assignments import KeyAssignment
from acm_api.config.draft import ConfigDraft
from acm_api.config.loading import LoadedConfig
from acm_api.config.source import YamlFile

_UNUSED = ("runs", "iterations_default", "one_file_only", "skip")
"""Keys about writing, which are not used for existing texts."""


class TextsToJudge(NamedTuple):
    """The texts to judge with options; None selects a default.

    Attributes:
        folders: Folders of the texts.
        names: Names of the folders, for users.
        inputs: Folder of the source documents.
        instructions: File with the writers' instructions.
        config: A config whose judges, criteria, providers and options are used.
        judges: See ``rejudging.JudgingChanges``, also for the next one.
        output: Parent folder of the results.
        given: Values of single config keys, which override those of ``config``.
        writers: Further entries of ``runs``.
        what: Origin of the values, for users.
    """

    folders: Sequence[Path]
    names: Sequence[str]
    inputs: Path | None = None
    instructions: Path | None = None
    config: Path | None = None
    judges: str | None = None
    criteria: str | None = None
    output: Path | None = None
    given: Sequence[KeyAssignment] = ()
    writers: Sequence[Mapping[str, Any]] = ()
    what: str = "acm judge"


def load(
    asked: TextsToJudge,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: provider_checks.Keys = "here",
) -> LoadedConfig:
    """Return the checked config for judging texts.

    Args:
        asked: The texts and options.
        environ: See ``loading.load``, also for the others.
        at: Time of the judging.
        keys: The machines on which keys must be set.

    Raises:
        RequestError: The first problem, with all other problems in ``more``.
    """
    environ = os.environ if environ is None else environ
    draft = _draft(asked)
    folder = Path.cwd() if asked.config is None else asked.config.absolute().parent
    default_judges.choose(draft, environ)
    completion.complete(draft, folder)
    config = shape.valid_config(draft)
    checking.check(draft, config, environ, at, writes=True, keys=keys)
    if not config.judges:
        _advise(draft)
    draft.raise_faults()
    guidelines = config.guidelines_file
    return LoadedConfig.of(
        draft,
        config,
        _instructions(config.instructions_file),
        None if guidelines is None else source.read_text(Path(guidelines)),
    )


def _advise(draft: ConfigDraft) -> None:
    """Replace the name of a config key in a message by the options that name judges."""
    for index, one in enumerate(draft.problems):
        if one.key == ("judges",) and one.rank:
            message = (
                "nobody judges: name models with --judges PROVIDER:MODEL,... or a config that has"
                f" judges with --config FILE, or set a key: {', '.join(default_judges.variables())}"
            )
            draft.problems[index] = one._replace(message=message)


_NO_INSTRUCTIONS = "none"


def _instructions(file: str) -> str:
    if Path(file).name == _NO_INSTRUCTIONS and not Path(file).exists():
        return prompts.render("given_texts.md.j2")
    return source.read_text(Path(file))


def _draft(asked: TextsToJudge) -> ConfigDraft:
    data: dict[str, Any] = {}
    main = YamlFile(Path(asked.what), data, {})
    if asked.config is not None:
        main = source.read_yaml(asked.config)
        data = dict(main.data) if isinstance(main.data, dict) else {}
    for name in _UNUSED:
        data.pop(name, None)
    draft = version_1.translate(*assignments.assigned(main._replace(data=data), asked.given))
    _put_texts(draft, asked)
    if asked.judges is not None:
        rejudging.put_judges(draft, asked.judges)
    if asked.criteria is not None:
        rejudging.put_criteria(draft, asked.criteria)
    return draft


def _put_texts(draft: ConfigDraft, asked: TextsToJudge) -> None:
    data = draft.data
    data["runs"] = [
        {"type": "files", "folder": str(folder.absolute()), "model": name}
        for folder, name in zip(asked.folders, asked.names, strict=True)
    ] + [dict(one) for one in asked.writers]
    output = Path.cwd() if asked.output is None else asked.output.absolute()
    if asked.output is not None or "output_folder" not in data:
        data["output_folder"] = str(output / "outputs")
        data["winners_folder"], data["reports_folder"] = (
            str(output / "winners"),
            str(output / "reports"),
        )
    if asked.inputs is not None:
        data["input_folder"] = str(asked.inputs.absolute())
    else:
        data.setdefault("input_folder", str(asked.folders[0].absolute()))
    if asked.instructions is not None:
        data["instructions_file"] = str(asked.instructions.absolute())
    else:
        data.setdefault("instructions_file", _NO_INSTRUCTIONS)
    playoffs = data.get("playoffs")
    data["playoffs"] = {**(playoffs if isinstance(playoffs, dict) else {}), "enabled": False}
    draft.labels["playoffs", "enabled"] = f"{asked.what} writes nothing"
    draft.labels[("runs",)] = f"folders of {asked.what}"
