"""Paying for calls out of the budgets of their runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from acm_workers.calls import bounds
from acm_workers.calls.account import Account
from acm_workers.errors import PriceUnknown
from acm_workers.store import budgets
from acm_workers.store.connection.database import Database
from schemas.calls import Request
from schemas.config.config import Config
from schemas.config.provider import Provider


class BudgetReservation:
    """The money for one call.

    Attributes:
        request: What to send: under a budget its answer has an end.
        most_usd: What is set aside; None where there is no budget.
    """

    request: Request
    most_usd: float | None = None

    def __init__(self, request: Request) -> None:
        self.request = request

    def wait(self) -> None:
        """Wait until the budget is likely to allow the call; to be called before each attempt.

        Raises:
            BudgetSpent: It never will.
        """

    def reserve(self, connection: Connection) -> bool:
        """Set the money aside in the transaction that writes down the call, or return False."""
        return True

    def begun(self) -> None:
        """Note that the call is written down."""

    def close(self) -> None:
        """Make way for others."""


class Budgeted(BudgetReservation):
    """The money for one call of a run that has a budget.

    Args:
        look: Called now and then while waiting; ends the wait by raising.
    """

    most_usd: float

    def __init__(
        self, request: Request, most_usd: float, account: Account, look: Callable[[], None]
    ) -> None:
        super().__init__(request)
        self.most_usd = most_usd
        self._account = account
        self._look = look
        self._refused = self._in_front = False

    def wait(self) -> None:
        """See ``Purse.wait``."""
        account = self._account
        account.refuse_if_closed()
        if not (self._refused or account.crowded):
            return
        if not self._in_front:
            account.come_forward(self._look)
            self._in_front = True
        account.wait(self.most_usd, self._look)

    def reserve(self, connection: Connection) -> bool:
        """See ``Purse.reserve``."""
        fits = self._account.reserve(connection, self.most_usd)
        self._refused = not fits
        return fits

    def begun(self) -> None:
        """See ``Purse.begun``."""
        self.close()

    def close(self) -> None:
        """See ``Purse.close``."""
        if self._in_front:
            self._in_front = False
            self._account.go()


class Accounts:
    """The accounts of all runs that this process works on and that have a budget."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def closed(self, run_id: str) -> str | None:
        """Return why nothing more is sent for a run, once nothing of it is under way."""
        account = self._accounts.get(run_id)
        if account is None or account.closed is None:
            return None
        with self._database.read() as connection:
            return budgets.closed(connection, run_id, account.budget_usd)

    def waiting(self, run_id: str) -> int:
        """Return how many calls of a run wait until others have ended."""
        account = self._accounts.get(run_id)
        return 0 if account is None else account.waiting

    @contextmanager
    def purse(
        self,
        run_id: str,
        config: Config,
        request: Request,
        look: Callable[[], None],
        now: Callable[[], datetime],
    ) -> Iterator[BudgetReservation]:
        """Give what a call may cost.

        Args:
            look: Called now and then while waiting; ends the wait by raising.

        Raises:
            PriceUnknown: Nobody knows what to set aside.
        """
        if config.budget_usd is None:
            yield BudgetReservation(request)
            return
        bounded, most_usd = _filled(request, config.providers[request.provider], now())
        purse = Budgeted(bounded, most_usd, self._account(run_id, config.budget_usd), look)
        try:
            yield purse
        finally:
            purse.close()

    def _account(self, run_id: str, budget_usd: float) -> Account:
        with self._lock:
            account = self._accounts.get(run_id)
            if account is None or account.budget_usd != budget_usd:
                account = self._accounts[run_id] = Account(self._database, run_id, budget_usd)
            return account


def _filled(request: Request, provider: Provider, at: datetime) -> tuple[Request, float]:
    """Return the request with an end to its answer, and what it can cost at the most."""
    bounded = bounds.bounded(request, provider, at)
    most_usd = bounds.most_usd(bounded, provider, at)
    if most_usd is None:
        raise PriceUnknown(
            f"no price of {request.provider}:{request.model} is known, and the run has a budget;"
            " name one under prices"
        )
    return bounded, most_usd
