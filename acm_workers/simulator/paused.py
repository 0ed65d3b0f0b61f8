"""The rest of a paused answer, carried by the client in a field that it only hands back."""

import base64
import binascii
from typing import Final

_MARK: Final = "simulated-rest."


def sealed(rest: str) -> str:
    """Return ``rest`` as a field that means nothing to a client."""
    return _MARK + base64.urlsafe_b64encode(rest.encode()).decode()


def opened(field: object) -> str | None:
    """Return the rest that ``field`` holds, if it holds one."""
    if not isinstance(field, str) or not field.startswith(_MARK):
        return None
    try:
        return base64.urlsafe_b64decode(field.removeprefix(_MARK)).decode()
    except (ValueError, binascii.Error):
        return None
