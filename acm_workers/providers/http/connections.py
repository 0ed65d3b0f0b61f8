"""Connections to providers: one of each thread's own for each address and key.

Threads that share one pool spend more CPU on its bookkeeping than on the requests; httpcore's pools
only make the connections. These are closed when their thread ends, as all threads that ask do. All
share one TLS context.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import httpcore
import httpx

from acm_workers.errors import RequestError
from acm_workers.providers.http import addresses, certificates, keys, proxies
from acm_workers.providers.http.deadlines import Backend, Deadline
from schemas.config.provider import Provider

MAX_ANSWER_BYTES = 16 * 1024 * 1024
CONNECT_S = 10.0
_WRITE_S, _KEEP_ALIVE_S = 60.0, 30.0
_MOST_URLS = 64

_Headers = Sequence[tuple[bytes, bytes]]


class Sent(NamedTuple):
    """One request as it is sent."""

    method: Literal["GET", "POST"]
    path: str
    content: bytes
    headers: Mapping[str, str]


class Received(NamedTuple):
    """One answer as it came, but unpacked."""

    status: int
    headers: _Headers
    content: bytes


class Connection:
    """One thread's way to one provider."""

    def __init__(self, provider: Provider, key: str | None) -> None:
        base_url = provider.base_url
        addresses.host(base_url)
        self._base_url = base_url.rstrip("/")
        self._urls: dict[str, tuple[httpcore.URL, bytes]] = {}
        # An answer that quotes its request must not bring the key into logs and tables. In good
        # answers it stays: local servers are given keys that are words, such as their own names.
        self._secret = key.encode() if keys.is_secret(key) else None
        own = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "acm",
        }
        if key is not None:
            own.update([keys.header(provider, key)])
        self._headers = _encoded(own)
        self._deadline = Deadline()
        self._way = _way(base_url, self._deadline)
        self._connection: httpcore.ConnectionInterface | None = None

    def send(self, sent: Sent, limit_s: float) -> Received:
        """Return the answer to a request.

        Raises:
            OverflowError: Its body is longer than we take.
        """
        url, host = self._url(sent.path)
        length = [(b"Content-Length", b"%d" % len(sent.content))] if sent.content else []
        request = httpcore.Request(
            sent.method,
            url,
            headers=[(b"Host", host), *self._headers, *_encoded(sent.headers), *length],
            content=sent.content,
            extensions={"timeout": {"connect": CONNECT_S, "read": limit_s, "write": _WRITE_S}},
        )
        self._deadline.set(limit_s)
        response = self._connected(url.origin).handle_request(request)
        try:
            raw = _read(response)
        finally:
            response.close()
        if self._secret is not None and response.status >= 400:
            raw = raw.replace(self._secret, b"[key]")
        return Received(response.status, response.headers, raw)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _connected(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        """Return the connection; a new one if there is none that can be used again."""
        found = self._connection
        if found is not None and found.is_available() and not found.has_expired():
            return found
        self.close()
        self._connection = self._way.create_connection(origin)
        return self._connection

    def _url(self, path: str) -> tuple[httpcore.URL, bytes]:
        """Return the address of ``path``, and its host as servers are told it."""
        found = self._urls.get(path)
        if found is None:
            if len(self._urls) >= _MOST_URLS:  # those of polled answers are used a few times only
                self._urls.clear()
            url = httpx.URL(f"{self._base_url}/{path}")
            found = self._urls[path] = _as_sent(url), url.netloc
        return found


class _Links:
    """The ways of one thread, closed when the thread ends."""

    def __init__(self) -> None:
        self.open: dict[tuple[str, str, str | None], Connection] = {}

    def __del__(self) -> None:
        for link in self.open.values():
            link.close()


_here = threading.local()


def of(provider: Provider, key: str | None) -> Connection:
    """Return this thread's way to a provider.

    Raises:
        RequestError: The address is none, there is no way through the proxy before it, or no
            certificates to trust.
    """
    links: _Links | None = getattr(_here, "links", None)
    if links is None:
        links = _here.links = _Links()
    account = (provider.base_url, provider.dialect, key)
    link = links.open.get(account)
    if link is None:
        link = links.open[account] = Connection(provider, key)
    return link


def _way(base_url: str, deadline: Deadline) -> httpcore.ConnectionPool:
    """Return what makes connections to an address: directly, or through the proxy before it."""
    context = certificates.of(base_url)
    backend, through = Backend(deadline), proxies.of(base_url)
    if through is None:
        return httpcore.ConnectionPool(
            ssl_context=context, keepalive_expiry=_KEEP_ALIVE_S, network_backend=backend
        )
    proxy = httpx.Proxy(through)
    if proxy.url.scheme not in {"http", "https"}:
        raise RequestError(
            f"the proxy before {addresses.host(base_url)} speaks {proxy.url.scheme}:"
            " name one in the environment that speaks http"
        )
    return httpcore.HTTPProxy(
        proxy_url=_as_sent(proxy.url),
        proxy_auth=proxy.raw_auth,
        proxy_headers=proxy.headers.raw,
        ssl_context=context,
        keepalive_expiry=_KEEP_ALIVE_S,
        network_backend=backend,
    )


def _as_sent(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]


def _read(response: httpcore.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    parts = response.iter_stream()
    if any(name.lower() == b"content-encoding" for name, _ in response.headers):
        packed = httpx.Response(response.status, headers=response.headers, content=parts)
        parts = packed.iter_bytes()  # some servers pack what we ask them not to
    for chunk in parts:
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise OverflowError(f"the answer is longer than {MAX_ANSWER_BYTES // 2**20} MB")
        chunks.append(chunk)
    return b"".join(chunks)
