"""The hosts to which a key may be sent, as decided by the machine that has the key.

A config names both the variable of a key and the address to which the key is sent. Workers receive
configs from clients, and people run configs of other people. Such a config must not be able to read
secrets of this machine.

``ACM_KEY_HOSTS`` binds variables to hosts: ``ALPHA_KEY=api.alpha.com,10.0.0.5:8080;BETA_KEY=…``.
"""

import ipaddress
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from acm_workers.errors import RequestError
from schemas.config.provider import KNOWN, Provider

VARIABLE = "ACM_KEY_HOSTS"

_SETTINGS = "ACM_"
_SUFFIXES = ("_KEY", "_TOKEN")
_PLACE = re.compile(r"(?P<host>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?")
_BUILT_IN: dict[str, frozenset[str]] = {
    known.key_env: frozenset({urlsplit(known.base_url).netloc})
    for known in KNOWN.values()
    if known.key_env is not None
}


def refusal(provider: Provider, environ: Mapping[str, str], *, shared: bool = False) -> str | None:
    """Return why the key may not be sent to ``provider``; None if it may.

    The key in a variable that ``ACM_KEY_HOSTS`` or a built-in provider binds to hosts may be sent
    only to these hosts. Any other variable may be sent to servers on this machine; on machines that
    are not workers, it may be sent to every host if it is named like a key.

    Args:
        environ: Environment of the machine that has the key.
        shared: Whether remote clients decide which addresses are called, as for workers.

    Raises:
        RequestError: ``ACM_KEY_HOSTS`` cannot be read.
    """
    variable = provider.key_env
    if variable is None:
        return None
    if is_setting(provider):
        return f"{variable} is a setting of ACM and never a key"
    place = urlsplit(provider.base_url).netloc.lower()
    host = _host(place)
    if host is None:
        return f"{variable} is not sent to {place!r}, which is no plain host"
    built_in, own = _BUILT_IN.get(variable), _parsed(environ.get(VARIABLE, "")).get(variable)
    if built_in is not None or own is not None:
        allowed = (built_in or frozenset()) | (own or frozenset())
        if not allowed.isdisjoint({host, place}):
            return None
        hosts = ", ".join(sorted(allowed)) or "no host"
        return f"{variable} may be sent to {hosts}, not to {_advice(variable, place)}"
    if not variable.upper().endswith(_SUFFIXES):
        return (
            f"{variable} is not named like a key, which ends in _KEY or _TOKEN; to send it to "
            f"{_advice(variable, place)}"
        )
    if shared and not is_loopback(host):
        return f"{variable} may not be sent to {_advice(variable, place)}"
    return None


def is_setting(provider: Provider) -> bool:
    """Return whether a provider names a setting of ACM as its key, such as the store's URL."""
    return (provider.key_env or "").upper().startswith(_SETTINGS)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_shared(environ: Mapping[str, str]) -> bool:
    """Return whether the processes of this environment work for remote clients."""
    return any(name.upper() == "ACM_BROKER_URL" for name in environ)


def _host(place: str) -> str | None:
    """Return the host in ``host:port``; None for an ambiguous text."""
    match = _PLACE.fullmatch(place)
    return None if match is None else match["host"].strip("[]")


def _advice(variable: str, place: str) -> str:
    return f"{place}; {VARIABLE}={variable}={place} on the machine that has the key allows it"


@lru_cache(maxsize=8)
def _parsed(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for entry in filter(None, map(str.strip, text.split(";"))):
        variable, equals, hosts = (part.strip() for part in entry.partition("="))
        named = [host.strip().lower() for host in hosts.split(",")]
        if not variable or not equals or not all(named) or "/" in hosts:
            raise RequestError(
                f"{VARIABLE} must be like ALPHA_KEY=api.alpha.com,10.0.0.5:8080;BETA_KEY=localhost"
            )
        found[variable] = found.get(variable, frozenset()) | frozenset(named)
    return found
