"""The base class of all records."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen pydantic model that rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
