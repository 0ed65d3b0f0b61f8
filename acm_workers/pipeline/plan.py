"""Plan: upper bounds of the calls, cost and time of a run; a pure function of config and inputs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from acm_workers.providers import tokens
from acm_workers.providers.catalog import capabilities, consumption, json_modes, prices
from acm_workers.ranking import pairs
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.provider import ModelLimits, Provider
from schemas.config.variant import Variant
from schemas.run import ExpectedTotals, RunPlan

PROMPT_TOKENS = 500
DRAFT_TOKENS = 1500
"""Expected tokens of a prompt beside its texts, and of a candidate."""

_MILLION = 1_000_000


class CallEstimate(NamedTuple):
    """Calls of one kind to one model, for one document.

    Attributes:
        texts: Candidates that its prompt holds, beside source and instructions.
        searches: Number of searches of one call.
        search_tokens: Input tokens that each of them brings.
        second: The calls are the second stage of as many others: they put prose into JSON.
        either: Only one of all such estimates is called; they differ in nothing but the model, and
            which one it is depends on the ranking.
    """

    unit: str
    provider: str
    model: str
    calls: int
    texts: int
    answer_tokens: int
    searches: int = 0
    search_tokens: int = 0
    second: bool = False
    either: bool = False


class _Judging(NamedTuple):
    """Calls of one judge, and the number of candidates in the prompt of each."""

    unit: str
    calls: int
    texts: int


class _TotalCalls(NamedTuple):
    """An estimate for all documents; tokens are sums over the calls."""

    estimate: CallEstimate
    calls: int
    input_tokens: int
    output_tokens: int


def plan(config: Config, instructions: str, inputs: Sequence[str], at: datetime) -> RunPlan:
    """Return upper bounds of the calls of a run over ``inputs``, and their expected cost."""
    source = sum(tokens.estimate(text) for text in inputs)
    task = len(inputs) * (tokens.estimate(instructions) + PROMPT_TOKENS) + source
    totals = [
        _total_calls(estimate, len(inputs), task) for estimate in estimate_document(config, at)
    ]
    # Estimates that differ only in their model count once.
    made = [total for total in totals if not total.estimate.either]
    made += [total for total in totals if total.estimate.either][:1]
    units = dict.fromkeys(("generate", "score", "compare", "combine"), 0)
    for total in made:
        units[total.estimate.unit] += 0 if total.estimate.second else total.calls
    return RunPlan(
        documents=len(inputs),
        units=units,
        calls=_by_model(totals),
        calls_in_all=sum(total.calls for total in made),
        second_stage_calls=sum(total.calls for total in made if total.estimate.second),
        tokens={
            "input": sum(total.input_tokens for total in made),
            "output": sum(total.output_tokens for total in made),
        },
        searches=sum(total.calls * total.estimate.searches for total in made),
        usd=_usd(config, totals, at),
        minutes=_minutes(config, totals),
    )


def plan_judging(
    config: Config, instructions: str, documents: Sequence[tuple[str, int, int]], at: datetime
) -> ExpectedTotals:
    """Return upper bounds of the calls and cost of judging existing candidates.

    Args:
        config: Of the judges.
        instructions: Those that the candidates were written for.
        documents: Source, number of candidates that are not combined, and of combined ones.
        at: When the run starts; prices depend on it.
    """
    totals = []
    for source, candidates, combined in documents:
        task = tokens.estimate(instructions) + PROMPT_TOKENS + tokens.estimate(source)
        totals += [
            _total_calls(estimate, 1, task)
            for estimate in estimate_judging(config, candidates, combined, at)
        ]
    usd = _usd(config, totals, at)["expected"]
    return ExpectedTotals(calls=sum(total.calls for total in totals), usd=usd)


def _total_calls(estimate: CallEstimate, documents: int, task: int) -> _TotalCalls:
    """Multiply an estimate by ``documents``; sources and instructions have ``task`` tokens."""
    # The prompt of the second stage holds only the answer of the first one.
    read = documents * (PROMPT_TOKENS + estimate.answer_tokens) if estimate.second else task
    searched = estimate.searches * estimate.search_tokens
    read += documents * (estimate.texts * DRAFT_TOKENS + searched)
    calls = estimate.calls * documents
    return _TotalCalls(estimate, calls, estimate.calls * read, calls * estimate.answer_tokens)


def _by_model(totals: Sequence[_TotalCalls]) -> dict[str, dict[str, int]]:
    calls: dict[str, dict[str, int]] = {}
    for total in totals:
        by_model = calls.setdefault(total.estimate.provider, {})
        by_model[total.estimate.model] = by_model.get(total.estimate.model, 0) + total.calls
    return calls


def _usd(config: Config, totals: Sequence[_TotalCalls], at: datetime) -> dict[str, Any]:
    unknown: set[str] = set()
    expected = searches = dearest = 0.0
    for total in totals:
        estimate = total.estimate
        price = prices.known(config.providers[estimate.provider], estimate.model, at)
        fee = None if price is None else prices.search_fee(price, estimate.searches)
        if price is None or fee is None:
            unknown.add(f"{estimate.provider}:{estimate.model}")
            continue
        found = total.calls * estimate.searches * estimate.search_tokens
        paid = (total.input_tokens * price.input + total.output_tokens * price.output) / _MILLION
        if price.search_input is not None:
            paid += found * (price.search_input - price.input) / _MILLION
        if estimate.either:
            dearest = max(dearest, paid)
            continue
        expected += paid
        searches += total.calls * fee
    return {
        "expected": None if unknown else round(expected + dearest + searches, 6),
        "searches": round(searches, 6),
        "unknown_models": sorted(unknown),
        "budget": config.budget_usd,
    }


def _minutes(config: Config, totals: Sequence[_TotalCalls]) -> float | None:
    """Return the shortest time that the limits per minute allow; None if there are none."""
    requests: Counter[tuple[str, str | None]] = Counter()
    used: Counter[tuple[str, str | None]] = Counter()
    counted: set[tuple[str, str | None]] = set()
    for total in totals:
        for limited in (
            (total.estimate.provider, None),
            (total.estimate.provider, total.estimate.model),
        ):
            if total.estimate.either:
                if limited in counted:
                    continue  # one limit applies to several of them, and one of them is called
                counted.add(limited)
            requests[limited] += total.calls
            used[limited] += total.input_tokens + total.output_tokens
    times = [
        amount / limit
        for (name, model), limits in _limits(config)
        for amount, limit in (
            (requests[name, model], limits.requests_per_minute),
            (used[name, model], limits.tokens_per_minute),
        )
        if limit is not None and amount
    ]
    return round(max(times), 2) if times else None


def _limits(
    config: Config,
) -> Iterator[tuple[tuple[str, str | None], Provider | ModelLimits]]:
    for name, provider in config.providers.items():
        yield (name, None), provider
        for model, limits in provider.models.items():
            yield (name, model), limits


def estimate_document(config: Config, at: datetime) -> list[CallEstimate]:
    """Return upper bounds of the calls for one document."""
    candidates = sum(variant.iterations for variant in config.runs)
    estimates = [_write(config, variant, at) for variant in config.runs]
    judged = config.scoring_judges or config.comparing_judges
    if not config.playoffs.enabled or candidates < 2 or not judged:
        return estimates + estimate_judging(config, candidates, 0, at)
    combining = _combine(config)
    combined = 1 if combining[0].either else len(combining)
    return estimates + combining + estimate_judging(config, candidates, combined, at)


def estimate_judging(
    config: Config, candidates: int, combined: int, at: datetime
) -> list[CallEstimate]:
    """Return upper bounds of the calls that judge the candidates of one document.

    Args:
        candidates: Number of those that are not combined.
        combined: Number of combined ones, which are written after the others are judged.
        at: When the run starts.
    """
    estimates = [*_score(config, candidates, at, combined=False)]
    compared = candidates
    if config.scoring_judges:
        # Without scores all are compared.
        compared = pairs.admitted(config.pairwise, candidates)
    estimates += _compare(config, compared, 0, at)
    if combined:
        estimates += _score(config, combined, at, combined=True)
    if combined and config.playoffs.pairwise:
        estimates += _compare(config, compared, combined, at)
    return estimates


def _write(config: Config, variant: Variant, at: datetime) -> CallEstimate:
    return CallEstimate(
        "generate",
        variant.provider,
        variant.model,
        variant.iterations,
        0,
        _answer(config, variant, DRAFT_TOKENS, at),
        *_searches(config, variant, at),
    )


def _combine(config: Config) -> list[CallEstimate]:
    """Return the calls that combine: by the configured models, else by that of any candidate."""
    named = config.playoffs.models
    models = [(one.provider, one.model) for one in named or config.runs]
    return [
        CallEstimate("combine", provider, model, 1, 2, DRAFT_TOKENS, either=not named)
        for provider, model in (models if named else dict.fromkeys(models))
    ]


def _score(
    config: Config, candidates: int, at: datetime, *, combined: bool
) -> Iterator[CallEstimate]:
    for judge in config.judges_of(combined=combined):
        calls = candidates * config.iterations_of(judge, combined=combined)
        yield from _judge(config, judge, _Judging("score", calls, 1), at)


def _compare(config: Config, old: int, new: int, at: datetime) -> Iterator[CallEstimate]:
    most = pairs.most(old, new, config.comparing_judges, config.pairwise)
    for judge in config.comparing_judges:
        yield from _judge(config, judge, _Judging("compare", most[judge.name], 2), at)


def _judge(config: Config, judge: Judge, work: _Judging, at: datetime) -> Iterator[CallEstimate]:
    provider, model = judge.provider, judge.model
    answer_tokens = _answer(config, judge, consumption.VERDICT_TOKENS, at)
    found = _searches(config, judge, at)
    yield CallEstimate(work.unit, provider, model, work.calls, work.texts, answer_tokens, *found)
    mode = config.json_mode if judge.json_mode is None else judge.json_mode
    able = capabilities.of(config.providers[provider], model)
    if config.jsonify is not None and json_modes.form(mode, able, judge.require) == "two_stages":
        second = config.jsonify
        tokens = consumption.VERDICT_TOKENS
        yield CallEstimate(
            work.unit, second.provider, second.model, work.calls, 0, tokens, second=True
        )


def _answer(config: Config, entry: Variant | Judge, text_tokens: int, at: datetime) -> int:
    """Return the tokens of an answer whose text has ``text_tokens``; thinking is billed as text."""
    tokens = text_tokens + consumption.thinking_tokens(
        config.providers[entry.provider], entry.model, entry.effort, entry.require, at
    )
    return tokens if entry.max_tokens is None else min(tokens, entry.max_tokens)


def _searches(config: Config, entry: Variant | Judge, at: datetime) -> tuple[int, int]:
    """Return the searches of one answer, and the input tokens that each of them brings."""
    if not entry.require.search:
        return 0, 0
    provider = config.providers[entry.provider]
    most = entry.max_searches or consumption.searches(provider, entry.model, at)
    return most, consumption.of(provider, entry.model, at).search_tokens
