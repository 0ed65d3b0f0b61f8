"""Ids of new rows."""

from datetime import datetime

from ulid import ULID, ULIDGenerator

_generator = ULIDGenerator()
_TIME_CHARACTERS = 10


def new_id() -> str:
    """Return a ULID: unique, and sorted by creation, also within a millisecond."""
    return str(_generator.generate())


def first_at(time: datetime) -> str:
    """Return a text that is not after any id created at ``time``, and after all earlier ids."""
    return str(ULID.from_datetime(time))[:_TIME_CHARACTERS]
