"""What a config may get wrong about judges and criteria, found before anything is paid."""

import re
from collections.abc import Iterator

from acm_api.config.draft import Problem
from acm_api.config.source import Key, dotted
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge


def problems(config: Config, *, scored: bool, compared: bool) -> list[Problem]:
    """Return what is wrong with the judges and criteria of ``config``.

    Args:
        config: Of the right shape.
        scored: Whether candidates are to be scored, so that there must be judges.
        compared: Whether there must be judges of comparisons at least.
    """
    found = [*_judges(config)] if scored else [*_comparing(config)] if compared else []
    for key, criteria in criteria_lists(config).items():
        found += _criteria(key, criteria)
    return [*found, *_missing_score(config)]


def criteria_lists(config: Config) -> dict[Key, tuple[Criterion, ...]]:
    """Return the criteria of ``config`` by key: of all candidates, and of combined ones."""
    lists: dict[Key, tuple[Criterion, ...]] = {("criteria",): config.criteria}
    if config.playoffs.criteria is not None:
        lists["playoffs", "criteria"] = config.playoffs.criteria
    return lists


def _judges(config: Config) -> Iterator[Problem]:
    if not config.judges:
        yield Problem(("judges",), "judges is missing: name at least one model that judges", rank=1)
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
    """Yield what is wrong with judges that stand in for those that score.

    Args:
        named: Judges of other lists by name, and in which one they are; these are added.
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
        yield Problem(key, "every judge has weight 0, so nobody would judge")


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
