"""The budget of a run: the highest cost of a call, and its reservation before the call is sent.

The sum of costs and reservations is in the store; this module waits until a call fits into the
budget.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from pydantic_core import to_json
from sqlalchemy import Connection

from acm_workers.errors import BudgetSpent, PriceUnknown
from acm_workers.providers import tokens
from acm_workers.providers.catalog import capabilities, consumption, prices
from acm_workers.store import budgets
from acm_workers.store.connection.database import Database
from schemas.calls import Request
from schemas.config.config import Config
from schemas.config.provider import Provider

ANSWER_TOKENS = 16_384
"""Default token limit of a request, including thinking; doubled for high effort."""

RESEARCH_TOKENS = 100_000
"""Default token limit of a request with a background answer."""

SEARCH_TOKENS = 15_000
"""Upper bound of the input tokens of one search; 5,200 were measured on average."""

_MESSAGE_TOKENS = 50
_OTHER_TOKENS = 1_000
"""Upper bounds of the tokens that providers add to each message and to each request."""

_POLL_S = 0.25


def bounded(request: Request, provider: Provider, at: datetime) -> Request:
    """Return ``request`` with limits on its answer, if it sets none and the model has a price."""
    price = prices.known(provider, request.model, at)
    if price is None or not (price.output or price.input or price.search):
        return request  # free servers may have room for small answers only
    update: dict[str, int] = {}
    able = capabilities.of(provider, request.model)
    if request.max_tokens is None:
        usual = RESEARCH_TOKENS if able.background else ANSWER_TOKENS
        usual *= 2 if request.effort == "high" and not able.background else 1
        update["max_tokens"] = min(usual, able.max_output or usual)
    if request.search and request.max_searches is None:
        update["max_searches"] = consumption.searches(provider, request.model, at)
    return request.model_copy(update=update) if update else request


def most_usd(request: Request, provider: Provider, at: datetime) -> float | None:
    """Return the highest cost of a bounded request; None if a price is not known.

    Not every provider limits the number of searches: Google accepts no such limit.
    """
    searches = 0
    if request.search:
        searches = request.max_searches or consumption.searches(provider, request.model, at)
    prompt = sum(tokens.most(message.content) for message in request.messages)
    most = prices.CallBound(
        input_tokens=prompt + overhead_tokens(request) + searches * SEARCH_TOKENS,
        output_tokens=request.max_tokens or ANSWER_TOKENS,
        searches=searches,
    )
    return prices.at_most(provider, request.model, most, at)


def overhead_tokens(request: Request) -> int:
    """Return an upper bound of a request's input tokens beyond the texts of its messages."""
    other = len(to_json([request.json_schema, request.so_far]))
    return _OTHER_TOKENS + _MESSAGE_TOKENS * len(request.messages) + other


class RunBudget:
    """The budget of one run, shared by all threads of this process.

    While the budget has room, calls reserve from it without waiting. The first call that does not
    fit waits at the head of a queue and polls the store; later calls wait behind it.

    Attributes:
        limit_usd: The budget. A run whose budget was changed gets another ``RunBudget``.
        closed: Reason why no further call is sent; None while calls may be sent.
        waiting: Number of calls that wait for the budget.
    """

    def __init__(self, database: Database, run_id: str, limit_usd: float) -> None:
        self.limit_usd = limit_usd
        self.closed: str | None = None
        self.waiting = 0
        self._database = database
        self._run_id = run_id
        self._head = threading.Lock()
        self._counting = threading.Lock()

    @property
    def head_is_taken(self) -> bool:
        """Return whether a call waits at the head of the queue."""
        return self._head.locked()

    def reserve(self, connection: Connection, amount_usd: float) -> bool:
        """Reserve an amount in the caller's transaction; return whether the budget allows it."""
        return budgets.reserve(connection, self._run_id, amount_usd, self.limit_usd)

    def acquire_head(self, check: Callable[[], None]) -> None:
        """Wait until no other call is at the head of the queue.

        Args:
            check: Function that is called while waiting; it ends the wait by raising an error.
        """
        self._count(1)
        try:
            while not self._head.acquire(timeout=_POLL_S):
                check()
        finally:
            self._count(-1)

    def release_head(self) -> None:
        """Wake the next call in the queue."""
        self._head.release()

    def wait(self, amount_usd: float, check: Callable[[], None]) -> None:
        """Poll the store until the budget has room for an amount.

        Args:
            check: Function that is called while waiting; it ends the wait by raising an error.

        Raises:
            BudgetSpent: No call is in flight, and the amount does not fit.
        """
        self._count(1)
        try:
            while not self._fits(amount_usd):
                check()
                time.sleep(_POLL_S)
        finally:
            self._count(-1)

    def require_open(self) -> None:
        """Raise if no further call may be sent.

        Raises:
            BudgetSpent: The budget is closed.
        """
        if self.closed is not None:
            raise BudgetSpent(self.closed)

    def _fits(self, amount_usd: float) -> bool:
        self.require_open()
        with self._database.read() as connection:
            room = budgets.headroom(connection, self._run_id, amount_usd, self.limit_usd)
        self.closed = room.closed
        if room.closed is None and not room.fits and not room.under_way:
            with self._database.write() as connection:
                self.closed = budgets.close(connection, self._run_id, amount_usd, self.limit_usd)
        self.require_open()
        return room.fits

    def _count(self, change: int) -> None:
        with self._counting:
            self.waiting += change


class BudgetReservation:
    """The reservation of one call from the budget of its run; empty without a budget.

    Attributes:
        request: The request to send. Under a budget its answer is limited.
        amount_usd: The highest cost of the call; None without a budget.
    """

    def __init__(
        self,
        request: Request,
        amount_usd: float | None = None,
        budget: RunBudget | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.request = request
        self.amount_usd = amount_usd
        self._budget = budget
        self._check = check
        self._refused = self._at_head = False

    def wait(self) -> None:
        """Wait until the budget is likely to allow the call; called before each attempt.

        Raises:
            BudgetSpent: The budget never allows the call.
        """
        budget = self._budget
        if budget is None or self.amount_usd is None:
            return
        budget.require_open()
        if not (self._refused or budget.head_is_taken):
            return
        if not self._at_head:
            budget.acquire_head(self._check)
            self._at_head = True
        budget.wait(self.amount_usd, self._check)

    def reserve(self, connection: Connection) -> bool:
        """Reserve the amount in the transaction that starts the call; return whether it fits."""
        if self._budget is None or self.amount_usd is None:
            return True
        self._refused = not self._budget.reserve(connection, self.amount_usd)
        return not self._refused

    def close(self) -> None:
        """Release the head of the queue; called when the call is started or given up."""
        if self._budget is not None and self._at_head:
            self._at_head = False
            self._budget.release_head()


class RunBudgets:
    """The budgets of all runs that this process works on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._budgets: dict[str, RunBudget] = {}
        self._lock = threading.Lock()

    def closed(self, run_id: str) -> str | None:
        """Return why a run sends no further calls; None while calls are allowed or in flight."""
        budget = self._budgets.get(run_id)
        if budget is None or budget.closed is None:
            return None
        with self._database.read() as connection:
            return budgets.closed(connection, run_id, budget.limit_usd)

    def waiting(self, run_id: str) -> int:
        """Return the number of calls of a run that wait until other calls have ended."""
        budget = self._budgets.get(run_id)
        return 0 if budget is None else budget.waiting

    @contextmanager
    def reservation(
        self,
        run_id: str,
        config: Config,
        request: Request,
        check: Callable[[], None],
        now: datetime,
    ) -> Iterator[BudgetReservation]:
        """Prepare the reservation of a call.

        Args:
            check: Function that is called while waiting; it ends the wait by raising an error.

        Raises:
            PriceUnknown: The run has a budget, and the highest cost of the call is not known.
        """
        if config.budget_usd is None:
            yield BudgetReservation(request)
            return
        provider = config.providers[request.provider]
        limited = bounded(request, provider, now)
        with self.reservation_of(
            run_id, config, limited, most_usd(limited, provider, now), check
        ) as reservation:
            yield reservation

    @contextmanager
    def reservation_of(
        self,
        run_id: str,
        config: Config,
        request: Request,
        amount_usd: float | None,
        check: Callable[[], None],
    ) -> Iterator[BudgetReservation]:
        """Prepare the reservation of a call whose highest cost is known; see ``reservation``."""
        if config.budget_usd is None:
            yield BudgetReservation(request)
            return
        if amount_usd is None:
            raise PriceUnknown(
                f"no price of {request.provider}:{request.model} is known, and the run has a"
                " budget; name one under prices"
            )
        budget = self._of_run(run_id, config.budget_usd)
        reservation = BudgetReservation(request, amount_usd, budget, check)
        try:
            yield reservation
        finally:
            reservation.close()

    def _of_run(self, run_id: str, limit_usd: float) -> RunBudget:
        with self._lock:
            budget = self._budgets.get(run_id)
            if budget is None or budget.limit_usd != limit_usd:
                budget = self._budgets[run_id] = RunBudget(self._database, run_id, limit_usd)
            return budget
