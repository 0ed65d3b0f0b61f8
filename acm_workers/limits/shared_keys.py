"""Rates of keys that several tenants use: together they keep to the highest rate of any tenant.

Each tenant keeps to its own limits as well. Otherwise tenants would pass the limits of a key
together, although each of them states these limits in its config.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.config.provider import ModelLimits, Provider


class Rates(NamedTuple):
    """Rates of a key, or of one model with this key; absent where there is no limit."""

    requests_per_minute: float | None
    tokens_per_minute: float | None


class SharedKey(NamedTuple):
    """A key that several tenants use.

    Attributes:
        digest: Digest of the address and the variable of the key.
        models: Rates of the models for which every tenant has separate rates.
    """

    digest: str
    total: Rates
    models: Mapping[str, Rates]


def shared_keys(providers: Mapping[str, Provider]) -> dict[str, SharedKey]:
    """Return the shared keys by the names of their providers.

    Args:
        providers: All active providers by qualified names; see ``Scope.qualified``.
    """
    users: dict[tuple[str, str | None], dict[str, list[str]]] = {}
    for name, provider in providers.items():
        tenants = users.setdefault((provider.base_url.rstrip("/"), provider.key_env), {})
        tenants.setdefault(name.rpartition("/")[0], []).append(name)
    found: dict[str, SharedKey] = {}
    for (base_url, key_env), tenants in users.items():
        if len(tenants) < 2:
            continue
        by_tenant = [[providers[name] for name in names] for names in tenants.values()]
        models = set.intersection(*(set(one.models) for own in by_tenant for one in own))
        shared = SharedKey(
            hashlib.sha256(f"{base_url} {key_env}".encode()).hexdigest()[:32],
            _highest(by_tenant),
            {
                name: _highest([[one.models[name] for one in own] for own in by_tenant])
                for name in sorted(models)
            },
        )
        found |= {name: shared for names in tenants.values() for name in names}
    return found


def _highest(by_tenant: Sequence[Sequence[Provider | ModelLimits]]) -> Rates:
    """Return the highest rates of a tenant, which are the sums for its providers with the key."""
    return Rates(
        _highest_sum([one.requests_per_minute for one in own] for own in by_tenant),
        _highest_sum([one.tokens_per_minute for one in own] for own in by_tenant),
    )


def _highest_sum(by_tenant: Iterable[Sequence[float | None]]) -> float | None:
    sums = []
    for rates in by_tenant:
        known = [rate for rate in rates if rate is not None]
        if len(known) < len(rates):
            return None
        sums.append(sum(known))
    return max(sums)
