"""What every paid call of a process shares."""

import functools
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple

from acm_workers.calls.accounts import Accounts, BudgetReservation
from acm_workers.calls.refused_parameters import RefusedParameters
from acm_workers.errors import (
    Cancelled,
    ProviderPaused,
    RateLimited,
    RequestError,
    TransientError,
)
from acm_workers.limits.interface import Limiter, Permit
from acm_workers.providers import tokens
from acm_workers.providers.http import certificates, keys
from acm_workers.store.connection.database import Database
from schemas.calls import Request, Usage
from schemas.config.config import Config, Retries
from schemas.config.provider import Provider
from schemas.units import UnitKind

_ANSWER_TOKENS = 1500
"""Set aside for an answer whose request sets no budget; corrected when it is there."""

_SEARCH_TOKENS = 20_000
"""Set aside for what searches bring into the model's input."""

_DEFAULT_PENALTY_S = 1.0


class Unit(NamedTuple):
    """The unit on whose behalf calls are made.

    Attributes:
        sample: Counts answers that are wanted to one and the same request, from 1; requests of
            different samples never share a stored answer.
    """

    kind: UnitKind
    id: str
    run_id: str
    document_id: str
    sample: int


class CallContext(NamedTuple):
    """The live things that calls go through.

    Attributes:
        owner: Names this process in the ledger.
        check: Raises ``Cancelled`` if nothing more should be begun for a run.
        accounts: What runs may still spend.
        left_out: What models were found to refuse.
    """

    database: Database
    limiter: Limiter
    owner: str
    now: Callable[[], datetime]
    check: Callable[[str], None]
    accounts: Accounts
    left_out: RefusedParameters

    def need_access(self, name: str, provider: Provider) -> None:
        """Make sure that this process has the key of a provider, and certificates to trust.

        Raises:
            ProviderPaused: It has not: that can be mended, and no unit fails for it.
        """
        try:
            keys.read(provider, name)
            certificates.of(provider.base_url)
        except RequestError as error:
            reason = f"{error} (on {socket.gethostname()})"
            self.limiter.pause(name, reason)
            raise ProviderPaused(reason, name) from error

    def purse(
        self, unit: Unit, request: Request, config: Config
    ) -> AbstractContextManager[BudgetReservation]:
        """Set aside what ``request`` may cost; see ``Accounts.purse``."""
        look = functools.partial(self.check, unit.run_id)
        return self.accounts.purse(unit.run_id, config, request, look, self.now)

    def turn(
        self, unit: Unit, request: Request, provider: Provider
    ) -> AbstractContextManager[Permit]:
        """Wait until ``request`` may be sent; see ``Limiter.acquire``."""
        set_aside = _expected_tokens(request) if _counts_tokens(provider, request.model) else 0
        return self.limiter.acquire(
            request.provider, request.model, set_aside, stop=lambda: self._stopped(unit.run_id)
        )

    def settle(self, turn: Permit, usage: Usage) -> None:
        """Tell the limiter how many tokens an answer really took, if they count and are known."""
        if turn.tokens and usage.input_tokens is not None and usage.output_tokens is not None:
            self.limiter.settle(turn, usage.input_tokens + usage.output_tokens)

    def heed(self, provider: str, error: Exception, retries: Retries) -> None:
        """Slow or stop all calls to a provider that asked for it.

        Raises:
            ProviderPaused: It asks for a longer wait than any unit has time for: a quota.
        """
        if isinstance(error, ProviderPaused):
            self.limiter.pause(provider, str(error))
        elif isinstance(error, TransientError):
            told_s = error.retry_after_s
            if told_s is not None and told_s > retries.deadline_seconds:
                reason = f"{error} (it asks to wait {told_s:.0f} s)"
                self.limiter.pause(provider, reason)
                raise ProviderPaused(reason, provider, error.status) from error
            if told_s is not None or isinstance(error, RateLimited):
                self.limiter.penalise(provider, told_s or _DEFAULT_PENALTY_S)

    def _stopped(self, run_id: str) -> bool:
        try:
            self.check(run_id)
        except Cancelled:
            return True
        return False


def _counts_tokens(provider: Provider, model: str) -> bool:
    own = provider.models.get(model)
    own_limit = None if own is None else own.tokens_per_minute
    return provider.tokens_per_minute is not None or own_limit is not None


def _expected_tokens(request: Request) -> int:
    asked = sum(tokens.estimate(message.content) for message in request.messages)
    found = _SEARCH_TOKENS if request.search else 0
    return asked + found + (request.max_tokens or _ANSWER_TOKENS)
