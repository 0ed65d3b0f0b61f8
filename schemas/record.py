"""The base of every record."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
