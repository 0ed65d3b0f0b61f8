"""What providers allow, where several runs say it; pure."""

from collections.abc import Iterable, Sequence

from schemas.config.config import Config
from schemas.config.provider import ModelLimits, Provider


def of(configs: Sequence[Config]) -> dict[str, Provider]:
    """Return the providers of ``configs`` by name, each with the lowest limits that any names."""
    found: dict[str, Provider] = {}
    for config in configs:
        for name, provider in config.providers.items():
            found[name] = _both(found[name], provider) if name in found else provider
    return found


def _both(one: Provider, other: Provider) -> Provider:
    models = dict(one.models)
    for name, limits in other.models.items():
        models[name] = limits.model_copy(update=_limits(models.get(name, limits), limits))
    return other.model_copy(update={**_limits(one, other), "models": models})


def _limits(one: Provider | ModelLimits, other: Provider | ModelLimits) -> dict[str, object]:
    return {
        "requests_per_minute": _lower(one.requests_per_minute, other.requests_per_minute),
        "tokens_per_minute": _lower(one.tokens_per_minute, other.tokens_per_minute),
        "max_in_flight": _lower(one.max_in_flight, other.max_in_flight),
        "launch_delay_seconds": max(one.launch_delay_seconds, other.launch_delay_seconds),
    }


def _lower(*limits: float | None) -> float | None:
    return min(_known(limits), default=None)


def _known(limits: Iterable[float | None]) -> Iterable[float]:
    return (limit for limit in limits if limit is not None)
