"""Keys of providers: read from the environment when needed, shown nowhere."""

import os
from typing import TypeGuard

from acm_workers.errors import RequestError
from acm_workers.providers.http import addresses
from schemas.config.provider import Provider

_LEAST_SECRET = 8


def read(provider: Provider, name: str) -> str | None:
    """Return the key of the provider called ``name``, or None if a local server needs none.

    Raises:
        RequestError: It is missing or cannot be sent; names the variable, never the value.
    """
    if provider.key_env is None:
        if addresses.is_loopback(provider.base_url):
            return None
        raise RequestError(f"provider {name} has no key_env; only local servers need no key")
    key = os.environ.get(provider.key_env, "").strip()
    if not key:
        raise RequestError(
            f"provider {name}: the environment variable {provider.key_env} is not set"
        )
    # Refused here, because the HTTP library would quote the value in its error.
    if not (key.isascii() and key.isprintable()):
        raise RequestError(
            f"provider {name}: the value of {provider.key_env} holds characters that no key has"
        )
    return key


def is_secret(key: str | None) -> TypeGuard[str]:
    """Return whether ``key`` is one that has to be kept from errors.

    Below eight characters it is no secret, and to take it out would mangle messages.
    """
    return key is not None and len(key) >= _LEAST_SECRET


def header(provider: Provider, key: str) -> tuple[str, str]:
    """Return the header in which ``key`` goes to ``provider``; keys never stand in addresses."""
    if provider.dialect == "anthropic":
        return "x-api-key", key
    if provider.dialect == "google":
        return "x-goog-api-key", key
    if addresses.is_azure(provider.base_url):
        return "api-key", key
    return "Authorization", f"Bearer {key}"
