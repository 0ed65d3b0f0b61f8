"""Policies: the most that the limits of a config may ask for."""

from typing import Annotated

from pydantic import Field

from schemas.record import Record


class LimitBounds(Record):
    """The bounds of the limits of one provider.

    Attributes:
        enforce: Limits beyond the bounds are refused; else they are only pointed out.
        launch_delay_seconds_min: The lowest ``launch_delay_seconds`` allowed.
    """

    enforce: bool = True
    requests_per_minute_cap: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute_cap: Annotated[float, Field(gt=0)] | None = None
    max_in_flight_cap: Annotated[int, Field(ge=1)] | None = None
    launch_delay_seconds_min: Annotated[float, Field(ge=0)] | None = None


class Policies(Record):
    """Bounds by provider; ``*`` is for every provider that has none of its own."""

    providers: dict[str, LimitBounds] = {}

    def of(self, provider: str) -> LimitBounds | None:
        """Return the bounds of a provider, if it has any."""
        return self.providers.get(provider, self.providers.get("*"))
