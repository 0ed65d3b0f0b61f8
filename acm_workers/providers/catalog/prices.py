"""What calls cost: dated prices, the user's own first; what is not known is None, never 0."""

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
OWN = "config"
BY_PROVIDER = "provider"
"""How the ledger names a price that the user has set, and a cost that the provider told."""

_MILLION = 1_000_000


class Entry(TokenPrice):
    """One line of the table.

    Attributes:
        models: Patterns of model names.
        valid_from: First day, in UTC, on which the price holds.
        above: Holds only for requests with more input tokens than this.
        source: Where the price was read.
    """

    models: tuple[str, ...]
    valid_from: Annotated[date, Field(alias="from")]
    above: int = 0
    source: str

    def label(self) -> str:
        """Return how the ledger names this entry."""
        above = f" above {self.above}" if self.above else ""
        return f"{self.models[0]}{above} from {self.valid_from}"


class Priced(NamedTuple):
    """A price that holds for one request, and how the ledger names it."""

    price: TokenPrice
    label: str


class Most(NamedTuple):
    """The most that a call may take."""

    input_tokens: int
    output_tokens: int
    searches: int = 0


def cost(
    provider: Provider, model: str, usage: Usage, at: datetime, *, searching: bool = False
) -> tuple[float | None, str | None]:
    """Return what ``usage`` costs in USD, and by which price entry.

    Either is None where it is not known: no price for the model on that day, none for its
    searches, or the server did not count what it bills.

    Args:
        searching: The model was allowed to search, so that searches must be counted.
    """
    found = _find(provider, model, usage.input_tokens or 0, at)
    if found is None:
        return None, None
    price, label = found
    if usage.input_tokens is None or usage.output_tokens is None:
        return None, label
    searches = 0 if usage.searches is None and not searching else usage.searches
    fee = None if searches is None else search_fee(price, searches)
    if fee is None:
        return None, label
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
    millionths = (
        (usage.input_tokens - cached - written) * price.input
        + cached * (price.input if price.cached is None else price.cached)
        + written * (price.input if price.cache_write is None else price.cache_write)
        + usage.output_tokens * price.output
    )
    return millionths / _MILLION + fee, label


def at_most(provider: Provider, model: str, most: Most, at: datetime) -> float | None:
    """Return what a call that begins at ``at`` may cost at the most; None if that is not known."""
    # It may be answered on the next day, which may have another price.
    found = [_find(provider, model, most.input_tokens, day) for day in (at, at + timedelta(days=1))]
    dearest = 0.0
    for priced in found:
        fee = None if priced is None else search_fee(priced.price, most.searches)
        if priced is None or fee is None:
            return None
        price = priced.price
        read = most.input_tokens * max(price.input, price.cached or 0, price.cache_write or 0)
        dearest = max(dearest, (read + most.output_tokens * price.output) / _MILLION + fee)
    return dearest


def known(provider: Provider, model: str, at: datetime) -> TokenPrice | None:
    """Return the price of ``model`` for requests of ordinary length, or None if there is none."""
    found = _find(provider, model, 0, at)
    return None if found is None else found.price


def search_fee(price: TokenPrice, searches: int) -> float | None:
    """Return what the searches of one call cost in USD; None if nobody knows."""
    if searches == 0:
        return 0.0
    if price.search is None:
        return None
    return price.search / 1000 * (1 if price.search_per == "answer" else searches)


def _find(provider: Provider, model: str, input_tokens: int, at: datetime) -> Priced | None:
    listed = _listed(model, input_tokens, at)
    own = provider.prices.get(model)
    if own is None:
        return listed
    if own.search is None and listed is not None:
        # Who corrects the price of tokens has said nothing of searches.
        fee = {"search": listed.price.search, "search_per": listed.price.search_per}
        own = own.model_copy(update=fee)
    return Priced(own, OWN)


def _listed(model: str, input_tokens: int, at: datetime) -> Priced | None:
    day = at.astimezone(UTC).date()
    fitting = [
        entry
        for entry in _entries(model)
        if entry.valid_from <= day and (entry.above == 0 or entry.above < input_tokens)
    ]
    if not fitting:
        return None
    # A price for long requests is out of date when its model has a newer one.
    entry = max(fitting, key=lambda one: (model in one.models, one.valid_from, one.above))
    return Priced(entry, entry.label())


@lru_cache(maxsize=1024)
def _entries(model: str) -> tuple[Entry, ...]:
    return tuple(
        entry
        for entry in table()
        if any(fnmatchcase(model.removeprefix("models/"), pattern) for pattern in entry.models)
    )


@tables.once
def table() -> tuple[Entry, ...]:
    """Return every line of the shipped table."""
    found = tables.content(FILE)
    return TypeAdapter(tuple[Entry, ...]).validate_python(tuple(_lines(found)))


def _lines(found: dict[str, list[dict[str, object]]]) -> Iterator[dict[str, object]]:
    """Yield the lines of the file, each with the source that heads its list."""
    for source, lines in found.items():
        for line in lines:
            yield {"source": source, **line}
