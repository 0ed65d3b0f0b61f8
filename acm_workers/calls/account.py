"""What a run may still spend, for the calls of this process; the sum itself is in the store."""

import threading
import time
from collections.abc import Callable

from sqlalchemy import Connection

from acm_workers.errors import BudgetSpent
from acm_workers.store import budgets
from acm_workers.store.connection.database import Database

_LOOK_S = 0.25


class Account:
    """The budget of one run, for all threads of this process.

    Where it is ample, calls go through without asking. The first that is refused waits in front
    and looks whether others have left enough; whoever comes then stands behind it.

    Attributes:
        budget_usd: The budget; with another one this account is of no use any more.
        closed: Why nothing more is sent, as far as we know; absent while something may be.
        waiting: How many calls wait for others to end.
    """

    def __init__(self, database: Database, run_id: str, budget_usd: float) -> None:
        self.budget_usd = budget_usd
        self.closed: str | None = None
        self.waiting = 0
        self._database = database
        self._run_id = run_id
        self._front = threading.Lock()
        self._counting = threading.Lock()

    @property
    def crowded(self) -> bool:
        """Return whether somebody waits in front."""
        return self._front.locked()

    def reserve(self, connection: Connection, most_usd: float) -> bool:
        """Set ``most_usd`` aside with the call that is written down; return whether it fits."""
        return budgets.reserve(connection, self._run_id, most_usd, self.budget_usd)

    def come_forward(self, look: Callable[[], None]) -> None:
        """Wait until nobody else is in front; ``go`` has to follow."""
        self._count(1)
        try:
            while not self._front.acquire(timeout=_LOOK_S):
                look()
        finally:
            self._count(-1)

    def go(self) -> None:
        """Let the next one come forward."""
        self._front.release()

    def wait(self, most_usd: float, look: Callable[[], None]) -> None:
        """Wait until the store says that ``most_usd`` fits.

        Args:
            look: Called now and then; ends the wait by raising.

        Raises:
            BudgetSpent: Nothing is under way, and it still does not fit.
        """
        self._count(1)
        try:
            while not self._fits(most_usd):
                look()
                time.sleep(_LOOK_S)
        finally:
            self._count(-1)

    def refuse_if_closed(self) -> None:
        """Raise if nothing more is sent.

        Raises:
            BudgetSpent: That is so.
        """
        if self.closed is not None:
            raise BudgetSpent(self.closed)

    def _fits(self, most_usd: float) -> bool:
        self.refuse_if_closed()
        with self._database.read() as connection:
            room = budgets.room(connection, self._run_id, most_usd, self.budget_usd)
        self.closed = room.closed
        if room.closed is None and not room.fits and not room.under_way:
            with self._database.write() as connection:
                self.closed = budgets.close(connection, self._run_id, most_usd, self.budget_usd)
        self.refuse_if_closed()
        return room.fits

    def _count(self, more: int) -> None:
        with self._counting:
            self.waiting += more
