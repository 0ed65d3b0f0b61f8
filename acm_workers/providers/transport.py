"""HTTP: the only code that sees httpx.

Each thread has its own connection for each address and key: threads that share one pool spend more
CPU on its bookkeeping than on the requests. All connections share one TLS context. They are
httpx's transports without its client, whose cookies, redirects and logins we do not want and which
took a third of the CPU of a request.
"""

import contextlib
import ssl
import threading
import weakref
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import httpx
import pydantic_core

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.providers import addresses, keys, proxies
from acm_workers.providers.answers import Answer, parse
from acm_workers.providers.deadlines import Backend, Deadline
from schemas.config.provider import Provider

MAX_ANSWER_BYTES = 16 * 1024 * 1024
_CONNECT_S, _WRITE_S, _POOL_S, _KEEP_ALIVE_S = 10.0, 60.0, 5.0, 30.0
_MOST_URLS = 64
_KEPT = frozenset(
    {b"retry-after", b"retry-after-ms", b"x-should-retry", b"x-request-id", b"request-id", b"date"}
)
# Not all of httpx.TransportError: an illegal header or address is our own mistake.
_PASSING = (
    httpx.TimeoutException,
    httpx.NetworkError,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
    httpx.DecodingError,
)
# Of those, the ones after which nobody can have worked on the request.
_UNSENT = (
    httpx.ConnectTimeout,
    httpx.ConnectError,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.WriteTimeout,
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
    return _answer(provider, name, _Sent("POST", path, content, headers))


def get(provider: Provider, name: str, path: str, headers: Mapping[str, str]) -> Answer:
    """Return whatever is at ``path`` under the provider's address; see ``post``."""
    return _answer(provider, name, _Sent("GET", path, b"", headers))


def close_all() -> None:
    """Close the connections of all threads; a later request opens new ones."""
    for links in list(_everywhere):
        links.close()


class _Sent(NamedTuple):
    """One request as it is sent."""

    method: Literal["GET", "POST"]
    path: str
    content: bytes
    headers: Mapping[str, str]


def _answer(provider: Provider, name: str, sent: _Sent) -> Answer:
    key = keys.read(provider, name)
    try:
        status, received, raw = _link(provider, key).send(sent, provider.timeout_seconds)
    except _PASSING as error:
        raise _unanswered(error, provider, name) from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise ProviderRejected(f"{name}: cannot be sent ({type(error).__name__})") from error
    except OverflowError as error:
        raise _billed(ProviderRejected(f"{name}: {error}")) from error
    parsed, excerpt = parse(raw)
    request_id = received.get("x-request-id") or received.get("request-id")
    return Answer(name, status, received, parsed, excerpt, request_id)


class _Link:
    """One thread's way to one provider."""

    def __init__(self, provider: Provider, key: str | None) -> None:
        base_url = provider.base_url
        addresses.host(base_url)
        self._base_url = base_url.rstrip("/")
        self._urls: dict[str, httpx.URL] = {}
        # An answer that quotes its request must not bring the key into logs and tables. In good
        # answers it stays: local servers are given keys that are words, such as their own names.
        self._secret = key.encode() if keys.is_secret(key) else None
        self._headers = [
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/json"),
            ("User-Agent", "acm"),
        ]
        if key is not None:
            self._headers.append(keys.header(provider, key))
        self._deadline = Deadline()
        self.transport = _transport(base_url, self._deadline)

    def send(self, sent: _Sent, limit_s: float) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of the answer.

        Raises:
            OverflowError: The body is longer than we take.
        """
        timeout = {"connect": _CONNECT_S, "read": limit_s, "write": _WRITE_S, "pool": _POOL_S}
        request = httpx.Request(
            sent.method,
            self._url(sent.path),
            headers=[*self._headers, *sent.headers.items()],
            content=sent.content,
            extensions={"timeout": timeout},
        )
        self._deadline.set(limit_s)
        response = self.transport.handle_request(request)
        try:
            raw = _read(response)
        finally:
            response.close()
        if self._secret is not None and response.status_code >= 400:
            raw = raw.replace(self._secret, b"[key]")
        return response.status_code, _kept(response), raw

    def _url(self, path: str) -> httpx.URL:
        url = self._urls.get(path)
        if url is None:
            if len(self._urls) >= _MOST_URLS:  # those of polled answers are used a few times only
                self._urls.clear()
            url = self._urls[path] = httpx.URL(f"{self._base_url}/{path}")
        return url


class _Links:
    """The ways of one thread, closed when the thread ends."""

    def __init__(self) -> None:
        self.open: dict[tuple[str, str, str | None], _Link] = {}
        _everywhere.add(self)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        while self.open:
            with contextlib.suppress(KeyError):  # its own thread was faster
                self.open.popitem()[1].transport.close()


_everywhere: "weakref.WeakSet[_Links]" = weakref.WeakSet()
_here = threading.local()
_tls_lock = threading.Lock()


def _link(provider: Provider, key: str | None) -> _Link:
    links: _Links | None = getattr(_here, "links", None)
    if links is None:
        links = _here.links = _Links()
    account = (provider.base_url, provider.dialect, key)
    link = links.open.get(account)
    if link is None:
        link = links.open[account] = _Link(provider, key)
    return link


def _transport(base_url: str, deadline: Deadline) -> httpx.HTTPTransport:
    with _tls_lock:
        context = _tls() if base_url.lower().startswith("https:") else _no_tls()
    transport = httpx.HTTPTransport(
        verify=context,
        trust_env=False,
        proxy=proxies.of(base_url),
        limits=httpx.Limits(
            max_connections=1, max_keepalive_connections=1, keepalive_expiry=_KEEP_ALIVE_S
        ),
    )
    # httpx has no public way to bound a whole request, nor to pass on httpcore's.
    transport._pool._network_backend = Backend(deadline)
    return transport


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


@lru_cache(maxsize=1)
def _no_tls() -> ssl.SSLContext:
    """Return a context that trusts nobody: to read certificates takes 50 ms that nobody needs."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _read(response: httpx.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise OverflowError(f"the answer is longer than {MAX_ANSWER_BYTES // 2**20} MB")
        chunks.append(chunk)
    return b"".join(chunks)


def _kept(response: httpx.Response) -> dict[str, str]:
    fields = ((name.lower(), value) for name, value in response.headers.raw)
    return {
        name.decode("ascii"): value.decode("latin-1") for name, value in fields if name in _KEPT
    }


def _unanswered(error: httpx.HTTPError, provider: Provider, name: str) -> AcmError:
    where = f"{name} ({addresses.host(provider.base_url)})"
    if _is_certificate(error):
        return ProviderRejected(f"{where}: its TLS certificate cannot be verified")
    if isinstance(error, httpx.TimeoutException):
        limit_s = _CONNECT_S if isinstance(error, httpx.ConnectTimeout) else None
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
