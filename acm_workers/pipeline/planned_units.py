"""The likely and the highest numbers of a document's units; pure."""

from collections.abc import Iterator
from typing import NamedTuple

from acm_workers.ranking import pairs
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.variant import Model, Variant
from schemas.plan import PlanStage

_ADAPTIVE_SHARE = 0.8
"""Share of the allowed comparisons that ``adaptive`` asks if pairs can be compared more than once;
with one judge and one iteration it asks nearly all. Simulated; see decision 0040."""


class PlannedUnits(NamedTuple):
    """Units of one stage by one entry of the config, for one document.

    Attributes:
        combined: Whether the units score combined candidates.
        alternative: Whether only one of several such entries is used; the ranking decides which.
        batched: Whether the first requests of the units are sent in batches.
    """

    stage: PlanStage
    entry: Variant | Judge | Model
    likely: float
    most: int
    combined: bool = False
    alternative: bool = False
    batched: bool = False


def of_document(config: Config, given: int = 0) -> list[PlannedUnits]:
    """Return the units of one document.

    Args:
        given: Number of the document's existing candidates.
    """
    candidates = given + sum(variant.iterations for variant in config.writers)
    found = [
        PlannedUnits(
            "generate",
            variant,
            variant.iterations,
            variant.iterations,
            batched=variant.delivery == "batch",
        )
        for variant in config.writers
    ]
    judged = config.scoring_judges or config.comparing_judges
    combining: list[PlannedUnits] = []
    if config.playoffs.enabled and candidates >= 2 and judged:
        combining = list(_combine(config))
    combined = 1 if any(one.alternative for one in combining) else len(combining)
    return [*found, *combining, *judging(config, candidates, combined)]


def judging(config: Config, candidates: int, combined: int) -> list[PlannedUnits]:
    """Return the units that judge the candidates of one document.

    Args:
        candidates: Number of candidates that are not combined.
        combined: Number of combined candidates, which are written after the others are judged.
    """
    found = list(_score(config, candidates, combined=False))
    if combined:
        found += _score(config, combined, combined=True)
    judges = config.comparing_judges
    first = [_comparisons(config, number, 0) for number in range(candidates + 1)]
    later = [_comparisons(config, number, combined) for number in range(candidates + 1)]
    if not combined or not config.playoffs.pairwise:
        later = [dict.fromkeys(first[-1], 0)]
    repeats = len(judges) * config.pairwise.iterations > 1
    for judge in judges:
        share = _ADAPTIVE_SHARE if repeats and config.pairwise.strategy == "adaptive" else 1.0
        # Fewer candidates can mean more comparisons: `auto` chooses the strategy by their number.
        rounds = [
            (part[-1][judge.name], max(one[judge.name] for one in part)) for part in (first, later)
        ]
        if judge.delivery == "batch":
            usual, most = rounds[0]
            found.append(PlannedUnits("compare", judge, round(usual * share), most, batched=True))
            rounds[0] = 0, 0
        usual = round(sum(number for number, _ in rounds) * share)
        most = sum(number for _, number in rounds)
        if most or judge.delivery == "live":
            found.append(PlannedUnits("compare", judge, usual, most))
    return found


def _combine(config: Config) -> Iterator[PlannedUnits]:
    """Yield the units that combine: by the configured models, else by any candidate's model."""
    if config.playoffs.models:
        for model in config.playoffs.models:
            yield PlannedUnits("combine", model, 1, 1)
        return
    models = dict.fromkeys((variant.provider, variant.model) for variant in config.calling_writers)
    for provider, name in models:
        entry = Model(provider=provider, model=name)
        yield PlannedUnits("combine", entry, 1 / len(models), 1, alternative=True)


def _score(config: Config, candidates: int, *, combined: bool) -> Iterator[PlannedUnits]:
    for judge in config.judges_of(combined=combined):
        units = candidates * config.iterations_of(judge, combined=combined)
        batched = config.delivery_of(judge, combined=combined) == "batch"
        yield PlannedUnits("score", judge, units, units, combined, batched=batched)


def _comparisons(config: Config, candidates: int, combined: int) -> dict[str, int]:
    """Return the maximum number of comparisons by each judge for a number of candidates."""
    compared = candidates
    if config.scoring_judges:
        # Without scores all are compared.
        compared = pairs.admitted(config.pairwise, candidates)
    return pairs.most(compared, combined, config.comparing_judges, config.pairwise)
