"""Policies: upper and lower bounds for the limits in a config."""

from typing import Annotated

from pydantic import Field

from schemas.record import Record


class LimitBounds(Record):
    """Bounds for the limits of one provider.

    Attributes:
        enforce: Whether limits beyond the bounds are an error; otherwise they are a warning.
        requests_per_minute_cap: Highest ``requests_per_minute``; also the default of that limit,
            like the next two bounds.
        tokens_per_minute_cap: Highest ``tokens_per_minute``.
        max_in_flight_cap: Highest ``max_in_flight``.
        launch_delay_seconds_min: Lowest ``launch_delay_seconds``.
    """

    enforce: bool = True
    requests_per_minute_cap: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute_cap: Annotated[float, Field(gt=0)] | None = None
    max_in_flight_cap: Annotated[int, Field(ge=1)] | None = None
    launch_delay_seconds_min: Annotated[float, Field(ge=0)] | None = None


class Policies(Record):
    """Bounds for the limits of providers that a configuration must not exceed.

    Attributes:
        providers: Bounds by name of the provider; ``*`` applies to all providers without an entry.
    """

    providers: dict[str, LimitBounds] = {}

    def of(self, provider: str) -> LimitBounds | None:
        """Return the bounds of a provider; None if it has no bounds."""
        return self.providers.get(provider, self.providers.get("*"))
