"""By whom and by what the candidates of a run are judged again: its own config, with changes."""

import os
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.config import completion, criteria, loading, nearest, shape, source, version_1
from acm_api.config import draft as drafts
from acm_api.config.draft import Draft, Places
from acm_api.config.source import Key, Located
from acm_workers.errors import RequestError
from schemas.config.config import Config
from schemas.config.judging import DEFAULT_CRITERIA, Criterion
from schemas.run import Run

_FROM_FILE = (
    "providers", "judges", "criteria", "pairwise", "playoffs", "ranking", "retries", "budget_usd",
    "policies", "missing_score", "cache", "json", "jsonify", "seed",
)  # fmt: skip
"""What another config may change; who wrote the candidates, and what they were asked, stays."""


class Changes(NamedTuple):
    """What is to be judged differently; absent is as it was.

    Attributes:
        judges: A file of judges, or names and ``provider:model`` with commas between.
        criteria: A file of criteria, or names with commas between.
        config: A config whose judging holds instead of the run's.
        budget_usd: The most that judging again may cost.
    """

    judges: str | None = None
    criteria: str | None = None
    config: Path | None = None
    budget_usd: float | None = None


class Rejudging(NamedTuple):
    """The config that a run is judged again with, and what people should know about it."""

    config: Config
    notes: tuple[str, ...]


def effective(
    run: Run,
    changes: Changes,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
    *,
    keys: bool = True,
) -> Rejudging:
    """Return the config of ``run`` with ``changes``, held to the checks of every config.

    Args:
        run: Whose candidates are judged again.
        changes: What is asked for.
        environ: Environment variables, for the providers' keys; this process's where absent.
        at: When it is to run; now where absent.
        keys: As in ``config_file.load``.

    Raises:
        RequestError: What must be mended.
    """
    if (changes.judges, changes.criteria, changes.config) == (None, None, None):
        message = "say by whom or by what to judge again: --judges, --criteria or --config"
        raise RequestError(message)
    data = run.config.model_dump(mode="json", by_alias=True)
    # Stored answers are the point of it, however the candidates were made.
    data["cache"] = "reuse"
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
        notes = [*loaded.notes, *_unlike(run, loaded)]
    if changes.budget_usd is not None:
        data["budget_usd"] = changes.budget_usd
    if data["pairwise"]["strategy"] != "adaptive":
        del data["pairwise"]["stop_confidence"]  # nobody asked for it
    draft = drafts.start(data)
    if not data["judges"]:
        draft.sources[("judges",)] = version_1.MODE  # its judges compare, and none scores
    if changes.judges is not None:
        _put_judges(draft, changes.judges, run)
    if changes.criteria is not None:
        _put_criteria(draft, changes.criteria, run)
    held = (os.environ if environ is None else environ) if keys else None
    return _checked(draft, Places(draft, Located(file, data, {})), held, at, notes)


def _checked(
    draft: Draft,
    places: Places,
    environ: Mapping[str, str] | None,
    at: datetime | None,
    notes: list[str],
) -> Rejudging:
    completion.complete(draft, Path.cwd())
    config = shape.config(draft.data)
    if not isinstance(config, Config):
        raise loading.first(places, [*draft.problems, *config])
    loading.check(draft, config, environ, at or datetime.now(UTC), writes=False)
    if draft.problems:
        raise loading.every(places, draft.problems)
    return Rejudging(config, tuple(dict.fromkeys([*notes, *draft.notes])))


def _unlike(run: Run, loaded: loading.LoadedConfig) -> list[str]:
    same = loaded.instructions == run.instructions and loaded.guidelines == run.guidelines
    hold = f"instructions and guidelines of run {run.id} hold: its candidates were written for them"
    return [] if same else [hold]


def _put_judges(draft: Draft, given: str, run: Run) -> None:
    """Let other judges do all judging."""
    path = Path(given)
    key: Key = ("judges",)
    draft.sources.pop(key, None)
    if _is_file(path):
        located = source.read_yaml(path)
        data: Any = located.data
        inner: Key = ()
        if isinstance(data, dict) and data.keys() == {"judges"}:
            data, inner = data["judges"], ("judges",)
        if not isinstance(data, list):
            message = f"{path} must hold a list named judges, and nothing else"
            raise RequestError(message, f"{path} (judges)")
        draft.mounts[key] = (located, inner)
    else:
        data = [_judge(name.strip(), run) for name in given.split(",")]
        draft.mounts[key] = (Located(Path("--judges"), data, {}), ("judges",))
    draft.data["judges"] = data
    for section in ("pairwise", "playoffs"):
        draft.data[section]["judges"] = None


def _judge(name: str, run: Run) -> dict[str, Any]:
    """Return a judge of the run by its name, or a new one.

    Raises:
        RequestError: It is neither.
    """
    lists = (run.config.judges, run.config.playoffs.judges or (), run.config.pairwise.judges or ())
    own = {judge.name: judge for judges in reversed(lists) for judge in judges}
    if name in own:
        known: dict[str, Any] = own[name].model_dump(mode="json", by_alias=True)
        return {**known, "weight": known["weight"] or 1.0}
    provider, colon, model = name.partition(":")
    known_ones = f"{run.id} ({', '.join(own) or 'it has none'})"
    if not name:
        message = "a judge without a name: give a file, provider:model, or a judge of run"
        raise RequestError(f"{message} {known_ones}", "--judges")
    if not colon or not provider or not model:
        message = f"{name} is neither a file, nor provider:model, nor a judge of run {known_ones}"
        raise RequestError(message, "--judges")
    return {"provider": provider, "model": model}


def _put_criteria(draft: Draft, given: str, run: Run) -> None:
    """Let everything be scored by other criteria."""
    draft.data["playoffs"]["criteria"] = None
    path = Path(given)
    if _is_file(path):
        criteria.mount(draft, source.read_yaml(path))
        return
    if path.suffix.lower() in (".yaml", ".yml"):
        raise RequestError(f"{path} does not exist", "--criteria")
    lists = (run.config.criteria, run.config.playoffs.criteria or ())
    own = {one.name: one.model_dump(mode="json") for found in reversed(lists) for one in found}
    names = [name.strip() for name in given.split(",")]
    if not all(names):
        message = "a criterion without a name: give a file, or names with commas between"
        raise RequestError(message, "--criteria")
    data = [own.get(name, {"name": name}) for name in names]
    known = {*own, *(one.name for one in DEFAULT_CRITERIA)}
    draft.notes.extend(_new(name, known) for name in names if name not in known)
    draft.data["criteria"] = data
    draft.mounts[("criteria",)] = (Located(Path("--criteria"), data, {}), ("criteria",))


def _new(name: str, known: Collection[str]) -> str:
    """Return what a criterion that nobody knows is taken for: it may be a slip, and is paid for."""
    taken = Criterion.model_construct(name=name)  # its name is checked with the others
    near = nearest.nearest(name, known)
    return (
        f"criterion {name} is new: weight {taken.weight:g}, scores from {taken.min:g} to"
        f" {taken.max:g}, without a description"
        + ("" if near is None else f"; did you mean {near}?")
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for a name: no file has it
        return False
