"""Fetches of web pages for children: bounded, and never from private addresses.

The addresses come from search results, so anybody may have chosen them. Names are resolved here and
the connection goes to the address that was checked; a name that later means another address (DNS
rebinding) gains nothing. Each redirect is checked in the same way before it is followed. No proxy
is used: it would resolve the names itself.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import httpcore
import httpx

from acm_workers.errors import ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import endpoints, transport
from acm_workers.providers.http.deadline import Deadline, DeadlineBackend

_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_HEADERS = [
    (b"Accept", b"text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8"),
    (b"Accept-Encoding", b"identity"),
    (b"User-Agent", b"acm"),
]
_FAILED = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    ssl.SSLError,
)
_NOT_SENT = (httpcore.ConnectError, httpcore.ConnectTimeout)

_LEAST_IPV6 = 1 << 32
"""Lowest IPv6 address that is not an obsolete form of an IPv4 address."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class WebPage(NamedTuple):
    """The response of an address.

    Attributes:
        url: URL of the page, after redirects.
        media_type: Media type without parameters, in lower case.
    """

    url: str
    status: int
    media_type: str
    charset: str | None
    content: bytes


def fetch(url: str, within_s: float, most_bytes: int, *, private: bool = False) -> WebPage:
    """Return the page at ``url``, after at most five redirects.

    Args:
        within_s: Time limit of the whole fetch.
        most_bytes: A longer page is refused.
        private: Whether addresses of this machine and its networks are allowed, for a server that
            the user named.

    Raises:
        ProviderRejected: The URL or a redirect leads to an address that is not allowed, the answer
            is too long, or there are too many redirects.
        ProviderUnavailable: No complete answer arrived in time.
    """
    until = time.monotonic() + within_s
    for _ in range(_MOST_REDIRECTS + 1):
        target = _parsed(url)
        page, location = _one_request(target, until, most_bytes, private=private)
        if location is None:
            return page
        try:
            url = str(target.join(location))
        except (httpx.InvalidURL, ValueError) as error:
            raise ProviderRejected(f"{target.host} redirects to what is no address") from error
    raise ProviderRejected(f"{url[:200]} redirects more than {_MOST_REDIRECTS} times")


def _parsed(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise ProviderRejected("not an address of a web page") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ProviderRejected(f"{url[:200]} is not an http or https address")
    if parsed.userinfo:
        raise ProviderRejected("addresses with a password are not fetched")
    return parsed


def _one_request(
    url: httpx.URL, until: float, most_bytes: int, *, private: bool
) -> tuple[WebPage, str | None]:
    """Return the answer to one request, and where it redirects to."""
    deadline = Deadline()
    deadline.set(until - time.monotonic())
    context = endpoints.tls_context(str(url)) if url.scheme == "https" else None
    request = httpcore.Request(
        "GET",
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=[(b"Host", url.netloc), *_HEADERS],
    )
    backend = _CheckedBackend(deadline, private=private)
    try:
        with httpcore.ConnectionPool(ssl_context=context, network_backend=backend) as pool:
            response = pool.handle_request(request)
            deadline.head_received()
            try:
                location = _header(response, b"location")
                if response.status in _REDIRECTS and location:
                    return WebPage(str(url), response.status, "", None, b""), location
                content = transport.whole_content(response, most_bytes)
            finally:
                response.close()
    except _FAILED as error:
        what = str(error) or type(error).__name__
        unavailable = ProviderUnavailable(f"{url.host}: {what}"[:300])
        unavailable.maybe_billed = not isinstance(error, _NOT_SENT)
        raise unavailable from error
    except OverflowError as error:
        raise ProviderRejected(f"{url.host}: {error}") from error
    media_type, charset = _media_type(_header(response, b"content-type"))
    return WebPage(str(url), response.status, media_type, charset, content), None


class _CheckedBackend(DeadlineBackend):
    """Connects to the address that it has checked, whatever the name means a moment later."""

    def __init__(self, deadline: Deadline, *, private: bool) -> None:
        super().__init__(deadline)
        self._private = private

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to an address of ``host``, if all of them are allowed."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"the name {host[:100]} is not known") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not self._private and not all(map(is_public, addresses)):
            raise ProviderRejected(f"{host[:200]} is not on the public internet")
        failure: Exception = httpcore.ConnectError(f"the name {host[:100]} has no address")
        for address in addresses:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


def is_public(address: str) -> bool:
    """Return whether an IP address is public, including IPv4 addresses embedded in IPv6."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1])
        if inner is None and parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner:
            return is_public(str(inner))
        in_use = parsed.is_global and int(parsed) >= _LEAST_IPV6
        return in_use and not parsed.is_multicast and not parsed.is_site_local
    return parsed.is_global and not parsed.is_multicast


def _header(response: httpcore.Response, wanted: bytes) -> str | None:
    for name, value in response.headers:
        if name.lower() == wanted:
            return value.decode("latin-1").strip()
    return None


def _media_type(content_type: str | None) -> tuple[str, str | None]:
    media_type, _, parameters = (content_type or "").partition(";")
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return media_type.strip().lower(), value.strip().strip("\"'") or None
    return media_type.strip().lower(), None
