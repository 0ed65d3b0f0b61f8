"""Limits as a test wants them."""

from collections.abc import Callable
from typing import Any

from acm_workers.limits.interface import Limiter
from schemas.config.provider import Provider

Make = Callable[..., Limiter]
"""Makes a limiter for ``providers`` with the limits that are given by name."""


def providers(**limits: Any) -> dict[str, Provider]:
    """Return alpha and beta, each with the given limits."""
    given = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"} | limits
    provider = Provider.model_validate(given)
    return {"alpha": provider, "beta": provider}
