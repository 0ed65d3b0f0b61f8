"""Policies: bounds that the limits of a config must keep to, and fill in where it sets none."""

from collections.abc import Iterator
from typing import Any

from acm_api.config import draft as drafts
from acm_api.config.draft import Draft, Problem
from acm_api.config.source import Key
from schemas.config.config import Config
from schemas.config.policies import LimitBounds
from schemas.config.provider import Provider

_CAPS = ("requests_per_minute", "tokens_per_minute", "max_in_flight")
_DELAY = "launch_delay_seconds"
_BOUNDS = {name: f"{name}_cap" for name in _CAPS} | {_DELAY: f"{_DELAY}_min"}


def apply(draft: Draft) -> None:
    """Give limits that a config leaves out the values that its policies allow."""
    caps = drafts.get(draft.data, ("policies", "providers"))
    providers = draft.data.get("providers")
    if not isinstance(caps, dict) or not isinstance(providers, dict):
        return
    for name, provider in providers.items():
        place = name if name in caps else "*"
        cap = caps.get(place)
        if not isinstance(provider, dict) or not isinstance(cap, dict):
            continue
        if cap.get("enforce", True) is not True:
            continue
        for limit, bound in _BOUNDS.items():
            if provider.get(limit) is None and _is_number(cap.get(bound)):
                provider[limit] = _usual(limit, cap[bound])
                draft.labels["providers", name, limit] = f"policies.providers.{place}"


def problems(config: Config) -> list[Problem]:
    """Return a problem for each limit beyond a bound that is enforced."""
    return [Problem(key, message) for key, message, enforced in _beyond(config) if enforced]


def notes(config: Config) -> list[str]:
    """Return what people should know of limits beyond bounds that are not enforced."""
    return [f"{message}; not enforced" for _, message, enforced in _beyond(config) if not enforced]


def _beyond(config: Config) -> Iterator[tuple[Key, str, bool]]:
    for name, provider in config.providers.items():
        cap = config.policies.of(name)
        if cap is None:
            continue
        for limit in _BOUNDS:
            word = _wrong(provider, cap, limit)
            if word is not None:
                key: Key = ("providers", name, limit)
                yield key, f"{limit} of provider {name} {word} that policies set", cap.enforce


def _wrong(provider: Provider, cap: LimitBounds, limit: str) -> str | None:
    value, bound = getattr(provider, limit), getattr(cap, _BOUNDS[limit])
    if bound is None:
        return None
    if limit == _DELAY:
        return None if value >= bound else f"is {value:g}, below the {bound:g}"
    if value is None:
        return f"is not set, above the {bound:g}"
    return None if value <= bound else f"is {value:g}, above the {bound:g}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _usual(limit: str, bound: Any) -> Any:
    """Return the default of a limit, or the bound where the default is beyond it."""
    if limit != "max_in_flight":
        return bound
    usual: int = Provider.model_fields[limit].default
    return min(usual, bound)
