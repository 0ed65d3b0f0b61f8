"""Checks of the models of a config: capabilities, parameters, prices and shutdown dates."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from acm_api.config.draft import JSONIFY, Problem
from acm_api.config.judging_checks import criteria_lists
from acm_api.config.nearest import nearest
from acm_api.config.source import Key, dotted
from acm_workers.providers.catalog import capabilities, consumption, json_modes, prices
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Effort
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.provider import KNOWN, Provider
from schemas.config.variant import JsonMode, RequiredEvidence, Variant

_OWN_MODELS = frozenset({"openai", "anthropic", "google"})
"""Dialects of companies that serve only their own models; the catalog lists all of these."""

_SOON_DAYS = 45
_MOST_STEPS = 1000
"""Maximum number of enumerated values in the schemas of a request; OpenAI's limit is the lowest."""


class _Use(NamedTuple):
    """The use of a model in a config, with the requested features.

    Attributes:
        mode: Whether JSON with a schema is requested; None for texts.
    """

    key: Key
    provider: str
    model: str
    require: RequiredEvidence = RequiredEvidence()
    effort: Effort | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    mode: JsonMode | None = None

    @property
    def name(self) -> str:
        return f"{self.model} of {self.provider}"


def problems(config: Config, at: datetime, *, writes: bool = True) -> list[Problem]:
    """Return requests that the models of ``config`` cannot fulfil.

    Args:
        config: Config to check, except models of undefined providers.
        at: Time of the run.
        writes: Whether the run writes candidates; false if it judges candidates of another run.
    """
    uses = [use for use in _uses(config, writes=writes) if use.provider in config.providers]
    found = [problem for use in uses for problem in _of_use(config, use, at)]
    return [*found, *_scales(config), *_prices(config, uses, at)]


def notes(config: Config, at: datetime, *, writes: bool = True) -> list[str]:
    """Return messages about models that will be shut down soon, and about low token limits."""
    ends, cut = set(), []
    for use in _uses(config, writes=writes):
        need = _needed_tokens(config, use, at)
        if use.mode is not None and use.max_tokens is not None and 2 * use.max_tokens < need:
            cut.append(
                f"{dotted(use.key)}: max_tokens {use.max_tokens} is too small for {use.name}, which"
                f" searches or thinks: answers have up to {need} tokens, and are cut off even with"
                f" twice the limit; set it to {need} or more"
            )
        last = _capabilities(config, use).shutdown
        if last is not None and 0 <= (last - at.date()).days <= _SOON_DAYS:
            other = _successor(config, use, last + timedelta(days=1)) or "another model"
            ends.add(f"{use.name} is shut down after {last}; have {other} ready")
    return [*sorted(ends), *cut]


def _uses(config: Config, *, writes: bool) -> Iterator[_Use]:
    for index, variant in enumerate(config.runs if writes else ()):
        if variant.calls_provider:
            use = _use(("runs", index), variant)
            # With a schema a model has to answer in JSON, as judges do.
            yield use if variant.json_schema is None else use._replace(mode=True)
    combines = config.playoffs.enabled
    lists: dict[Key, tuple[Judge, ...]] = {
        ("judges",): config.judges,
        ("pairwise", "judges"): (config.pairwise.judges or ()) if config.pairwise.enabled else (),
        ("playoffs", "judges"): (config.playoffs.judges or ()) if combines or not writes else (),
    }
    for key, judges in lists.items():
        for index, judge in enumerate(judges):
            if judge.weight > 0:
                yield _use((*key, index), judge, config.json_mode)
    for index, model in enumerate((config.playoffs.models or ()) if combines and writes else ()):
        yield _Use(("playoffs", "models", index), model.provider, model.model)
    if config.jsonify is not None:
        jsonify = config.jsonify
        yield _Use(JSONIFY, jsonify.provider, jsonify.model, max_tokens=jsonify.max_tokens)


def _use(key: Key, of: Variant | Judge, mode: JsonMode | None = None) -> _Use:
    if mode is not None and of.json_mode is not None:
        mode = of.json_mode
    return _Use(
        key, of.provider, of.model, of.require, of.effort, of.temperature, of.max_tokens, mode
    )


def _capabilities(config: Config, use: _Use) -> Capabilities:
    return capabilities.of(config.providers[use.provider], use.model)


def _needed_tokens(config: Config, use: _Use, at: datetime) -> int:
    """Return the number of tokens that a thinking model needs for a verdict; 0 without thinking."""
    provider = config.providers[use.provider]
    thinking = consumption.thinking_tokens(provider, use.model, use.effort, use.require, at)
    return consumption.VERDICT_TOKENS + thinking if thinking else 0


def _successor(config: Config, use: _Use, day: date) -> str | None:
    return capabilities.living_successor(config.providers[use.provider], use.model, day)


def _of_use(config: Config, use: _Use, at: datetime) -> Iterator[Problem]:
    able = _capabilities(config, use)
    model = (*use.key, "model")
    if able.shutdown is not None and able.shutdown < at.date():
        other = _successor(config, use, at.date())
        advice = f"the nearest living model is {other}" if other else "name another model"
        yield Problem(model, f"{use.name} was shut down after {able.shutdown}; {advice}")
        return
    if not able.known and _has_own_models(config.providers[use.provider]):
        yield Problem(model, _unknown(use))
        return
    yield from _parameters(use, able)
    missing = json_modes.unreachable(able, use.require, use.name)
    if missing is not None:
        yield Problem((*use.key, "require"), f"{missing}; require less, or name another model")
    elif use.mode is not None:
        yield from _json_mode(config, use, use.mode)


def _json_mode(config: Config, use: _Use, mode: JsonMode) -> Iterator[Problem]:
    """Yield a problem if a judge cannot answer in JSON, directly or in two stages."""
    able, jsonify = _capabilities(config, use), config.jsonify
    if jsonify is not None and jsonify.provider not in config.providers:
        return
    refusal = json_modes.refusal(mode, able, use.require, use.name)
    if refusal is None:
        return
    if jsonify is None:
        yield Problem((*use.key, "model"), refusal)
        return
    second = _Use(JSONIFY, jsonify.provider, jsonify.model)
    if mode is True and not _capabilities(config, second).json_schema:
        message = f"json: true needs answers that follow a schema, and {second.name} takes none"
        yield Problem((*JSONIFY, "model"), f"{message}; name another model")


def _parameters(use: _Use, able: Capabilities) -> Iterator[Problem]:
    if use.temperature is not None and not able.sampling:
        yield Problem((*use.key, "temperature"), f"{use.name} takes no temperature; leave it out")
    if use.effort is not None and use.effort not in able.efforts:
        words = ", ".join(able.efforts)
        said = f"takes effort {words} only" if words else "takes no effort"
        yield Problem((*use.key, "effort"), f"{use.name} {said}; change effort or leave it out")
    thinks = use.effort is not None or use.require.reasoning != "none"
    heated = use.temperature is not None and able.sampling
    if heated and thinks and not able.sampling_while_thinking:
        message = f"{use.name} takes no temperature while it thinks; leave out one of the two"
        yield Problem((*use.key, "temperature"), message)
    most = able.max_output
    if use.max_tokens is not None and most is not None and use.max_tokens > most:
        message = f"max_tokens {use.max_tokens}: {use.name} writes {most} at the most"
        yield Problem((*use.key, "max_tokens"), message)


def _has_own_models(provider: Provider) -> bool:
    """Return whether a provider serves its own models at its usual address."""
    hosts = {
        urlsplit(one.base_url).hostname for one in KNOWN.values() if one.dialect in _OWN_MODELS
    }
    return urlsplit(provider.base_url).hostname in hosts


def _unknown(use: _Use) -> str:
    known = {name for entry in prices.table() for name in entry.models if "*" not in name}
    close = nearest(use.model, known)
    meant = "" if close is None else f"did you mean {close}? "
    new = f"providers: {{{use.provider}: {{capabilities: {{{use.model}: {{}}}}}}}}"
    return f"unknown model {use.name}; {meant}If it is new, vouch for it by {new}"


def _scales(config: Config) -> Iterator[Problem]:
    """Yield a problem if a schema is required and the scales do not fit into a schema."""
    for key, criteria in criteria_lists(config).items():
        steps = sum(len(criterion.scale) for criterion in criteria)
        modes = {
            config.json_mode if judge.json_mode is None else judge.json_mode
            for judge in config.judges_of(combined=key != ("criteria",))
        }
        if steps > _MOST_STEPS and modes - {False}:
            message = f"the scales of all criteria have {steps} steps"
            message += f", and a schema can have {_MOST_STEPS}"
            yield Problem(key, f"{message}; use larger steps, or set json: false")


def _prices(config: Config, uses: Sequence[_Use], at: datetime) -> Iterator[Problem]:
    """Yield a problem for each model without a price if there is a budget."""
    if config.budget_usd is None:
        return
    unknown = dict.fromkeys(
        f"{use.provider}:{use.model}" for use in uses if not _is_priced(config, use, at)
    )
    if unknown:
        names = ", ".join(unknown)
        places = dotted(("providers", "*", "prices"))
        message = f"a budget needs the price of every model, and none is known of {names}"
        yield Problem(("budget_usd",), f"{message}; name them in {places}, or leave budget_usd out")


def _is_priced(config: Config, use: _Use, at: datetime) -> bool:
    price = prices.known(config.providers[use.provider], use.model, at)
    return price is not None and (not use.require.search or price.search is not None)
