"""HTTP requests to providers.

Requests go through httpcore. Only address parsing comes from httpx: its client adds cookies,
redirects and authentication, which providers do not need and which took a third of the CPU of a
request. A redirect is never followed, because it could carry a key to another host. A body may have
only one layer of gzip, because httpx inflates any number of layers without a bound.

Each thread keeps its own connections, one for each address. A thread never needs two at a time, so
that no pool is needed. All connections share one TLS context.
"""

import secrets
import ssl
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import httpcore
import httpx
import pydantic_core

from acm_workers.errors import (
    AcmError,
    ProviderRejected,
    ProviderUnavailable,
    RequestError,
    exhausted,
)
from acm_workers.providers.http import endpoints, failures
from acm_workers.providers.http.deadline import Deadline, DeadlineBackend
from acm_workers.providers.http.responses import ProviderResponse, parse_json
from schemas.config.provider import Provider

_FIRST_FAILURE = 400
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
_CONNECT_S, _WRITE_S, _KEEP_ALIVE_S = 10.0, 60.0, 30.0
_GZIP = 16 + zlib.MAX_WBITS
_READ_HEADERS = frozenset(
    {b"retry-after", b"retry-after-ms", b"x-should-retry", b"x-request-id", b"request-id", b"date"}
)
_TRANSIENT = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.RemoteProtocolError,
    httpcore.ProxyError,
)
# After these the provider cannot have received the whole request.
_NOT_SENT = (
    httpcore.ConnectTimeout,
    httpcore.ConnectError,
    httpcore.ProxyError,
    httpcore.WriteTimeout,
)
_TIMED_OUT: dict[type[Exception], str] = {
    httpcore.ConnectTimeout: "no connection",
    httpcore.WriteTimeout: "the request was not taken",
    httpcore.TimeoutException: "no whole answer",
}
_BROKEN: dict[type[Exception], str] = {
    httpcore.ConnectError: "cannot connect",
    httpcore.ProxyError: "the proxy refuses",
    httpcore.NetworkError: "the connection broke",
    httpcore.RemoteProtocolError: "the answer is not valid HTTP",
}
# An illegal header or address is a mistake of the configuration or of ACM.
_INVALID_REQUEST = (httpcore.LocalProtocolError, httpx.InvalidURL, UnicodeError)


def post(
    provider: Provider, name: str, path: str, body: dict[str, Any], headers: Mapping[str, str]
) -> ProviderResponse:
    """Send ``body`` as JSON to ``path`` and return the response, regardless of its status.

    Args:
        provider: Gives the address, the key and the time limit of the whole request.
        name: The provider's name in the config.
        path: Relative to the provider's address, without a leading slash.
        headers: Headers in addition to the key and the content type.

    Raises:
        RequestError: The key is missing, or the address is invalid.
        ProviderUnavailable: No complete response came within the time limit.
        ProviderRejected: The request cannot be sent, or the response is too long.
    """
    return _request(provider, name, _Request("POST", path, pydantic_core.to_json(body), headers))


def ask(
    provider: Provider,
    name: str,
    path: str,
    body: dict[str, Any],
    client_request_id: str,
    headers: Mapping[str, str] | None = None,
) -> ProviderResponse:
    """Send ``body`` and return a successful response.

    Raises:
        AcmError: See ``post`` and ``failures.check``.
    """
    all_headers = {"X-Client-Request-Id": client_request_id, **(headers or {})}
    response = post(provider, name, path, body, all_headers)
    failures.check(response)
    return response


def get(provider: Provider, name: str, path: str, headers: Mapping[str, str]) -> ProviderResponse:
    """Return the response to a GET of ``path``; see ``post``."""
    return _request(provider, name, _Request("GET", path, b"", headers))


def get_content(
    provider: Provider, name: str, path: str, headers: Mapping[str, str], limit: int
) -> tuple[bytes, ProviderResponse]:
    """Return the unparsed body of a GET of ``path``, and the response; see ``post``.

    Args:
        limit: Maximum number of bytes of the body. The response contains the body only after a
            failure.
    """
    request, key = _Request("GET", path, b"", headers), endpoints.api_key(provider, name)
    with _translated_errors(provider, name), _opened(provider, key, request) as response:
        content = whole_content(response, limit)
        shown = content if response.status >= _FIRST_FAILURE else b"{}"
        return content, _response(_Received(response.status, response.headers, shown), name, key)


def post_file(
    provider: Provider, name: str, path: str, fields: Mapping[str, str], file: tuple[str, bytes]
) -> ProviderResponse:
    """Send a form with a field ``file``: its name and content; see ``post``."""
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file[0]}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    content = "".join(parts).encode() + file[1] + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return _request(provider, name, _Request("POST", path, content, headers))


class RawResponse:
    """A response whose body is passed on as it arrives.

    Attributes:
        status: HTTP status.
        content_type: Content type of the body; "" if the server names none.
        headers: Names in lower case; only the headers that ACM reads.
    """

    def __init__(self, name: str, key: str | None, response: httpcore.Response, limit: int) -> None:
        self.status = response.status
        self.content_type = _content_type(response)
        self.headers = _read_headers(response.headers)
        self._name, self._key = name, key
        self._response, self._limit = response, limit

    @property
    def request_id(self) -> str | None:
        """Return the provider's id of the request."""
        return self.headers.get("x-request-id") or self.headers.get("request-id")

    def parts(self) -> Iterator[bytes]:
        """Yield the body in the pieces in which it arrives.

        Raises:
            OverflowError: The body is longer than the limit, or has an unsupported encoding.
        """
        return _parts(self._response, self._limit)

    def failure(self) -> tuple[bytes, ProviderResponse]:
        """Return the body of a response with an error status, without the key, and its contents."""
        content = whole_content(self._response, MAX_RESPONSE_BYTES)
        received = _Received(self.status, self._response.headers, content)
        return _without_key(received, self._key), _response(received, self._name, self._key)

    def parsed(self, content: bytes) -> ProviderResponse:
        """Return the contents of ``content``, a whole body of this response."""
        body, excerpt = parse_json(content)
        return ProviderResponse(
            self._name, self.status, self.headers, body, excerpt, self.request_id
        )


@contextmanager
def stream(
    provider: Provider,
    name: str,
    path: str,
    content: bytes,
    headers: Mapping[str, str],
    limit: int = MAX_RESPONSE_BYTES,
) -> Iterator[RawResponse]:
    """Send the JSON ``content`` unchanged; yield the response before its body has arrived.

    Args:
        limit: Maximum number of bytes of a response with a status below 400.

    Raises:
        AcmError: See ``post``; also raised while the body is read.
    """
    key = endpoints.api_key(provider, name)
    with (
        _translated_errors(provider, name),
        _opened(provider, key, _Request("POST", path, content, headers)) as response,
    ):
        yield RawResponse(name, key, response, limit)


class _Request(NamedTuple):
    method: Literal["GET", "POST"]
    path: str
    content: bytes
    headers: Mapping[str, str]


class _Received(NamedTuple):
    """A response with a decompressed body."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    content: bytes


def _request(provider: Provider, name: str, request: _Request) -> ProviderResponse:
    key = endpoints.api_key(provider, name)
    with _translated_errors(provider, name), _opened(provider, key, request) as response:
        content = whole_content(response, MAX_RESPONSE_BYTES)
        return _response(_Received(response.status, response.headers, content), name, key)


@contextmanager
def _translated_errors(provider: Provider, name: str) -> Iterator[None]:
    try:
        yield
    except _TRANSIENT as error:
        if (lacking := exhausted(error)) is not None:
            raise lacking from error
        raise _translated(error, provider, name) from error
    except _INVALID_REQUEST as error:
        raise ProviderRejected(f"{name}: its address or its key cannot be sent") from error
    except OverflowError as error:
        raise _maybe_billed(ProviderRejected(f"{name}: {error}")) from error
    except MemoryError as error:
        message = f"{name}: not enough memory for the answer"
        raise _maybe_billed(ProviderRejected(message)) from error


def _response(received: _Received, name: str, key: str | None) -> ProviderResponse:
    body, excerpt = parse_json(_without_key(received, key))
    headers = _read_headers(received.headers)
    request_id = headers.get("x-request-id") or headers.get("request-id")
    return ProviderResponse(name, received.status, headers, body, excerpt, request_id)


def _without_key(received: _Received, key: str | None) -> bytes:
    # An error that quotes its request must not bring the key into logs and tables. Successful
    # responses stay as they are: some local servers take a common word as their key.
    if endpoints.is_secret(key) and received.status >= 400:
        return received.content.replace(key.encode(), b"[key]")
    return received.content


def _read_headers(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {
        header.lower().decode("ascii"): value.decode("latin-1")
        for header, value in headers
        if header.lower() in _READ_HEADERS
    }


def _content_type(response: httpcore.Response) -> str:
    for header, value in response.headers:
        if header.lower() == b"content-type":
            return value.decode("latin-1")
    return ""


@contextmanager
def _opened(provider: Provider, key: str | None, request: _Request) -> Iterator[httpcore.Response]:
    """Send ``request`` on a connection of this thread, and yield the response with its head.

    An exception of the caller closes the connection, just as an exception of the connection does.
    """
    outgoing = _outgoing(provider, key, request)
    connections = _connections_of_thread()
    connection, deadline = connections.take(provider.base_url, outgoing.url.origin)
    deadline.set(provider.timeout_seconds)
    try:
        response = connection.handle_request(outgoing)
        deadline.head_received()
        try:
            yield response
        finally:
            response.close()
    except BaseException:
        connection.close()
        raise
    connections.keep(provider.base_url, connection, deadline)


def _outgoing(provider: Provider, key: str | None, request: _Request) -> httpcore.Request:
    url, host = _url(provider.base_url, request.path)
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "acm",
        **request.headers,
    }
    if key is not None:
        headers.update([endpoints.key_header(provider, key)])
    if request.content:
        headers["Content-Length"] = str(len(request.content))
    encoded = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    limit_s = provider.timeout_seconds
    return httpcore.Request(
        request.method,
        url,
        headers=[(b"Host", host), *encoded],
        content=request.content,
        extensions={"timeout": {"connect": _CONNECT_S, "read": limit_s, "write": _WRITE_S}},
    )


@lru_cache(maxsize=256)
def _url(base_url: str, path: str) -> tuple[httpcore.URL, bytes]:
    """Return the URL of ``path`` under ``base_url``, and the value of its Host header."""
    endpoints.host(base_url)
    url = httpx.URL(f"{base_url.rstrip('/')}/{path}")
    return _httpcore_url(url), url.netloc


def _httpcore_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def whole_content(response: httpcore.Response, limit: int) -> bytes:
    """Return the body, or an empty body if the response is a failure with an unacceptable body.

    Raises:
        OverflowError: See ``_parts``.
        httpcore.RemoteProtocolError: The body is not valid gzip.
    """
    try:
        return b"".join(_parts(response, limit))
    except (OverflowError, httpcore.RemoteProtocolError):
        if response.status < 400:
            raise
        return b""


def _parts(response: httpcore.Response, limit: int) -> Iterator[bytes]:
    """Yield the decompressed body, which never takes more memory than the limit.

    Raises:
        OverflowError: The body is longer than ``limit``, or has an unsupported encoding.
    """
    # Some servers compress although the request asks them not to.
    encoding = _encoding(response)
    if encoding not in ("", "gzip", "x-gzip"):
        raise OverflowError(f"the answer is encoded as {encoding[:40]!r}, which is not accepted")
    inflater = zlib.decompressobj(_GZIP) if encoding else None
    sent = size = 0
    for chunk in response.iter_stream():
        sent += len(chunk)
        part = chunk
        if inflater is not None:
            try:
                part = inflater.decompress(chunk, limit - size + 1)
            except zlib.error as error:
                raise httpcore.RemoteProtocolError("the answer is not valid gzip") from error
        size += len(part)
        if max(sent, size) > limit:
            raise OverflowError(f"the answer is longer than {limit // 2**20} MB")
        yield part
    if inflater is not None and sent and not inflater.eof:
        raise httpcore.RemoteProtocolError("the answer is not valid gzip")


def _encoding(response: httpcore.Response) -> str:
    """Return the encodings of the body in lower case; "" if there are none."""
    values = (
        value.decode("latin-1")
        for name, value in response.headers
        if name.lower() == b"content-encoding"
    )
    named = (one.strip().lower() for one in ",".join(values).split(","))
    return ", ".join(one for one in named if one not in ("", "identity"))


def _translated(error: Exception, provider: Provider, name: str) -> AcmError:
    where = f"{name} ({endpoints.host(provider.base_url)})"
    if _is_certificate_error(error):
        return ProviderRejected(f"{where}: its TLS certificate cannot be verified")
    if isinstance(error, httpcore.TimeoutException):
        limit_s = provider.timeout_seconds
        if isinstance(error, httpcore.ConnectTimeout):
            limit_s = min(limit_s, _CONNECT_S)
        what = _described(error, _TIMED_OUT)
        message = f"{what} within {limit_s:g} s"
    else:
        what = _described(error, _BROKEN)
        message = f"{what}: {error}" if str(error) else what
    unavailable = ProviderUnavailable(f"{where}: {message}"[:300])
    return unavailable if isinstance(error, _NOT_SENT) else _maybe_billed(unavailable)


def _described(error: Exception, words: Mapping[type[Exception], str]) -> str:
    return next(text for kind, text in words.items() if isinstance(error, kind))


def _maybe_billed(error: AcmError) -> AcmError:
    error.maybe_billed = True
    return error


def _is_certificate_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


class _Connections:
    """The connections of one thread, by address; closed when the thread ends."""

    def __init__(self) -> None:
        self._idle: dict[str, tuple[httpcore.ConnectionInterface, Deadline]] = {}

    def take(
        self, base_url: str, origin: httpcore.Origin
    ) -> tuple[httpcore.ConnectionInterface, Deadline]:
        """Return a connection that is ready for a request, and its deadline.

        Raises:
            RequestError: The proxy does not speak HTTP, or no certificates can be read.
        """
        connection, deadline = self._idle.pop(base_url, (None, Deadline()))
        if connection is not None:
            if connection.is_idle() and not connection.has_expired():
                return connection, deadline
            connection.close()
        return _new_connection(base_url, origin, deadline), deadline

    def keep(
        self, base_url: str, connection: httpcore.ConnectionInterface, deadline: Deadline
    ) -> None:
        """Keep a connection for the next request to ``base_url``."""
        self._idle[base_url] = connection, deadline

    def __del__(self) -> None:
        for connection, _ in self._idle.values():
            connection.close()


_thread = threading.local()


def _connections_of_thread() -> _Connections:
    connections: _Connections | None = getattr(_thread, "connections", None)
    if connections is None:
        connections = _thread.connections = _Connections()
    return connections


def _new_connection(
    base_url: str, origin: httpcore.Origin, deadline: Deadline
) -> httpcore.ConnectionInterface:
    context = endpoints.tls_context(base_url)
    backend, proxy_url = DeadlineBackend(deadline), endpoints.proxy(base_url)
    if proxy_url is None:
        return httpcore.HTTPConnection(
            origin, ssl_context=context, keepalive_expiry=_KEEP_ALIVE_S, network_backend=backend
        )
    proxy = httpx.Proxy(proxy_url)
    if proxy.url.scheme not in {"http", "https"}:
        raise RequestError(
            f"the proxy before {endpoints.host(base_url)} speaks {proxy.url.scheme}:"
            " name one in the environment that speaks http"
        )
    through = httpcore.HTTPProxy(
        proxy_url=_httpcore_url(proxy.url),
        proxy_auth=proxy.raw_auth,
        proxy_headers=proxy.headers.raw,
        ssl_context=context,
        keepalive_expiry=_KEEP_ALIVE_S,
        network_backend=backend,
    )
    return through.create_connection(origin)
