"""Where a provider lives, read from its base address."""

import ipaddress
from functools import lru_cache
from urllib.parse import urlsplit

from acm_workers.errors import RequestError

_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")


@lru_cache(maxsize=256)
def host(base_url: str) -> str:
    """Return the host name in ``base_url``, in small letters.

    Raises:
        RequestError: It is no http or https address.
    """
    try:
        parts = urlsplit(base_url)
        found = parts.hostname
    except ValueError:
        found = None
    if not found or parts.scheme not in ("http", "https"):
        raise RequestError(f"base_url {base_url!r} is not an http or https address")
    return found


@lru_cache(maxsize=256)
def place(base_url: str) -> str:
    """Return ``host:port`` of ``base_url``, also where the port is the usual one.

    Raises:
        RequestError: It is no http or https address.
    """
    name, parts = host(base_url), urlsplit(base_url)
    try:
        port = parts.port
    except ValueError as error:
        raise RequestError(f"base_url {base_url!r} has no port that could be one") from error
    return f"{name}:{port or (443 if parts.scheme == 'https' else 80)}"


@lru_cache(maxsize=256)
def is_loopback(base_url: str) -> bool:
    """Return whether ``base_url`` points at this very machine."""
    name = host(base_url)
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_azure(base_url: str) -> bool:
    """Return whether ``base_url`` is an Azure resource, which wants its key in another header."""
    return host(base_url).endswith(_AZURE)


def is_openai(base_url: str) -> bool:
    """Return whether OpenAI's own parameter names apply at ``base_url``."""
    return host(base_url) == "api.openai.com" or is_azure(base_url)


def is_openrouter(base_url: str) -> bool:
    """Return whether ``base_url`` is OpenRouter."""
    return host(base_url) == "openrouter.ai"
