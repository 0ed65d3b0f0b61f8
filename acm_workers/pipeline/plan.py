"""What a run would do and cost at the most: a pure function of config and inputs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from acm_workers.pipeline import call_estimate
from acm_workers.pipeline.call_estimate import (
    DRAFT_TOKENS,
    PROMPT_TOKENS,
    SEARCH_TOKENS,
    CallEstimate,
)
from acm_workers.providers import tokens
from acm_workers.providers.catalog import prices
from schemas.config.config import Config
from schemas.config.provider import ModelLimits, Provider
from schemas.run import ExpectedTotals, RunPlan

_MILLION = 1_000_000


class _Work(NamedTuple):
    """The calls of one load for all documents."""

    load: CallEstimate
    calls: int
    input_tokens: int
    output_tokens: int


def plan(config: Config, instructions: str, inputs: Sequence[str], at: datetime) -> RunPlan:
    """Return the most that a run over ``inputs`` would do, and what that is expected to cost."""
    source = sum(tokens.estimate(text) for text in inputs)
    task = len(inputs) * (tokens.estimate(instructions) + PROMPT_TOKENS) + source
    works = [_work(load, len(inputs), task) for load in call_estimate.of(config)]
    # Of works that are alike but for their models any one counts for all.
    made = [work for work in works if not work.load.either]
    made += [work for work in works if work.load.either][:1]
    units = dict.fromkeys(("generate", "score", "compare", "combine"), 0)
    for work in made:
        units[work.load.unit] += 0 if work.load.second else work.calls
    return RunPlan(
        documents=len(inputs),
        units=units,
        calls=_by_model(works),
        calls_in_all=sum(work.calls for work in made),
        second_stage_calls=sum(work.calls for work in made if work.load.second),
        tokens={
            "input": sum(work.input_tokens for work in made),
            "output": sum(work.output_tokens for work in made),
        },
        searches=sum(work.calls * work.load.searches for work in made),
        usd=_usd(config, works, at),
        minutes=_minutes(config, works),
    )


def judging(
    config: Config, instructions: str, documents: Sequence[tuple[str, int, int]], at: datetime
) -> ExpectedTotals:
    """Return the most that judging candidates which are there already takes.

    Args:
        config: By whom they are judged.
        instructions: What they were written for.
        documents: Source, number of candidates that are not combined, and of combined ones.
        at: When it is to run.
    """
    works = []
    for source, candidates, combined in documents:
        task = tokens.estimate(instructions) + PROMPT_TOKENS + tokens.estimate(source)
        works += [
            _work(load, 1, task) for load in call_estimate.judging(config, candidates, combined)
        ]
    usd = _usd(config, works, at)["expected"]
    return ExpectedTotals(calls=sum(work.calls for work in works), usd=usd)


def _work(load: CallEstimate, documents: int, task: int) -> _Work:
    """Return a load for ``documents`` whose prompts hold ``task`` tokens in all, beside texts."""
    # The second stage reads the first one's prose, and nothing else.
    read = documents * (PROMPT_TOKENS + load.answer_tokens) if load.second else task
    read += documents * (load.texts * DRAFT_TOKENS + load.searches * SEARCH_TOKENS)
    calls = load.calls * documents
    return _Work(load, calls, load.calls * read, calls * load.answer_tokens)


def _by_model(works: Sequence[_Work]) -> dict[str, dict[str, int]]:
    calls: dict[str, dict[str, int]] = {}
    for work in works:
        by_model = calls.setdefault(work.load.provider, {})
        by_model[work.load.model] = by_model.get(work.load.model, 0) + work.calls
    return calls


def _usd(config: Config, works: Sequence[_Work], at: datetime) -> dict[str, Any]:
    unknown: set[str] = set()
    expected = searches = dearest = 0.0
    for work in works:
        load = work.load
        price = prices.known(config.providers[load.provider], load.model, at)
        fee = None if price is None else prices.search_fee(price, load.searches)
        if price is None or fee is None:
            unknown.add(f"{load.provider}:{load.model}")
            continue
        paid = (work.input_tokens * price.input + work.output_tokens * price.output) / _MILLION
        if load.either:
            dearest = max(dearest, paid)
            continue
        expected += paid
        searches += work.calls * fee
    return {
        "expected": None if unknown else round(expected + dearest + searches, 6),
        "searches": round(searches, 6),
        "unknown_models": sorted(unknown),
        "budget": config.budget_usd,
    }


def _minutes(config: Config, works: Sequence[_Work]) -> float | None:
    """Return the shortest time that the limits per minute allow; None if there are none."""
    requests: Counter[tuple[str, str | None]] = Counter()
    used: Counter[tuple[str, str | None]] = Counter()
    held: set[tuple[str, str | None]] = set()
    for work in works:
        for place in ((work.load.provider, None), (work.load.provider, work.load.model)):
            if work.load.either:
                if place in held:
                    continue  # of those that one limit holds, one is called
                held.add(place)
            requests[place] += work.calls
            used[place] += work.input_tokens + work.output_tokens
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
