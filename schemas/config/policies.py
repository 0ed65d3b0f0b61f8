"""Policies: the most that the limits of a config may ask for."""

from typing import Annotated

from pydantic import Field

from schemas.record import Record


class LimitBounds(Record):
    """Bounds on the limits of one provider.

    Attributes:
        enforce: Whether limits beyond the bounds are refused; if not, they are only pointed out.
        requests_per_minute_cap: Highest ``requests_per_minute``; becomes the limit where none is
            set, like the next two.
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
    """Bounds on the limits of providers, which one configuration cannot exceed.

    Attributes:
        providers: Bounds by name of the provider; ``*`` holds for those that are not named.
    """

    providers: dict[str, LimitBounds] = {}

    def of(self, provider: str) -> LimitBounds | None:
        """Return the bounds of a provider, if it has any."""
        return self.providers.get(provider, self.providers.get("*"))
