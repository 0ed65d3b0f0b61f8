"""Names for new rows."""

import os
import random

from ulid import ULIDGenerator


def _generator() -> ULIDGenerator:
    # To ask the system for randomness gives up the interpreter's lock each time.
    source = random.Random()  # noqa: S311  ids are no secrets
    return ULIDGenerator(randomness=lambda _: source.randbytes(10))


_generators = [_generator()]


def new_id() -> str:
    """Return a ULID: unique, and sorted by order of making, also within a millisecond."""
    return str(_generators[0].generate())


def _begin_anew() -> None:
    _generators[:] = [_generator()]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
