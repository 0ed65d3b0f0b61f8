"""Which proxy stands between us and a provider."""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from acm_workers.providers.http import addresses


def of(base_url: str) -> str | None:
    """Return the proxy that the environment names for an address; it cannot reach this machine."""
    address = urlsplit(base_url)
    if addresses.is_loopback(base_url) or proxy_bypass(address.hostname or ""):
        return None
    proxies = getproxies()
    return proxies.get(address.scheme) or proxies.get("all")
