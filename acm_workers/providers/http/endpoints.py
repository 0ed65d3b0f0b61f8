"""The endpoint of a provider: its address, key, proxy and trusted certificates."""

import os
import socket
import ssl
import threading
from functools import lru_cache
from typing import TypeGuard
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from acm_workers.errors import ProviderRejected, RequestError
from acm_workers.providers.http import key_hosts
from schemas.config.provider import Provider

MIN_SECRET_LENGTH = 8
"""Minimum length of a redacted key, in characters; shorter keys are common words."""

_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_CONNECT_S = 3.0
_CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_tls_context_lock = threading.Lock()


@lru_cache(maxsize=256)
def host(base_url: str) -> str:
    """Return the host name in ``base_url``, in lower case.

    Raises:
        RequestError: ``base_url`` is not an http or https address.
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
def host_and_port(base_url: str) -> str:
    """Return ``host:port`` of ``base_url``, with the default port if it names none.

    Raises:
        RequestError: ``base_url`` is not an http or https address.
    """
    name, parts = host(base_url), urlsplit(base_url)
    try:
        port = parts.port
    except ValueError as error:
        raise RequestError(f"base_url {base_url!r} has an invalid port") from error
    return f"{name}:{port or (443 if parts.scheme == 'https' else 80)}"


@lru_cache(maxsize=256)
def is_loopback(base_url: str) -> bool:
    """Return whether ``base_url`` is on this machine."""
    return key_hosts.is_loopback(host(base_url))


def is_azure(base_url: str) -> bool:
    """Return whether ``base_url`` is an Azure resource, which takes its key in another header."""
    return host(base_url).endswith(_AZURE)


def is_openai(base_url: str) -> bool:
    """Return whether OpenAI's own parameter names apply at ``base_url``."""
    return host(base_url) == "api.openai.com" or is_azure(base_url)


def is_openrouter(base_url: str) -> bool:
    """Return whether ``base_url`` is OpenRouter."""
    return host(base_url) == "openrouter.ai"


def api_key(provider: Provider, name: str) -> str | None:
    """Return the key of the provider ``name`` from the environment; None for a local server.

    Raises:
        RequestError: The key is missing or cannot be sent; the message names the variable, never
            the value.
        ProviderRejected: This machine does not allow the provider's host; see ``key_hosts``.
    """
    if provider.key_env is None:
        if is_loopback(provider.base_url):
            return None
        raise RequestError(f"provider {name} has no key_env; only local servers need no key")
    shared = key_hosts.is_shared(os.environ)
    refused = key_hosts.refusal(provider, os.environ, shared=shared)
    if refused is not None:
        raise ProviderRejected(f"provider {name}: {refused}")
    key = os.environ.get(provider.key_env, "").strip()
    if not key:
        raise RequestError(
            f"provider {name}: the environment variable {provider.key_env} is not set"
        )
    # The HTTP library would quote the value in its own error.
    if not (key.isascii() and key.isprintable()):
        raise RequestError(
            f"provider {name}: the value of {provider.key_env} has characters that are not allowed"
            " in a key"
        )
    return key


def is_secret(key: str | None) -> TypeGuard[str]:
    """Return whether ``key`` must be removed from errors."""
    return key is not None and len(key) >= MIN_SECRET_LENGTH


def key_header(provider: Provider, key: str) -> tuple[str, str]:
    """Return the name and value of the header that carries ``key`` to ``provider``."""
    if provider.dialect == "anthropic":
        return "x-api-key", key
    if provider.dialect == "google":
        return "x-goog-api-key", key
    if is_azure(provider.base_url):
        return "api-key", key
    return "Authorization", f"Bearer {key}"


def proxy(base_url: str) -> str | None:
    """Return the proxy that the environment names for ``base_url``; None for loopback."""
    address = urlsplit(base_url)
    if is_loopback(base_url) or proxy_bypass(address.hostname or ""):
        return None
    proxies = getproxies()
    return proxies.get(address.scheme) or proxies.get("all")


def tls_context(base_url: str) -> ssl.SSLContext | None:
    """Return the TLS context for ``base_url``; None for plain HTTP.

    Raises:
        RequestError: The certificates that the environment names cannot be read.
    """
    if not base_url.lower().startswith("https:"):
        return None
    with _tls_context_lock:  # otherwise each starting thread would create one, in 30 ms
        return shared_tls_context()


@lru_cache(maxsize=1)
def shared_tls_context() -> ssl.SSLContext:
    """Return the TLS context of this process; see ``tls_context``."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # also raised for a file without certificates
        name = next((one for one in _CERTIFICATE_VARIABLES if os.environ.get(one)), "certifi")
        value = os.environ.get(name, "its file")
        reason = error.strerror or str(error)
        raise RequestError(
            f"{name}: {value} holds no certificates that can be read ({reason});"
            " name a file with certificates in PEM, or unset it"
        ) from error


def connection_problem(provider: Provider) -> str | None:
    """Return why a TCP connection to ``provider`` fails; None if it succeeds.

    No request is sent.

    Raises:
        RequestError: The trusted certificates cannot be read.
    """
    tls_context(provider.base_url)
    proxy_url = proxy(provider.base_url)
    address = host_and_port(provider.base_url if proxy_url is None else proxy_url)
    name, _, port = address.rpartition(":")
    try:
        socket.create_connection((name, int(port)), _CONNECT_S).close()
    except OSError as error:
        by = "" if proxy_url is None else f", the proxy of {host(provider.base_url)}"
        return f"{address}{by}: {error.strerror or str(error)}"
    return None
