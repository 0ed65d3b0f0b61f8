"""The config for judging a run again, with other judges or criteria."""

import copy
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from acm_api.config import (
    checking,
    completion,
    criteria,
    loading,
    nearest,
    provider_checks,
    shape,
    source,
)
from acm_api.config.draft import MODE, ConfigDraft
from acm_api.config.source import Key, YamlFile
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.config.judging import DEFAULT_CRITERIA, Criterion, Judge
from schemas.config.ranking import TopN
from schemas.run import Run

_FROM_FILE = (
    "providers", "judges", "criteria", "pairwise", "playoffs", "ranking", "retries", "budget_usd",
    "policies", "missing_score", "cache", "json", "jsonify", "seed",
)  # fmt: skip
"""Keys that another config may change; writing models and their instructions stay the same."""


class JudgingChanges(NamedTuple):
    """Changes to the judging of a run; None means no change.

    Attributes:
        judges: A file of judges, or a comma-separated list of names and ``provider:model``.
        criteria: A file of criteria, or a comma-separated list of names.
        config: A config whose judging options replace the options of the run.
        budget_usd: Maximum cost of judging again.
    """

    judges: str | None = None
    criteria: str | None = None
    config: Path | None = None
    budget_usd: float | None = None


class RejudgingConfig(NamedTuple):
    """The config for judging a run again, with messages for users."""

    config: Config
    notes: tuple[str, ...]


def effective(
    run: Run,
    changes: JudgingChanges,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: provider_checks.Keys = "here",
) -> RejudgingConfig:
    """Return the checked config of ``run`` with ``changes``.

    Args:
        run: The run whose candidates are judged again.
        changes: At least one of judges, criteria and config.
        environ: See ``loading.load``.
        at: See ``loading.load``.
        keys: See ``loading.load``.

    Raises:
        RequestError: The first problem, with all other problems in ``more``.
    """
    if (changes.judges, changes.criteria, changes.config) == (None, None, None):
        message = "name other judges or criteria: --judges, --criteria or --config"
        raise RequestError(message)
    data = _data(run)
    file, notes = Path(f"run {run.id}"), []
    if changes.config is not None:
        loaded = loading.load(changes.config, environ, at, writes=False, keys=keys)
        given = loaded.config.model_dump(mode="json", by_alias=True)
        data |= {name: given[name] for name in _FROM_FILE}
        data["providers"] = {
            **run.config.model_dump(mode="json")["providers"],
            **given["providers"],
        }
        file = changes.config
        notes = [*loaded.notes, *_text_notes(run, loaded)]
    if changes.budget_usd is not None:
        data["budget_usd"] = changes.budget_usd
    draft = _draft(data, file)
    if changes.judges is not None:
        put_judges(draft, changes.judges, run)
    if changes.criteria is not None:
        put_criteria(draft, changes.criteria, run)
    config = _checked(draft, environ, at, keys)
    return RejudgingConfig(config, tuple(dict.fromkeys([*notes, *draft.notes])))


class EvaluationChanges(NamedTuple):
    """Options of an HTTP request that evaluates artifacts of a run again.

    Attributes:
        mode: Whether artifacts are scored, compared, or both; default: as in the run.
        judges: Judges as in a config, or names; default: the judges of the run.
        criteria: Criteria as in a config, or names; default: the criteria of the run.
        iterations: Iterations of each judge.
        pairwise: Whether pairs are compared; default: according to ``mode``.
        top_n: Number of candidates that are listed as the best.
        budget_usd: Maximum cost; default: that of the run.
    """

    mode: Literal["single_doc", "pairwise", "full"] | None = "full"
    judges: Sequence[str | Mapping[str, Any]] | None = None
    criteria: Sequence[str | Mapping[str, Any]] | None = None
    iterations: int | None = None
    pairwise: bool | None = None
    top_n: int | None = None
    budget_usd: float | None = None


def evaluation(
    run: Run,
    changes: EvaluationChanges,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: provider_checks.Keys = "here",
) -> Config:
    """Return the config for evaluating artifacts of ``run`` again, without reading files.

    Args:
        run: The run of the artifacts.
        changes: The differences from the run.
        environ: See ``loading.load``.
        at: See ``loading.load``.
        keys: See ``loading.load``.

    Raises:
        RequestError: The first problem, with all other problems in ``more``.
    """
    data = _data(run)
    if changes.budget_usd is not None:
        data["budget_usd"] = changes.budget_usd
    if changes.judges is not None:
        data["judges"] = [
            _judge(one, run, "config.judges") if isinstance(one, str) else dict(one)
            for one in changes.judges
        ]
        for section in ("pairwise", "playoffs"):
            data[section]["judges"] = None
    if changes.criteria is not None:
        own = _own_criteria(run)
        data["criteria"] = [
            own.get(one, one) if isinstance(one, str) else copy.deepcopy(one)
            for one in changes.criteria
        ]
        data["playoffs"]["criteria"] = None
    for judge in data["judges"] if changes.iterations is not None else ():
        judge["iterations"] = changes.iterations
    if changes.mode == "pairwise" and data["judges"]:
        data["pairwise"]["judges"] = data["pairwise"]["judges"] or data["judges"]
        data["judges"] = []
    if changes.pairwise is not None:
        data["pairwise"]["enabled"] = changes.pairwise
    elif changes.mode is not None:
        data["pairwise"]["enabled"] = changes.mode != "single_doc"
    if changes.top_n is not None:
        top_n = data["ranking"]["top_n"] or TopN().model_dump()
        most = max(changes.top_n, top_n["max"])
        data["ranking"]["top_n"] = top_n | {"count": changes.top_n, "max": most}
    with source.without_files():
        return _checked(_draft(data, Path(f"run {run.id}")), environ, at, keys)


class JudgingValues(NamedTuple):
    """Judges and criteria of a request; None means no change."""

    judges: list[Any] | None
    criteria: list[Any] | None


def as_values(changes: JudgingChanges) -> JudgingValues:
    """Return judges and criteria for a server, which knows the run; files are read here.

    Raises:
        RequestError: A file is not valid, or nothing is changed.
    """
    if changes.config is not None:
        message = "--config is not for runs on a server; name --judges or --criteria"
        raise RequestError(message)
    if (changes.judges, changes.criteria) == (None, None):
        raise RequestError("name other judges or criteria: --judges or --criteria")
    draft = ConfigDraft({}, YamlFile(Path("--judges"), {}, {}))
    judges = criteria = None
    if changes.judges is not None:
        judges = [name.strip() for name in changes.judges.split(",")]
        if _is_file(Path(changes.judges)):
            put_judges(draft, changes.judges)
            judges = draft.data["judges"]
    if changes.criteria is not None:
        put_criteria(draft, changes.criteria)
        draft.raise_faults()
        criteria = draft.data["criteria"]
        if not _is_file(Path(changes.criteria)):
            criteria = [one["name"] for one in criteria]
    return JudgingValues(judges, criteria)


def _data(run: Run) -> dict[str, Any]:
    data = run.config.model_dump(mode="json", by_alias=True)
    # Answers that are stored are reused, even if the run wrote its candidates without.
    data["cache"] = "reuse"
    return data


def _draft(data: dict[str, Any], file: Path) -> ConfigDraft:
    if data["pairwise"]["strategy"] != "adaptive":
        del data["pairwise"]["stop_confidence"]  # a default that the check would report
    data = {name: value for name, value in data.items() if value is not None}
    draft = ConfigDraft(data, YamlFile(file, data, {}))
    if not data["judges"]:
        draft.sources[("judges",)] = MODE  # its judges compare, and none scores
    return draft


def _checked(
    draft: ConfigDraft,
    environ: Mapping[str, str] | None,
    at: datetime | None,
    keys: provider_checks.Keys,
) -> Config:
    completion.complete(draft, Path.cwd())
    config = shape.valid_config(draft)
    checking.check(draft, config, environ, at, writes=False, keys=keys)
    draft.raise_faults()
    return config


def _text_notes(run: Run, loaded: loading.LoadedConfig) -> list[str]:
    """Return a note if the other config has different instructions, which are not used."""
    if loaded.instructions == run.instructions and loaded.guidelines == run.guidelines:
        return []
    message = "instructions and guidelines of run {id} hold: its candidates were written for them"
    return [message.format(id=run.id)]


def put_judges(draft: ConfigDraft, given: str, run: Run | None = None) -> None:
    """Replace all judges by judges from a file, by named judges of ``run``, or by models."""
    path = Path(given)
    key: Key = ("judges",)
    draft.sources.pop(key, None)
    if _is_file(path):
        judges_file = source.read_yaml(path)
        data: Any = judges_file.data
        inner: Key = ()
        if isinstance(data, dict) and data.keys() == {"judges"}:
            data, inner = data["judges"], ("judges",)
        if not isinstance(data, list):
            message = f"{path} must hold a list named judges, and nothing else"
            raise RequestError(message, f"{path} (judges)")
        draft.mounts[key] = (judges_file, inner)
    else:
        data = [_judge(name.strip(), run, "--judges") for name in given.split(",")]
        draft.mounts[key] = (YamlFile(Path("--judges"), data, {}), ("judges",))
    draft.data["judges"] = data
    for section in ("pairwise", "playoffs"):
        if isinstance(draft.data.get(section), dict):
            draft.data[section]["judges"] = None


def _judge(name: str, run: Run | None, where: str) -> dict[str, Any]:
    """Return the judge of the run with this name, or a new judge for ``provider:model``.

    Raises:
        RequestError: The name is neither.
    """
    own = {} if run is None else _own_judges(run.config)
    if name in own:
        known: dict[str, Any] = own[name].model_dump(mode="json", by_alias=True)
        return {**known, "weight": known["weight"] or 1.0}
    provider, colon, model = name.partition(":")
    of_run = "" if run is None else f" a judge of run {run.id} ({', '.join(own) or 'it has none'})"
    if not name:
        either = f", provider:model, or{of_run}" if of_run else " or provider:model"
        raise RequestError(f"a judge without a name: give a file{either}", where)
    if not colon or not provider or not model:
        nor = f", nor{of_run}" if of_run else ""
        file = "a file, nor " if where.startswith("--") else ""
        raise RequestError(f"{name} is neither {file}provider:model{nor}", where)
    return {"provider": provider, "model": model}


def _own_judges(config: Config) -> dict[str, Judge]:
    lists = (config.judges, config.playoffs.judges or (), config.pairwise.judges or ())
    return {judge.name: judge for judges in reversed(lists) for judge in judges}


def put_criteria(draft: ConfigDraft, given: str, run: Run | None = None) -> None:
    """Replace all criteria by criteria from a file, or by named criteria (also of ``run``)."""
    if isinstance(draft.data.get("playoffs"), dict):
        draft.data["playoffs"]["criteria"] = None
    path = Path(given)
    if _is_file(path):
        criteria.mount(draft, source.read_yaml(path))
        return
    if path.suffix.lower() in (".yaml", ".yml"):
        raise RequestError(f"{path} does not exist", "--criteria")
    own = {} if run is None else _own_criteria(run)
    names = [name.strip() for name in given.split(",")]
    if not all(names):
        message = "a criterion without a name: give a file, or names with commas between"
        raise RequestError(message, "--criteria")
    data = [own.get(name, {"name": name}) for name in names]
    known = {*own, *(one.name for one in DEFAULT_CRITERIA)}
    draft.notes.extend(_new(name, known) for name in names if name not in known)
    draft.data["criteria"] = data
    draft.mounts[("criteria",)] = (YamlFile(Path("--criteria"), data, {}), ("criteria",))


def _own_criteria(run: Run) -> dict[str, dict[str, Any]]:
    lists = (run.config.criteria, run.config.playoffs.criteria or ())
    return {one.name: one.model_dump(mode="json") for found in reversed(lists) for one in found}


def _new(name: str, known: Collection[str]) -> str:
    """Return a note about an unknown criterion, which may be a misspelling."""
    default = Criterion.model_construct(name=name)  # its name is checked with the others
    near = nearest.nearest(name, known)
    return (
        f"criterion {name} is new: weight {default.weight:g}, scores from {default.min:g} to"
        f" {default.max:g}, without a description"
        + ("" if near is None else f"; did you mean {near}?")
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for the name of a file
        return False
