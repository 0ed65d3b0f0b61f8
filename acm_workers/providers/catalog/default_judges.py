"""Default judges of configs that name none."""

from pathlib import Path

from acm_workers.providers.catalog import tables
from schemas.record import Record


class DefaultJudge(Record):
    """A model that judges well enough for its price.

    Attributes:
        provider: Name of a built-in provider.
        last_resort: Whether the model is used only if no other default judge is available.
    """

    provider: str
    model: str
    last_resort: bool = False


@tables.once
def listed() -> tuple[DefaultJudge, ...]:
    """Return the default judge of each provider that has one."""
    rows = tables.content(Path(__file__).with_name("judges.yaml"))
    return tuple(DefaultJudge.model_validate(row) for row in rows)
