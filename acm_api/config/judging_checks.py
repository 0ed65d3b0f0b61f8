"""Checks of a config's judges, criteria, comparisons and scores."""

import re
from collections.abc import Iterator
from typing import Any

from acm_api.config import default_judges
from acm_api.config.draft import Problem
from acm_api.config.source import Key, dotted
from prompts import own
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge
from schemas.config.variant import Model, Variant

_KINDS: tuple[own.Kind, ...] = ("score", "compare")

_MOST_PARENTS = 26
"""Maximum number of candidates in one prompt, which are named by letters."""


def problems(config: Config, *, scored: bool, compared: bool) -> list[Problem]:
    """Return the problems of a config's judges and criteria.

    Args:
        scored: Whether candidates are scored, which requires judges.
        compared: Whether judges of comparisons are required.
    """
    found = [*_judges(config)] if scored else [*_comparing(config)] if compared else []
    for key, criteria in criteria_lists(config).items():
        found += _criteria(key, criteria)
    found += [*_missing_score(config), *_incomparable(config), *_parents(config)]
    return [*found, *_own_prompts(config)]


def notes(config: Config, data: dict[str, Any]) -> Iterator[str]:
    """Yield messages about values without effect, and about scores that are filled in.

    Args:
        data: The draft, which has no defaults.
    """
    if config.comparing_judges:
        yield from _strategy_notes(config, data)
    method = config.ranking.method
    if method not in ("auto", "score") and not config.comparing_judges:
        yield f"ranking.method {method} has no effect: nothing is compared, so scores decide"
    if config.missing_score is not None:
        yield (
            f"missing_score: scores that a judge leaves out are filled in with"
            f" {config.missing_score:g}, and counted as filled"
        )


def criteria_lists(config: Config) -> dict[Key, tuple[Criterion, ...]]:
    """Return the criteria of ``config`` by key: for all candidates, and for combined candidates."""
    lists: dict[Key, tuple[Criterion, ...]] = {("criteria",): config.criteria}
    if config.playoffs.criteria is not None:
        lists["playoffs", "criteria"] = config.playoffs.criteria
    return lists


def _judges(config: Config) -> Iterator[Problem]:
    if not config.judges:
        keys = ", ".join(default_judges.variables())
        message = (
            "judges is missing: name at least one model that judges, or set the key of a provider"
            f" that has a default judge ({keys})"
        )
        yield Problem(("judges",), message, rank=1)
        return
    yield from _list(("judges",), config.judges)
    named = {judge.name: (judge, "judges") for judge in config.judges}
    if config.pairwise.enabled:
        yield from _others(("pairwise", "judges"), config.pairwise.judges, named)
    if config.playoffs.enabled:
        yield from _others(("playoffs", "judges"), config.playoffs.judges, named)


def _comparing(config: Config) -> Iterator[Problem]:
    judges = config.pairwise.judges
    if judges:
        yield from _list(("pairwise", "judges"), judges)
    else:
        message = "judges is missing: name at least one model that compares"
        yield Problem(("pairwise", "judges"), message, rank=1)


def _others(
    key: Key, judges: tuple[Judge, ...] | None, named: dict[str, tuple[Judge, str]]
) -> Iterator[Problem]:
    """Yield the problems of separate judges for comparisons and playoffs.

    Args:
        named: Judges of other lists by name, with the key of their list; these are added.
    """
    if judges is None:
        return
    if not judges:
        message = f"{dotted(key)} must not be empty; null stands for the judges that score"
        yield Problem(key, message)
        return
    yield from _list(key, judges)
    for index, judge in enumerate(judges):
        other, place = named.setdefault(judge.name, (judge, dotted(key)))
        if (other.provider, other.model) != (judge.provider, judge.model):
            message = f"judge {judge.name} is another model here than in {place}; rename one"
            yield Problem((*key, index, "name"), message)


def _list(key: Key, judges: tuple[Judge, ...]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, judge in enumerate(judges):
        if judge.name in seen:
            message = f"two judges have the name {judge.name}; give one of them another name"
            yield Problem((*key, index, "name"), message)
        if not judge.name.strip():
            yield Problem((*key, index, "name"), "the name of a judge must not be empty")
        if judge.system_prompt is not None and not judge.system_prompt.strip():
            message = "system_prompt must not be empty; leave it out for the shipped one"
            yield Problem((*key, index, "system_prompt"), message)
        seen.add(judge.name)
    if not any(judge.weight > 0 for judge in judges):
        yield Problem(key, "every judge has weight 0, so none would judge")


def _criteria(section: Key, criteria: tuple[Criterion, ...]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for index, criterion in enumerate(criteria):
        key: Key = (*section, index, "name")
        slug = re.sub(r"\W+", "_", criterion.name.casefold()).strip("_")
        if not slug:
            yield Problem(key, f"criterion {criterion.name!r} needs a letter in its name")
        elif slug in seen:
            message = f"two criteria have the name {criterion.name}"
            if seen[slug] != criterion.name:
                message = f"criteria {seen[slug]} and {criterion.name} are too alike to tell apart"
            yield Problem(key, f"{message}; rename one")
        seen.setdefault(slug, criterion.name)
    if not any(criterion.weight > 0 for criterion in criteria):
        yield Problem(section, "every criterion has weight 0, so nothing would count")


def _missing_score(config: Config) -> Iterator[Problem]:
    value = config.missing_score
    if value is None:
        return
    for criteria in criteria_lists(config).values():
        for criterion in criteria:
            if not criterion.min <= value <= criterion.max:
                message = (
                    f"missing_score {value:g} is not on the scale of {criterion.name},"
                    f" {criterion.min} to {criterion.max}"
                )
                yield Problem(("missing_score",), f"{message}; choose another, or leave it out")
                return


def _incomparable(config: Config) -> Iterator[Problem]:
    """Yield a problem if candidates have scores on different scales and are not compared."""
    playoffs = config.playoffs
    if playoffs.enabled and not playoffs.same_scale and not config.comparing_judges:
        name = "judges" if playoffs.judges is not None else "criteria"
        message = (
            f"playoffs.{name} gives combined candidates scores of their own scale, and"
            " pairwise.enabled is false: nothing would tell whether they are better;"
            f" compare them, or leave playoffs.{name} out"
        )
        yield Problem(("playoffs", name), message)


def _own_prompts(config: Config) -> Iterator[Problem]:
    """Yield problems of judges' templates that omit the candidates or name their writers."""
    entries: tuple[Variant | Model, ...] = (*config.writers, *(config.playoffs.models or ()))
    writers = {one.model: f"{one.provider}:{one.model}" for one in entries}
    lists: dict[Key, tuple[Judge, ...]] = {
        ("judges",): config.judges,
        ("pairwise", "judges"): config.pairwise.judges or (),
        ("playoffs", "judges"): config.playoffs.judges or (),
    }
    templates = (
        ((*key, index, "prompts", kind), kind, getattr(judge.prompts, kind, None))
        for key, judges in lists.items()
        for index, judge in enumerate(judges)
        for kind in _KINDS
    )
    for key, kind, template in templates:
        if template is None:
            continue
        for fault in own.faults(kind, template):
            yield Problem(key, f"{dotted(key)} cannot be used: {fault}")
        writer = own.named(template, writers)
        if writer is not None:
            yield Problem(key, f"{dotted(key)} names {writer}, and judging is blind; leave it out")


def _parents(config: Config) -> Iterator[Problem]:
    """Yield a problem if a combining prompt would contain too many candidates, or none."""
    top_n = config.playoffs.parents == "top_n"
    if config.playoffs.enabled and top_n and config.ranking.top_n is None:
        message = "playoffs.parents: top_n needs ranking.top_n, which is null"
        yield Problem(("playoffs", "parents"), message)
    if config.playoffs.enabled and config.most_parents > _MOST_PARENTS:
        message = (
            f"playoffs.parents: top_n combines up to {config.most_parents} candidates here, and at"
            f" most {_MOST_PARENTS} can be; lower ranking.top_n"
        )
        yield Problem(("playoffs", "parents"), message)


def _strategy_notes(config: Config, data: dict[str, Any]) -> Iterator[str]:
    """Yield notes on bounds of comparisons that the strategy does not use."""
    strategy = config.pairwise.strategy
    if config.pairwise.max_comparisons is not None and strategy in ("round_robin", "top_k"):
        hint = "pairwise.top_n compares fewer candidates"
        yield f"pairwise.max_comparisons has no effect with strategy {strategy}; {hint}"
    for key in ("stop_confidence", "stop_within"):
        if strategy != "adaptive" and data.get("pairwise", {}).get(key) is not None:
            what = f"pairwise.{key} has no effect with strategy {strategy}"
            yield f"{what}; adaptive alone stops by it"
