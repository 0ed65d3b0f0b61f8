"""Ids of new rows."""

from ulid import ULIDGenerator

_generator = ULIDGenerator()


def new_id() -> str:
    """Return a ULID: unique, and sorted by creation, also within a millisecond."""
    return str(_generator.generate())
