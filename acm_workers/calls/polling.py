"""Intervals of polls, and time limits of requests that poll."""

import random

from schemas.config.provider import Provider

_REQUEST_TIMEOUT_S = 30.0
"""Maximum timeout of a request that submits a call or polls for its answer."""

_GROWTH = 20
"""After this many poll intervals, the interval becomes the elapsed time divided by this number."""

_LONGEST_INTERVAL = 6
"""Maximum poll interval, as a multiple of the configured one."""


def short_timeout(provider: Provider, most_s: float = _REQUEST_TIMEOUT_S) -> Provider:
    """Return ``provider`` with the time limit of requests that submit or poll an answer."""
    limit_s = min(provider.timeout_seconds, most_s)
    return provider.model_copy(update={"timeout_seconds": limit_s})


def interval_s(provider: Provider, passed_s: float) -> float:
    """Return the seconds until the next poll of a submission made ``passed_s`` ago."""
    usual_s = provider.poll_seconds
    wait_s = min(max(usual_s, passed_s / _GROWTH), _LONGEST_INTERVAL * usual_s)
    # What was submitted together need not be polled together.
    return wait_s * random.uniform(1.0, 1.1)  # noqa: S311  spreads load; guards nothing
