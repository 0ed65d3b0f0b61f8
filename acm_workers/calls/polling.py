"""When to look for an answer in the background, and one such look."""

import random
from datetime import datetime, timedelta

import structlog

from acm_workers.errors import AcmError
from acm_workers.providers import background
from acm_workers.providers.catalog import capabilities
from schemas.calls import Call, Completion
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.provider import Provider
from schemas.config.variant import Model, Variant

_REQUEST_S = 30.0
"""The longest that a request which begins an answer, or looks for one, may take."""

_SLOWER = 20
"""After twenty times the usual pause, pauses grow: by a twentieth of the time that has passed."""

_SLOWEST = 6
"""No pause is longer than so many usual ones."""

_OVERTIME = timedelta(minutes=2)
"""How long after its deadline an answer is still called off and looked for, if that fails."""

log = structlog.get_logger()


def is_background(provider: Provider, model: str) -> bool:
    """Return whether answers of a model are made in the background."""
    return capabilities.of(provider, model).background


def providers(config: Config) -> set[str]:
    """Return the providers whose models answer in the background, in a run with ``config``."""
    # The best candidate's model, which combines where none is named, is one of the runs.
    used: list[Variant | Judge | Model] = [
        *config.runs,
        *config.judges_of(combined=False),
        *config.judges_of(combined=True),
        *config.comparing_judges,
        *(config.playoffs.models or ()),
    ]
    return {
        entry.provider
        for entry in used
        if is_background(config.providers[entry.provider], entry.model)
    }


def hasty(provider: Provider) -> Provider:
    """Return ``provider`` with the time limit of requests that only begin or look for answers."""
    limit_s = min(provider.timeout_seconds, _REQUEST_S)
    return provider.model_copy(update={"timeout_seconds": limit_s})


def next_look(call: Call, provider: Provider, now: datetime, told_s: float = 0.0) -> datetime:
    """Return when to look for an answer that is not there yet; at its deadline at the latest.

    Args:
        told_s: Seconds that the provider asked us to wait.
    """
    usual_s = provider.poll_seconds
    passed_s = (now - call.started_at).total_seconds()
    pause_s = min(max(usual_s, passed_s / _SLOWER), _SLOWEST * usual_s)
    # Those that were asked together need not be looked for together.
    pause_s *= random.uniform(1.0, 1.1)  # noqa: S311  spreads load; guards nothing
    at, deadline = now + timedelta(seconds=max(pause_s, told_s)), _deadline(call, provider)
    return min(at, deadline) if now < deadline else at


def is_overdue(call: Call, provider: Provider, now: datetime) -> bool:
    """Return whether an answer should have been there by now."""
    return now >= _deadline(call, provider)


def is_given_up(call: Call, provider: Provider, now: datetime) -> bool:
    """Return whether it is no use to call an overdue answer off and look for it again."""
    return now >= _deadline(call, provider) + _OVERTIME


def look(provider: Provider, call: Call, *, last: bool) -> Completion | None:
    """Look for the answer to an open call; return None while the model is at work on it.

    Args:
        last: Call it off before; if it is done by then, it is returned all the same.

    Raises:
        AcmError: See ``background.look``; ``final`` tells whether this is its end.
    """
    there, response_id = hasty(provider), call.response_id or ""
    if last:
        try:
            background.cancel(there, call.provider, response_id)
        except AcmError as error:  # what became of it is seen by the look
            log.warning("not called off", call=call.id, response=response_id, error=str(error))
    return background.look(there, call.provider, response_id)


def _deadline(call: Call, provider: Provider) -> datetime:
    return call.started_at + timedelta(seconds=provider.timeout_seconds)
