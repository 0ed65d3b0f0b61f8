"""Whether anybody listens where a provider is said to live; nothing is asked or paid."""

import socket
from urllib.parse import urlsplit

from acm_workers.providers.http import addresses, certificates, proxies
from schemas.config.provider import Provider

_CONNECT_S = 3.0


def trouble(provider: Provider) -> str | None:
    """Return why no connection to a provider can be made; None if one can.

    Raises:
        RequestError: The certificates to trust cannot be read.
    """
    certificates.of(provider.base_url)
    place = addresses.place(provider.base_url)
    proxy = proxies.of(provider.base_url)
    if proxy is not None:
        place = addresses.place(proxy)
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_S).close()
    except OSError as error:
        by = "" if proxy is None else f", the proxy of {urlsplit(provider.base_url).hostname}"
        return f"{place}{by}: {error.strerror or type(error).__name__}"
    return None
