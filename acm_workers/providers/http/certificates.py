"""Which certificates providers are trusted by."""

import os
import ssl
import threading
from functools import lru_cache

import httpx

from acm_workers.errors import RequestError

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_making = threading.Lock()


def of(base_url: str) -> ssl.SSLContext | None:
    """Return what certificates of an address are verified by; None if it shows none.

    Raises:
        RequestError: Those that the environment names cannot be read.
    """
    if not base_url.lower().startswith("https:"):
        return None
    with _making:  # threads that begin together would each make one, which takes 30 ms
        return context()


@lru_cache(maxsize=1)
def context() -> ssl.SSLContext:
    """Return what all connections of this process verify certificates by; see ``of``."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # also of files that hold none
        name = next((one for one in _VARIABLES if os.environ.get(one)), "certifi")
        named = os.environ.get(name, "its file")
        why = error.strerror or str(error)
        raise RequestError(
            f"{name}: {named} holds no certificates that can be read ({why});"
            " name a file with certificates in PEM, or unset it"
        ) from error
