"""The most that a request can cost, so that a budget holds whatever comes back; pure."""

from datetime import datetime

from pydantic_core import to_json

from acm_workers.providers import tokens
from acm_workers.providers.catalog import capabilities, prices
from schemas.calls import Request
from schemas.config.provider import Provider

ANSWER_TOKENS = 16_384
"""The token budget that requests without one get in a run with a budget, thinking included; twice
as much where a model is to think hard."""

SEARCHES = 10
"""The number of searches that they get."""

RESEARCH_TOKENS, RESEARCH_SEARCHES = 100_000, 40
"""The same for answers that are made in the background."""

_SEARCH_TOKENS = 15_000
"""What one search may bring into the model's input; 5,200 were seen on average."""

_MESSAGE_TOKENS = 50
_OTHER_TOKENS = 1_000
"""What providers may add around a message and around a request."""


def bounded(request: Request, provider: Provider, at: datetime) -> Request:
    """Return ``request`` with an end to what its answer may cost, where it has none."""
    price = prices.known(provider, request.model, at)
    if price is None or not (price.output or price.input or price.search):
        return request  # servers that cost nothing may have room for small answers only
    update: dict[str, int] = {}
    able = capabilities.of(provider, request.model)
    if request.max_tokens is None:
        usual = RESEARCH_TOKENS if able.background else ANSWER_TOKENS
        usual *= 2 if request.effort == "high" and not able.background else 1
        update["max_tokens"] = min(usual, able.max_output or usual)
    if request.search and request.max_searches is None:
        update["max_searches"] = RESEARCH_SEARCHES if able.background else SEARCHES
    return request.model_copy(update=update) if update else request


def most_usd(request: Request, provider: Provider, at: datetime) -> float | None:
    """Return what a bounded request can cost at the most; None if a price of it is not known.

    Searches are the one thing that not every provider can be held to: Google searches as often as
    it likes.
    """
    searches = (request.max_searches or SEARCHES) if request.search else 0
    asked = sum(tokens.most(message.content) + _MESSAGE_TOKENS for message in request.messages)
    around = _OTHER_TOKENS + len(to_json([request.json_schema, request.so_far]))
    most = prices.Most(
        input_tokens=asked + around + searches * _SEARCH_TOKENS,
        output_tokens=request.max_tokens or ANSWER_TOKENS,
        searches=searches,
    )
    return prices.at_most(provider, request.model, most, at)
