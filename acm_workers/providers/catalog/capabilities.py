"""Capabilities of models: a dated table, overridden by the config."""

import re
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from acm_workers.providers.catalog import tables
from acm_workers.providers.http import endpoints
from schemas.calls import Effort, Reasoning
from schemas.config.provider import Dialect, Provider
from schemas.record import Record

_FILE = Path(__file__).with_name("capabilities.yaml")
_DATED = re.compile(r"-(20\d\d-\d\d-\d\d|20\d{6})$")
_MOST_SUCCESSIONS = 10
_EFFORTS: tuple[Effort, ...] = ("low", "medium", "high")


class Capabilities(Record):
    """Capabilities of one model of one provider.

    Attributes:
        known: The table names this model; other models are assumed to have the capabilities of
            their provider.
        search: The provider has a web search.
        tools_with_json: Search and a schema work in one call.
        citations_with_json: Answers that follow a schema can have citations.
        json_schema: The server enforces a schema.
        sampling: A temperature is accepted.
        sampling_while_thinking: A temperature is accepted together with an effort.
        efforts: Accepted efforts; empty if there is no such parameter.
        thinking_budget: The effort is sent as a budget in tokens.
        reasoning_evidence: The best evidence of thinking that the provider shows.
        max_output: Maximum number of tokens of one answer, including thinking.
        background: Answers take minutes to an hour and are polled.
        shutdown: Last day, in UTC, on which the model answers, if announced.
        successor: The most similar model of the same provider that is shut down later.
        source: Publication of the values.
    """

    known: bool = True
    search: bool = True
    tools_with_json: bool = True
    citations_with_json: bool = False
    json_schema: bool = True
    sampling: bool = False
    sampling_while_thinking: bool = False
    efforts: tuple[Effort, ...] = ()
    thinking_budget: bool = False
    reasoning_evidence: Reasoning = "none"
    max_output: int | None = None
    background: bool = False
    shutdown: date | None = None
    successor: str | None = None
    source: str = "provider reference of 2026-11-20"

    def nearest(self, effort: Effort) -> Effort | None:
        """Return the accepted effort that is nearest to ``effort``; if two are, the lower one."""
        index = _EFFORTS.index(effort)
        return min(
            sorted(self.efforts, key=_EFFORTS.index),
            key=lambda other: abs(_EFFORTS.index(other) - index),
            default=None,
        )


_UNLISTED = Capabilities(
    known=False,
    search=False,
    json_schema=False,
    sampling=True,
    source="nothing is known of this dialect",
)


class _Entry(Capabilities):
    """One entry of the table, and the models that it applies to."""

    dialect: Dialect
    models: tuple[str, ...]
    at: tuple[str, ...] = ("*",)


def of(provider: Provider, model: str) -> Capabilities:
    """Return the capabilities of ``model`` of ``provider``."""
    found = _listed(provider.dialect, provider.base_url, model)
    if provider.background:
        found = found.model_copy(update={"background": True})
    own = _own(provider, model)
    return found if own is None else found.model_copy(update=own)


def living_successor(provider: Provider, model: str, day: date) -> str | None:
    """Return the nearest model to ``model`` that still answers on ``day``, if one is known."""
    for _ in range(_MOST_SUCCESSIONS):
        successor = of(provider, model).successor
        if successor is None:
            return None
        last = of(provider, successor).shutdown
        if last is None or last >= day:
            return successor
        model = successor
    return None


def _own(provider: Provider, model: str) -> dict[str, object] | None:
    """Return the config's capabilities of ``model``: by its name, otherwise by a pattern."""
    said = provider.capabilities.get(model)
    if said is None:
        fitting = (key for key in provider.capabilities if fnmatchcase(model, key))
        said = provider.capabilities.get(next(fitting, ""))
    if said is None:
        return None
    return {**said.model_dump(exclude_none=True), "known": True, "source": "config"}


@lru_cache(maxsize=1024)
def _listed(dialect: Dialect, base_url: str, model: str) -> Capabilities:
    place = endpoints.host_and_port(base_url)
    # OpenAI's own Chat Completions has the same models, but no search and no background.
    chat = dialect == "openai_chat" and endpoints.is_openai(base_url)
    names = _names(model)
    for entry in _table():
        if entry.dialect == ("openai" if chat else dialect) and _fits(entry, place, names):
            update = {"search": False, "background": False} if chat else {}
            fields = entry.model_dump(exclude={"dialect", "models", "at"})
            return Capabilities(**{**fields, **update})
    return _UNLISTED


def _names(model: str) -> set[str]:
    """Return possible names of ``model`` in the table, including those without date or variant."""
    plain = model.removeprefix("models/").partition("@")[0]
    return {plain, _DATED.sub("", plain)}


def _fits(entry: _Entry, place: str, names: set[str]) -> bool:
    return any(fnmatchcase(place, pattern) for pattern in entry.at) and any(
        fnmatchcase(name, pattern) for pattern in entry.models for name in names
    )


@tables.once
def _table() -> tuple[_Entry, ...]:
    return TypeAdapter(tuple[_Entry, ...]).validate_python(tables.content(_FILE))
