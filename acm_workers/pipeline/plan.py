"""Plan: upper bounds of the calls, cost and time of a run; a pure function of config and inputs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from acm_workers.providers import tokens
from acm_workers.providers.catalog import capabilities, json_modes, prices
from acm_workers.ranking import pairs
from schemas.calls import Effort
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.provider import ModelLimits, Provider
from schemas.config.variant import Variant
from schemas.run import ExpectedTotals, RunPlan

PROMPT_TOKENS = 500
DRAFT_TOKENS = 1500
SEARCH_TOKENS = 5200
"""Expected tokens of a prompt beside its texts, of a candidate, and of the results of a search."""

_VERDICT_TOKENS = 400
_SEARCHES, _RESEARCH_SEARCHES = 10, 40
_THINKING_TOKENS: dict[Effort, int] = {"low": 1000, "medium": 4000, "high": 10_000}
_MILLION = 1_000_000


class CallEstimate(NamedTuple):
    """Calls of one kind to one model, for one document.

    Attributes:
        texts: Candidates that its prompt holds, beside source and instructions.
        searches: Number of searches of one call.
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
    second: bool = False
    either: bool = False


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
    totals = [_total_calls(estimate, len(inputs), task) for estimate in estimate_document(config)]
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
            for estimate in estimate_judging(config, candidates, combined)
        ]
    usd = _usd(config, totals, at)["expected"]
    return ExpectedTotals(calls=sum(total.calls for total in totals), usd=usd)


def _total_calls(estimate: CallEstimate, documents: int, task: int) -> _TotalCalls:
    """Multiply an estimate by ``documents``; sources and instructions have ``task`` tokens."""
    # The prompt of the second stage holds only the answer of the first one.
    read = documents * (PROMPT_TOKENS + estimate.answer_tokens) if estimate.second else task
    read += documents * (estimate.texts * DRAFT_TOKENS + estimate.searches * SEARCH_TOKENS)
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
        paid = (total.input_tokens * price.input + total.output_tokens * price.output) / _MILLION
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


def estimate_document(config: Config) -> list[CallEstimate]:
    """Return upper bounds of the calls for one document."""
    candidates = sum(variant.iterations for variant in config.runs)
    estimates = [_write(config, variant) for variant in config.runs]
    judged = config.scoring_judges or config.comparing_judges
    if not config.playoffs.enabled or candidates < 2 or not judged:
        return estimates + estimate_judging(config, candidates, 0)
    combining = _combine(config)
    combined = 1 if combining[0].either else len(combining)
    return estimates + combining + estimate_judging(config, candidates, combined)


def estimate_judging(config: Config, candidates: int, combined: int) -> list[CallEstimate]:
    """Return upper bounds of the calls that judge the candidates of one document.

    Args:
        candidates: Number of those that are not combined.
        combined: Number of combined ones, which are written after the others are judged.
    """
    estimates = [*_score(config, candidates, combined=False)]
    compared = candidates
    if config.scoring_judges:
        # Without scores all are compared.
        compared = pairs.admitted(config.pairwise, candidates)
    estimates += _compare(config, compared, 0)
    if combined:
        estimates += _score(config, combined, combined=True)
    if combined and config.playoffs.pairwise:
        estimates += _compare(config, compared, combined)
    return estimates


def _write(config: Config, variant: Variant) -> CallEstimate:
    return CallEstimate(
        "generate",
        variant.provider,
        variant.model,
        variant.iterations,
        0,
        _answer(config, variant, DRAFT_TOKENS),
        _searches(config, variant),
    )


def _combine(config: Config) -> list[CallEstimate]:
    """Return the calls that combine: by the configured models, else by that of any candidate."""
    named = config.playoffs.models
    models = [(one.provider, one.model) for one in named or config.runs]
    return [
        CallEstimate("combine", provider, model, 1, 2, DRAFT_TOKENS, either=not named)
        for provider, model in (models if named else dict.fromkeys(models))
    ]


def _score(config: Config, candidates: int, *, combined: bool) -> Iterator[CallEstimate]:
    for judge in config.judges_of(combined=combined):
        calls = candidates * config.iterations_of(judge, combined=combined)
        yield from _judge(config, judge, "score", calls, 1)


def _compare(config: Config, old: int, new: int) -> Iterator[CallEstimate]:
    most = pairs.most(old, new, config.comparing_judges, config.pairwise)
    for judge in config.comparing_judges:
        yield from _judge(config, judge, "compare", most[judge.name], 2)


def _judge(
    config: Config, judge: Judge, unit: str, calls: int, texts: int
) -> Iterator[CallEstimate]:
    answer_tokens = _answer(config, judge, _VERDICT_TOKENS)
    searches = _searches(config, judge)
    yield CallEstimate(unit, judge.provider, judge.model, calls, texts, answer_tokens, searches)
    mode = config.json_mode if judge.json_mode is None else judge.json_mode
    able = capabilities.of(config.providers[judge.provider], judge.model)
    if config.jsonify is not None and json_modes.form(mode, able, judge.require) == "two_stages":
        second = config.jsonify
        tokens = _VERDICT_TOKENS
        yield CallEstimate(unit, second.provider, second.model, calls, 0, tokens, second=True)


def _answer(config: Config, entry: Variant | Judge, text_tokens: int) -> int:
    """Return the tokens of an answer whose text has ``text_tokens``; thinking is billed as text."""
    tokens = text_tokens
    if _thinks(config, entry):
        tokens += _THINKING_TOKENS[entry.effort or "medium"]
    return tokens if entry.max_tokens is None else min(tokens, entry.max_tokens)


def _thinks(config: Config, entry: Variant | Judge) -> bool:
    provider = config.providers[entry.provider]
    able = capabilities.of(provider, entry.model)
    if not able.known or not able.efforts:
        return False
    asked = entry.effort is not None or entry.require.reasoning != "none"
    # Models that accept a temperature think only on request, except Google's.
    return asked or not able.sampling or provider.dialect == "google"


def _searches(config: Config, entry: Variant | Judge) -> int:
    if not entry.require.search:
        return 0
    slow = capabilities.of(config.providers[entry.provider], entry.model).background
    return entry.max_searches or (_RESEARCH_SEARCHES if slow else _SEARCHES)
