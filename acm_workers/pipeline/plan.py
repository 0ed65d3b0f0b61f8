"""Plans: the likely and the highest amounts of a run; a pure function of config and inputs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from acm_workers.pipeline import paid_providers, planned_units
from acm_workers.pipeline.call_amounts import NOTHING, CallAmounts, CallEstimate
from acm_workers.pipeline.call_estimates import CallEstimator, SourceTokens
from acm_workers.pipeline.planned_units import PlannedUnits
from acm_workers.processes import slots
from acm_workers.providers.catalog import prices
from schemas.config.config import Config
from schemas.config.provider import Provider
from schemas.plan import ExpectedTotals, PlanAmounts, PlanLine, PlanStage, RunPlan

_STAGES: tuple[PlanStage, ...] = ("generate", "score", "compare", "combine")

_Limited = tuple[str, str | None]
"""A provider and one of its models, or the provider as a whole."""


class _Line(NamedTuple):
    """Units of one entry of the config for some documents, and their calls to one model."""

    units: PlannedUnits
    kind: CallEstimate
    likely: CallAmounts
    most: CallAmounts


def plan(
    config: Config,
    instructions: str,
    guidelines: str | None,
    inputs: Sequence[str],
    at: datetime,
    given: Mapping[int, Sequence[str]] | None = None,
) -> RunPlan:
    """Return the likely and the highest amounts of a run over ``inputs``.

    Args:
        config: Config of the run.
        instructions: Instructions for the candidates.
        guidelines: Guidelines of writers and judges.
        inputs: The texts of the documents.
        at: Start of the run; prices depend on it.
        given: Existing candidates, by the index of their document.
    """
    given = given or {}
    texts = [text for candidates in given.values() for text in candidates]
    estimator = CallEstimator(config, instructions, guidelines, at, texts)
    sources: dict[int, list[SourceTokens]] = defaultdict(list)
    for index, text in enumerate(inputs):
        sources[len(given.get(index, ()))].append(SourceTokens.of(text))
    lines: list[_Line] = []
    units = dict.fromkeys(_STAGES, 0)
    for number, same in sources.items():
        planned = planned_units.of_document(config, number)
        lines += [line for one in planned for line in _lines(estimator, one, same)]
        for one in planned:
            if not one.alternative:
                units[one.stage] += one.most * len(same)
        if any(one.alternative for one in planned):
            units["combine"] += len(same)
    return _plan(config, lines, at, documents=len(inputs), units=units)


def plan_judging(
    config: Config,
    instructions: str,
    guidelines: str | None,
    documents: Sequence[tuple[str, int, int]],
    at: datetime,
) -> RunPlan:
    """Return the likely and the highest amounts of judging existing candidates.

    Args:
        config: Config of the judges, and of the variants that wrote the candidates.
        instructions: Instructions for which the candidates were written.
        guidelines: Guidelines for judges.
        documents: For each document its source, and its numbers of original and combined
            candidates.
        at: Start of the run; prices depend on it.
    """
    estimator = CallEstimator(config, instructions, guidelines, at)
    units = dict.fromkeys(_STAGES, 0)
    lines: list[_Line] = []
    for source, candidates, combined in documents:
        for one in planned_units.judging(config, candidates, combined):
            units[one.stage] += one.most
            lines += _lines(estimator, one, [SourceTokens.of(source)])
    return _plan(config, lines, at, documents=len(documents), units=units)


def expected(planned: RunPlan) -> ExpectedTotals:
    """Return the part of a plan that is stored with its run."""
    return ExpectedTotals(
        calls=planned.likely.calls or 0,
        usd=planned.likely.usd,
        most_calls=planned.most.calls,
        most_usd=planned.most.usd,
    )


def _lines(
    estimator: CallEstimator, units: PlannedUnits, sources: Sequence[SourceTokens]
) -> Iterator[_Line]:
    for kind in estimator.kinds(units):
        likely, most = NOTHING, NOTHING
        for source in sources:
            likely = likely.plus(estimator.likely(kind, source))
            most = most.plus(estimator.most(kind, source))
        yield _Line(units, kind, likely.times(units.likely), most.times(units.most))


def _plan(
    config: Config,
    lines: Sequence[_Line],
    at: datetime,
    *,
    documents: int,
    units: dict[PlanStage, int],
) -> RunPlan:
    likely, most, alternatives = NOTHING, NOTHING, NOTHING
    for line in lines:
        likely = likely.plus(line.likely)
        if line.units.alternative:
            alternatives = alternatives.highest(line.most)
        else:
            most = most.plus(line.most)
    most = most.plus(alternatives)
    unknown = _unknown_prices(config, lines, at)
    if config.budget_usd is not None and not unknown:
        usd = config.budget_usd if most.usd is None else min(most.usd, config.budget_usd)
        most = most._replace(usd=usd)
    return RunPlan(
        documents=documents,
        units=units,
        lines=tuple(_by_stage_and_model(config, lines)),
        likely=_rounded(likely, _minutes(config, lines)),
        most=_rounded(most),
        unbounded=tuple(dict.fromkeys(_unbounded(config, lines))),
        unknown_prices=tuple(unknown),
        budget_usd=config.budget_usd,
    )


def _by_stage_and_model(config: Config, lines: Sequence[_Line]) -> Iterator[PlanLine]:
    groups: dict[tuple[PlanStage, str, str, bool], list[_Line]] = defaultdict(list)
    for line in lines:
        if line.units.most:
            kind = line.kind
            groups[line.units.stage, kind.provider, kind.model, kind.batched].append(line)
    for (stage, provider, model, batched), group in sorted(
        groups.items(), key=lambda item: _STAGES.index(item[0][0])
    ):
        likely, most = NOTHING, NOTHING
        for line in group:
            likely, most = likely.plus(line.likely), most.plus(line.most)
        yield PlanLine(
            stage=stage,
            provider=provider,
            model=model,
            likely=_rounded(likely, _minutes(config, group)),
            most=_rounded(most),
            alternative=any(line.units.alternative for line in group),
            batched=batched,
        )


def _rounded(amounts: CallAmounts, minutes: float | None = None) -> PlanAmounts:
    def whole(number: float | None) -> int | None:
        return None if number is None else round(number)

    return PlanAmounts(
        calls=whole(amounts.calls),
        input_tokens=whole(amounts.input_tokens),
        output_tokens=whole(amounts.output_tokens),
        searches=whole(amounts.searches),
        usd=None if amounts.usd is None else round(amounts.usd, 6),
        minutes=minutes,
    )


def _unknown_prices(config: Config, lines: Sequence[_Line], at: datetime) -> list[str]:
    found, paid = set(), paid_providers.of(config)
    for line in lines:
        kind = line.kind
        if kind.external:
            continue
        price = prices.known(paid[kind.provider], kind.model, at)
        if price is None or prices.search_fee(price, round(kind.searches.likely)) is None:
            found.add(f"{kind.provider}:{kind.model}")
    return sorted(found)


def _unbounded(config: Config, lines: Sequence[_Line]) -> Iterator[str]:
    """Yield the reasons why upper bounds are absent."""
    for line in lines:
        kind = line.kind
        name = f"{kind.provider}:{kind.model}"
        if kind.external:
            yield f"what FilePromptForge has {name} read, write and search is known only to itself"
            continue
        if kind.answer.most is None:
            set_it = "" if kind.unit_s is not None else "max_tokens, or "  # a child has no such
            yield (
                f"the longest answer of {name} is not known; set {set_it}max_output under"
                f" providers.{kind.provider}.capabilities"
            )
        if kind.searches.most is None:
            where = config.providers[kind.provider].dialect
            yield (
                f"the searches of {name} have no limit; "
                + ("Google takes none" if where == "google" else "set max_searches")
            )


def _minutes(config: Config, lines: Sequence[_Line]) -> float:
    """Return the likely time of the calls, summed over stages for the slowest provider of each."""
    busy_s: dict[tuple[PlanStage, str], float] = defaultdict(float)
    amounts: dict[_Limited, CallAmounts] = defaultdict(lambda: NOTHING)
    paid = paid_providers.of(config)
    for line in lines:
        kind, calls = line.kind, line.likely.calls or 0.0
        if kind.external:
            # Those of all entries run at once, and none is faster than a single one.
            busy_s[line.units.stage, "FilePromptForge"] += (
                calls * kind.seconds / slots.at_once("fpf", config.concurrency.most("fpf"))
            )
            busy_s[line.units.stage, "one text"] = kind.seconds if calls else 0.0
            continue
        provider = paid[kind.provider]
        own = provider.models.get(kind.model)
        at_once = min(provider.max_in_flight, own.max_in_flight or 1024 if own else 1024)
        once_s = (kind.unit_s or kind.seconds) if calls else 0.0
        busy_s[line.units.stage, kind.provider] += max(calls * kind.seconds / at_once, once_s)
        limits: list[_Limited] = [(kind.provider, None), (kind.provider, kind.model)]
        for limited in () if kind.batched else limits:
            amounts[limited] = amounts[limited].plus(line.likely._replace(usd=0.0))
    stages_s = sum(
        max((s for (stage, _), s in busy_s.items() if stage == one), default=0.0) for one in _STAGES
    )
    limited_s = (_limited_s(paid[name], model, used) for (name, model), used in amounts.items())
    return round(max(stages_s, *limited_s, 0.0) / 60, 2)


def _limited_s(provider: Provider, model: str | None, used: CallAmounts) -> float:
    """Return the minimum duration of calls under the limits of a provider or of one model."""
    limits = provider if model is None else provider.models.get(model)
    if limits is None:
        return 0.0
    calls = used.calls or 0.0
    tokens = (used.input_tokens or 0.0) + (used.output_tokens or 0.0)
    requests_s = 60 * calls / limits.requests_per_minute if limits.requests_per_minute else 0.0
    tokens_s = 60 * tokens / limits.tokens_per_minute if limits.tokens_per_minute else 0.0
    return max(requests_s, tokens_s, calls * limits.launch_delay_seconds)
