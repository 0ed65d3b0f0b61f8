"""Checks of ``delivery: batch``: support by providers, prices, and waiting times."""

from collections.abc import Iterator
from datetime import datetime

from acm_api.config.draft import Problem
from acm_api.config.source import Key
from acm_workers.providers.catalog import capabilities, prices
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.variant import Variant

_BATCHING = ("openai", "anthropic", "google")
"""Dialects with a batch API."""

_IN_ROUNDS = ("adaptive", "swiss", "auto")
"""Strategies that choose comparisons by earlier verdicts."""


def problems(config: Config, at: datetime, *, writes: bool = True) -> Iterator[Problem]:
    """Yield a problem for each unsupported ``delivery: batch``.

    Args:
        at: Time of the run.
        writes: Whether the run writes candidates; false if it judges candidates of another run.
    """
    for key, entry in _entries(config, writes=writes):
        if entry.delivery == "live" or entry.provider not in config.providers:
            continue
        why = _refusal(config, entry, at)
        if why is not None:
            yield Problem((*key, "delivery"), f"delivery: batch: {why}")


def notes(config: Config) -> Iterator[str]:
    """Yield messages about comparisons that wait for one batch after another."""
    names = [judge.name for judge in config.comparing_judges if judge.delivery == "batch"]
    if names and config.pairwise.strategy in _IN_ROUNDS:
        yield (
            f"comparisons of {', '.join(names)} go in rounds, each of which waits for a batch that"
            " may take a day; name live judges in pairwise.judges, or set strategy: round_robin"
        )


def _entries(config: Config, *, writes: bool) -> Iterator[tuple[Key, Variant | Judge]]:
    lists: dict[Key, tuple[Variant | Judge, ...]] = {
        ("runs",): config.runs if writes else (),
        ("judges",): config.judges,
        ("pairwise", "judges"): config.pairwise.judges or (),
        ("playoffs", "judges"): config.playoffs.judges or (),
    }
    for key, entries in lists.items():
        for index, entry in enumerate(entries):
            yield (*key, index), entry


def _refusal(config: Config, entry: Variant | Judge, at: datetime) -> str | None:
    if isinstance(entry, Variant) and (entry.type != "fpf" or entry.engine == "external"):
        kind = "engine external" if entry.type == "fpf" else f"type {entry.type}"
        return f"{kind} sends its requests itself, or none; batches are for type fpf"
    provider = config.providers[entry.provider]
    if provider.dialect not in _BATCHING:
        return (
            f"provider {entry.provider} speaks {provider.dialect}, which has no batches;"
            f" {', '.join(_BATCHING)} have them"
        )
    if capabilities.of(provider, entry.model).background:
        return f"{entry.model} of {entry.provider} answers in the background, and in no batch"
    standard = prices.known(provider, entry.model, at)
    if standard is not None and prices.of_batch(provider, entry.model, at) is None:
        price = f"providers.{entry.provider}.prices.{entry.model}"
        return (
            f"no batch price of {entry.model} of {entry.provider} is known; if there is one, say"
            f" which share of the usual price it is, such as batch: 0.5 in {price}"
        )
    return None
