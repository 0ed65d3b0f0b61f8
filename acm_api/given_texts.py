"""Judging existing texts, from a program."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import prompts
from acm_api import library
from acm_api.config import loading
from acm_api.config.provider_checks import Keys
from acm_api.files import inputs
from acm_api.ranked_results import Results
from acm_api.run_events import OnEvent
from acm_workers.errors import RequestError
from acm_workers.submit import GivenText, RunInput

_WRITING = ("runs", "iterations_default", "one_file_only")
"""Keys of a config about writing."""


def judge_texts(  # noqa: PLR0913  each is an option of judging
    texts: Mapping[str, Sequence[str] | Mapping[str, str]],
    *,
    sources: Mapping[str, str] | None = None,
    instructions: str | None = None,
    judges: Sequence[Mapping[str, Any]] | None = None,
    criteria: Sequence[str | Mapping[str, Any]] | None = None,
    config: Mapping[str, Any] | None = None,
    on_event: OnEvent | None = None,
    home: str | Path | None = None,
) -> Results:
    """Score, compare and rank existing texts; nothing is written.

    Args:
        texts: Texts by document: a list, or a mapping by name.
        sources: Source documents of the texts, by document.
        instructions: Instructions of their writers.
        judges: Each with ``provider`` and ``model``; default: one of each provider with a key.
        criteria: Names, or mappings as in a config; default: the usual ones.
        config: Further values of a config, such as ``providers`` and ``pairwise``.
        on_event: See ``acm_api.run``.
        home: See ``acm_api.run``.

    Raises:
        acm_workers.errors.RequestError: A value or a text is not valid.
    """
    values = {name: value for name, value in (config or {}).items() if name not in _WRITING}
    values["playoffs"] = {**values.get("playoffs", {}), "enabled": False}
    if judges is not None:
        values["judges"] = [dict(one) for one in judges]
    if criteria is not None:
        values["criteria"] = list(criteria)
    settings = library.settings_of(home)
    asked = instructions or prompts.render("given_texts.md.j2")
    keys: Keys = "here" if settings.broker_url is None else "workers"
    loaded = loading.load_values(values, asked, keys=keys, given=True)
    given = {inputs.checked_name(name): _given_texts(name, found) for name, found in texts.items()}
    if not given:
        raise RequestError("texts must hold at least one document", "texts")
    known = dict(sources or {})
    unknown = [name for name in known if name not in given]
    if unknown:
        raise RequestError(f'sources names "{unknown[0]}", which has no texts', "sources")
    for name, text in known.items():
        inputs.check_text(name, text)
    work = RunInput(
        title="texts",
        config=loaded.config,
        instructions=loaded.instructions,
        guidelines=None,
        inputs={name: known.get(name, "") for name in given},
        given=given,
    )
    return library.run_work(work, settings, on_event)


def _given_texts(name: str, texts: Sequence[str] | Mapping[str, str]) -> tuple[GivenText, ...]:
    if isinstance(texts, str):
        raise RequestError(f"texts of {name} must be a list, or a mapping by name", "texts")
    named = (
        texts
        if isinstance(texts, Mapping)
        else {f"text {number}": text for number, text in enumerate(texts, start=1)}
    )
    if not named:
        raise RequestError(f"{name} has no text", "texts")
    for own, text in named.items():
        inputs.check_text(f"{name}: {own}", text)
    return tuple(GivenText(1, own[:200], f"{name}#{own}", text) for own, text in named.items())
