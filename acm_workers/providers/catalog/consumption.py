"""The tokens and searches of answers, by model and date; measured where possible."""

from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from acm_workers.providers.catalog import capabilities, tables
from schemas.calls import Effort
from schemas.config.provider import Dialect, Provider
from schemas.config.variant import RequiredEvidence
from schemas.record import Record

VERDICT_TOKENS = 400
"""Likely tokens of a verdict, without thinking."""

_FILE = Path(__file__).with_name("consumption.yaml")


class Consumption(Record):
    """The consumption of one answer.

    Attributes:
        models: Patterns of the models to which the values apply.
        dialects: Dialects of their providers; any by default.
        valid_from: First day, in UTC, on which the values apply.
        usual_searches: Likely searches of an answer that may search.
        searches: Maximum number of searches, unless a request limits them.
        research: Likely and maximum number of searches of a background answer.
        search_tokens: Input tokens that one search adds.
        thinking: Thinking tokens by effort.
        searching: Thinking tokens of an answer that searches.
        text: Tokens of a candidate.
        score: Tokens of the score of one criterion, with its reason.
        verdict: Tokens of the verdict of a comparison, with its reason.
        seconds: Time until an answer begins.
        tokens_per_second: Speed at which an answer is written.
        source: Origin of the values.
    """

    models: tuple[str, ...]
    dialects: tuple[Dialect, ...] | None = None
    valid_from: Annotated[date, Field(alias="from")]
    usual_searches: float
    searches: int
    research: int
    search_tokens: int
    thinking: dict[Effort, int]
    searching: int = 0
    text: int = 1500
    score: int = 80
    verdict: int = 150
    seconds: float = 2.0
    tokens_per_second: float = 60.0
    source: str


def of(provider: Provider, model: str, at: datetime) -> Consumption:
    """Return the consumption of one answer of ``model``."""
    day = at.astimezone(UTC).date()
    name = model.removeprefix("models/")
    for entry in table():
        at_home = entry.dialects is None or provider.dialect in entry.dialects
        fits = any(fnmatchcase(name, pattern) for pattern in entry.models)
        if at_home and fits and entry.valid_from <= day:
            return entry
    raise LookupError(f"no values for {model} on {day}")


def searches(provider: Provider, model: str, at: datetime) -> int:
    """Return the most searches of one answer to a request that does not limit them."""
    found = of(provider, model, at)
    return found.research if capabilities.of(provider, model).background else found.searches


def usual_searches(provider: Provider, model: str, at: datetime) -> float:
    """Return the likely searches of one answer."""
    found = of(provider, model, at)
    research = capabilities.of(provider, model).background
    return found.research if research else found.usual_searches


def thinking_tokens(
    provider: Provider, model: str, effort: Effort | None, require: RequiredEvidence, at: datetime
) -> int:
    """Return the tokens that one answer spends on thinking; 0 if the model does not think."""
    able = capabilities.of(provider, model)
    if not able.known or not able.efforts:
        return 0
    asked = effort is not None or require.reasoning != "none"
    # Models that accept a temperature think only on request, except Google's.
    if not asked and able.sampling and provider.dialect != "google":
        return 0
    found = of(provider, model, at)
    thought = found.thinking[effort or "medium"]
    return max(thought, found.searching) if require.search else thought


@tables.once
def table() -> tuple[Consumption, ...]:
    """Return all entries of the shipped table."""
    return TypeAdapter(tuple[Consumption, ...]).validate_python(tables.content(_FILE))
