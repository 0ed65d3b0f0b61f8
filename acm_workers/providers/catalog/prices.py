"""Costs of calls from dated prices, overridden by the config; unknown is None, never 0."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from acm_workers.providers.catalog import tables
from schemas.calls import Usage
from schemas.config.provider import Provider, TokenPrice

FILE = Path(__file__).with_name("prices.yaml")
CONFIG_PRICE = "config"
PROVIDER_PRICE = "provider"
"""Labels in the ledger for a price from the config, and for a cost reported by the provider."""

BATCH = "batch"
"""Service tier of requests in a batch."""

_MILLION = 1_000_000


_OF_TOKENS = ("input", "output", "cached", "cache_write", "search_input")


class PriceEntry(TokenPrice):
    """One entry of the price table.

    Attributes:
        models: Patterns of model names.
        valid_from: First day, in UTC, on which the price applies.
        above: The price applies only to requests with more than this many input tokens.
        tiers: Service tiers to which the price applies; none means the standard tier. The price of
            a tier ends when the standard price changes.
        source: Publication of the price, and the date when it was read.
    """

    models: tuple[str, ...]
    valid_from: Annotated[date, Field(alias="from")]
    above: int = 0
    tiers: tuple[str, ...] = ()
    source: str

    def label(self) -> str:
        """Return the label of this entry in the ledger."""
        tier = f" {self.tiers[0]}" if self.tiers else ""
        above = f" above {self.above}" if self.above else ""
        return f"{self.models[0]}{tier}{above} from {self.valid_from}"


class AppliedPrice(NamedTuple):
    """The price of one request, and its label in the ledger."""

    price: TokenPrice
    label: str


class CallBound(NamedTuple):
    """Upper bounds for the usage of one call."""

    input_tokens: int
    output_tokens: int
    searches: int = 0


def cost(
    provider: Provider, model: str, usage: Usage, at: datetime, *, searching: bool = False
) -> tuple[float | None, str | None]:
    """Return the cost of ``usage`` in USD, and the label of the price.

    Both are None if the model has no price on that day in the service tier of the answer. The cost
    alone is None if searches have no price, or the server did not report the usage that it bills.

    Args:
        searching: Whether the model was allowed to search. If it was, the cost is unknown unless
            the usage counts the searches.
    """
    tier, tokens = usage.service_tier, usage.input_tokens or 0
    found = _find(provider, model, 0, at, tier)
    searched = min(usage.search_tokens or 0, tokens)
    if found is not None:
        # Search results count as input only where they are charged.
        free = searched if found.price.search_input == 0 else 0
        found = _find(provider, model, tokens - free, at, tier)
    if found is None:
        return None, None
    price, label = found
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, label
    searches = 0 if usage.searches is None and not searching else usage.searches
    fee = None if searches is None else search_fee(price, searches)
    if fee is None:
        return None, label
    searched = 0 if price.search_input is None else searched
    cached = min(usage.cached_tokens or 0, tokens - searched)
    written = min(usage.cache_write_tokens or 0, tokens - searched - cached)
    millionths = (
        (tokens - searched - cached - written) * price.input
        + searched * (price.search_input or 0.0)
        + cached * (price.input if price.cached is None else price.cached)
        + written * (price.input if price.cache_write is None else price.cache_write)
        + usage.output_tokens * price.output
    )
    return millionths / _MILLION + fee, label


def at_most(provider: Provider, model: str, most: CallBound, at: datetime) -> float | None:
    """Return an upper bound for the cost of a call that begins at ``at``; None if unknown.

    The bound holds in every service tier with a price, because the provider's settings choose the
    tier.
    """
    # The call may end on the next day, which may have another price.
    days = (at, at + timedelta(days=1))
    found = [_find(provider, model, most.input_tokens, day) for day in days]
    of_tiers = (
        _find(provider, model, most.input_tokens, day, tier)
        for day in days
        for tier in _tiers(model)
    )
    dearest = 0.0
    for priced in (*found, *(one for one in of_tiers if one is not None)):
        fee = None if priced is None else search_fee(priced.price, most.searches)
        if priced is None or fee is None:
            return None
        price = priced.price
        parts = (price.input, price.cached, price.cache_write, price.search_input)
        read = most.input_tokens * max(part or 0.0 for part in parts)
        dearest = max(dearest, (read + most.output_tokens * price.output) / _MILLION + fee)
    return dearest


def known(provider: Provider, model: str, at: datetime) -> TokenPrice | None:
    """Return the price of ``model`` for short requests, or None if there is none."""
    found = _find(provider, model, 0, at)
    return None if found is None else found.price


def of_batch(provider: Provider, model: str, at: datetime) -> TokenPrice | None:
    """Return the price of ``model`` for short requests of a batch, or None if there is none."""
    found = _find(provider, model, 0, at, BATCH)
    return None if found is None else found.price


def search_fee(price: TokenPrice, searches: int) -> float | None:
    """Return the cost of the searches of one call in USD; None if unknown."""
    if searches == 0:
        return 0.0
    if price.search is None:
        return None
    return price.search / 1000 * (1 if price.search_per == "answer" else searches)


def _reduced(price: TokenPrice, share: float) -> TokenPrice:
    """Return a price with reduced token prices; the price of searches stays the same."""
    tokens = {name: getattr(price, name) for name in _OF_TOKENS}
    less = {name: None if value is None else value * share for name, value in tokens.items()}
    return price.model_copy(update=less)


def _find(
    provider: Provider, model: str, input_tokens: int, at: datetime, tier: str | None = None
) -> AppliedPrice | None:
    own = provider.prices.get(model)
    if own is None:
        return _listed(model, input_tokens, at, tier)
    if tier is not None and (own.input or own.output):
        if tier != BATCH or own.batch is None:
            return None
        own = _reduced(own, own.batch)
    listed = _listed(model, input_tokens, at)
    if listed is not None:
        # Prices of searches that the config does not set come from the table.
        kept: dict[str, object] = {}
        if own.search_input is None:
            kept["search_input"] = listed.price.search_input
        if own.search is None:
            kept |= {"search": listed.price.search, "search_per": listed.price.search_per}
        own = own.model_copy(update=kept)
    return AppliedPrice(own, CONFIG_PRICE)


def _listed(
    model: str, input_tokens: int, at: datetime, tier: str | None = None
) -> AppliedPrice | None:
    above = max((step for step in _steps(model) if step < input_tokens), default=0)
    return _listed_above(model, above, at.astimezone(UTC).date(), tier)


@lru_cache(maxsize=1024)
def _steps(model: str) -> frozenset[int]:
    """Return the numbers of input tokens above which a model has other prices."""
    return frozenset(entry.above for entry in _entries(model))


@lru_cache(maxsize=1024)
def _listed_above(model: str, above: int, day: date, tier: str | None) -> AppliedPrice | None:
    """Return the price of a request with more than ``above`` input tokens, and no higher step."""
    fitting = [
        entry for entry in _entries(model) if entry.valid_from <= day and entry.above <= above
    ]
    # A newer standard price also replaces older prices for long requests and other tiers.
    found = max(
        (entry for entry in fitting if not entry.tiers),
        key=lambda one: (model in one.models, one.valid_from, one.above),
        default=None,
    )
    if found is not None and tier is not None:
        standard = found
        of_tier = (
            entry
            for entry in fitting
            if tier in entry.tiers
            and (entry.models, entry.above) == (standard.models, standard.above)
            and entry.valid_from >= standard.valid_from
        )
        found = max(of_tier, key=lambda one: one.valid_from, default=None)
    return None if found is None else AppliedPrice(found, found.label())


@lru_cache(maxsize=1024)
def _tiers(model: str) -> frozenset[str]:
    """Return the service tiers that a model has prices for, beside the standard one."""
    return frozenset(tier for entry in _entries(model) for tier in entry.tiers)


@lru_cache(maxsize=1024)
def _entries(model: str) -> tuple[PriceEntry, ...]:
    return tuple(
        entry
        for entry in table()
        if any(fnmatchcase(model.removeprefix("models/"), pattern) for pattern in entry.models)
    )


@tables.once
def table() -> tuple[PriceEntry, ...]:
    """Return all entries of the shipped table."""
    found = tables.content(FILE)
    return TypeAdapter(tuple[PriceEntry, ...]).validate_python(tuple(_lines(found)))


def _lines(found: dict[str, list[dict[str, object]]]) -> Iterator[dict[str, object]]:
    """Yield the entries of the file, each with the source from the name of its list."""
    for source, lines in found.items():
        for line in lines:
            yield {"source": source, **line}
