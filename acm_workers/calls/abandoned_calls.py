"""Answers in the background that nobody waits for any more: called off, and what they cost booked.

Their units were cancelled with the run, or failed because their workers died.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

import structlog

from acm_workers.calls import polling
from acm_workers.calls.records import answered, failed
from acm_workers.errors import AcmError
from acm_workers.store import calls, open_calls
from acm_workers.store.connection.database import Database
from schemas.calls import Call, Request
from schemas.config.config import Config

_AT_ONCE = 8

log = structlog.get_logger()


class Settled(NamedTuple):
    """What became of answers that were called off.

    Attributes:
        ended: How many have ended, and are booked.
        left: How many could not be called off: they may still be worked on, and are looked for
            when the run goes on.
    """

    ended: int
    left: int


def settle(database: Database, run_id: str, config: Config, now: Callable[[], datetime]) -> Settled:
    """Call off the answers that no unit of a run waits for, and book what they cost."""
    with database.read() as connection:
        orphans = open_calls.orphans(connection, run_id)
    if not orphans:
        return Settled(0, 0)
    with ThreadPoolExecutor(min(_AT_ONCE, len(orphans))) as pool:
        ends = list(pool.map(lambda call: _end(call, config, now), orphans))
    ended = [call for call in ends if call is not None]
    with database.write() as connection:
        calls.end(connection, ended)
    return Settled(len(ended), len(orphans) - len(ended))


def _end(call: Call, config: Config, now: Callable[[], datetime]) -> Call | None:
    """Return a call as it ended; None if it has not."""
    provider = config.providers.get(call.provider)
    if provider is None:
        return None
    try:
        completion = polling.look(provider, call, last=True)
    except AcmError as error:
        if error.final:
            return failed(call, error, provider, now())
        log.warning("not called off", call=call.id, response=call.response_id, error=str(error))
        return None
    if completion is None:
        return None
    # The request is not at hand; that it may have searched is the safe side.
    request = Request(provider=call.provider, model=call.model, messages=(), search=True)
    return answered(call, completion, request, provider, now())
