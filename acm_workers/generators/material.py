"""What every candidate of a document is made from."""

from typing import NamedTuple


class Material(NamedTuple):
    """The task and the text that it is about."""

    instructions: str
    guidelines: str | None
    source: str
