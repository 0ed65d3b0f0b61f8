"""Names for new rows."""

import os
import random
import time

from ulid import ULID

# To ask the system for randomness gives up the interpreter's lock each time.
_random = random.Random()  # noqa: S311  ids are no secrets
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def new_id() -> str:
    """Return a ULID: unique, and sorted by order of making."""
    milliseconds = time.time_ns() // 1_000_000
    return str(ULID.from_bytes(milliseconds.to_bytes(6, "big") + _random.randbytes(10)))
