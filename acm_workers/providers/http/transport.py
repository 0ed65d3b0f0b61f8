"""HTTP requests to providers, and what their failures mean.

They go through httpcore; of httpx, which stands on it, we take what reads addresses and unpacks
answers. Its client, with its cookies, redirects and logins, took a third of the CPU of a request.
"""

import ssl
from collections.abc import Mapping, Sequence
from typing import Any

import httpcore
import httpx
import pydantic_core

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import addresses, connections, keys
from acm_workers.providers.http.answers import Answer, parse
from acm_workers.providers.http.connections import CONNECT_S, Sent
from schemas.config.provider import Provider

_KEPT = frozenset(
    {b"retry-after", b"retry-after-ms", b"x-should-retry", b"x-request-id", b"request-id", b"date"}
)
_PASSING = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.RemoteProtocolError,
    httpcore.ProxyError,
    httpx.DecodingError,
)
# Of those, the ones after which nobody can have worked on the request.
_UNSENT = (
    httpcore.ConnectTimeout,
    httpcore.ConnectError,
    httpcore.ProxyError,
    httpcore.WriteTimeout,
)
# An illegal header or address is our own mistake.
_OURS = (
    httpcore.LocalProtocolError,
    httpx.InvalidURL,
    UnicodeError,
)


def post(
    provider: Provider, name: str, path: str, body: dict[str, Any], headers: Mapping[str, str]
) -> Answer:
    """Send ``body`` to ``path`` under the provider's address and return whatever it answers.

    Args:
        provider: Where to, with which key, and for how long at the most.
        name: What the config calls the provider.
        path: Without a slash in front.
        body: Becomes JSON.
        headers: To send beside the key and the content type.

    Raises:
        RequestError: The key is missing, or the address is none.
        ProviderUnavailable: No whole answer came within the time limit.
        ProviderRejected: The request cannot be sent, or its answer is too long.
    """
    content = pydantic_core.to_json(body)
    return _answer(provider, name, Sent("POST", path, content, headers))


def get(provider: Provider, name: str, path: str, headers: Mapping[str, str]) -> Answer:
    """Return whatever is at ``path`` under the provider's address; see ``post``."""
    return _answer(provider, name, Sent("GET", path, b"", headers))


def _answer(provider: Provider, name: str, sent: Sent) -> Answer:
    key = keys.read(provider, name)
    try:
        received = connections.of(provider, key).send(sent, provider.timeout_seconds)
    except _PASSING as error:
        raise _unanswered(error, provider, name) from error
    except _OURS as error:
        raise ProviderRejected(f"{name}: cannot be sent ({type(error).__name__})") from error
    except OverflowError as error:
        raise _billed(ProviderRejected(f"{name}: {error}")) from error
    parsed, excerpt = parse(received.content)
    told = _kept(received.headers)
    request_id = told.get("x-request-id") or told.get("request-id")
    return Answer(name, received.status, told, parsed, excerpt, request_id)


def _kept(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    fields = ((name.lower(), value) for name, value in headers)
    return {
        name.decode("ascii"): value.decode("latin-1") for name, value in fields if name in _KEPT
    }


def _unanswered(error: Exception, provider: Provider, name: str) -> AcmError:
    where = f"{name} ({addresses.host(provider.base_url)})"
    if _is_certificate(error):
        return ProviderRejected(f"{where}: its TLS certificate cannot be verified")
    if isinstance(error, httpcore.TimeoutException):
        limit_s = CONNECT_S if isinstance(error, httpcore.ConnectTimeout) else None
        limit_s = min(limit_s or provider.timeout_seconds, provider.timeout_seconds)
        said = f"{type(error).__name__} within {limit_s:g} s"
    else:
        said = f"{type(error).__name__}: {error}"
    unavailable = ProviderUnavailable(f"{where}: {said}"[:300])
    return unavailable if isinstance(error, _UNSENT) else _billed(unavailable)


def _billed(error: AcmError) -> AcmError:
    error.maybe_billed = True
    return error


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
