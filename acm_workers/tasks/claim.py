"""The hold that a worker has on a unit, from its first call to its saved result."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.calls.ledger import Ledger
from acm_workers.errors import AlreadyClaimed
from acm_workers.runtime import Runtime
from acm_workers.store import calls, claims, unit_transactions, units
from schemas.calls import Call
from schemas.units import UnitKind


class Claim:
    """A unit that is claimed when it first costs something, and saved under that; a ``Hold``."""

    def __init__(self, live: Runtime, kind: UnitKind, unit_id: str) -> None:
        self._live = live
        self._kind = kind
        self._unit_id = unit_id
        self._epoch: int | None = None

    @property
    def taken(self) -> bool:
        """See ``Hold.taken``."""
        return self._epoch is not None

    def take(self, connection: Connection) -> None:
        """See ``Hold.take``."""
        if self._epoch is None:
            owner, now = self._live.owner, runtime.utc_now()
            self._epoch = claims.take(connection, self._kind, self._unit_id, owner, now)
            self._refuse_if_not_taken()

    def begin(self, call: Call) -> None:
        """See ``Hold.begin``."""
        with self._live.database.write(alone=True) as connection:
            self._epoch = unit_transactions.begin(connection, self._kind, call, runtime.utc_now())
            self._refuse_if_not_taken()

    def save(
        self, values: dict[str, Any], ledger: Ledger, also: Callable[[Connection], None] | None
    ) -> bool:
        """Save a result with the calls it rests on; return whether the claim still held.

        Raises:
            StoreFailed: The store does not take it, nor later.
        """
        if self._kind != "artifact":
            values = {**values, **ledger.spent()._asdict()}
        if self._finish(values, ledger.answered, also):
            return True
        before = self._epoch

        def save(connection: Connection) -> bool:
            self._epoch = before
            return self._end(connection, values, ledger.answered, also)

        try:
            # The answers are paid for: the store is given time before they are given up.
            return self._live.database.insist(save)
        except AlreadyClaimed:
            return False
        except Exception:
            self._epoch = before
            raise

    def _finish(
        self,
        values: dict[str, Any],
        answered: Sequence[Call],
        also: Callable[[Connection], None] | None,
    ) -> bool:
        """Save a result in one step, if it is a usual one; return whether that is done."""
        epoch, usual = self._epoch, len(answered) == 1 and answered[0].reserved_usd is None
        if epoch is None or also is not None or values["state"] != "done" or not usual:
            return False
        return self._live.database.insist(
            lambda connection: unit_transactions.finish(
                connection, self._kind, epoch, values, answered[0]
            ),
            alone=True,
        )

    def release(self, answered: Sequence[Call], run_id: str) -> None:
        """Keep the answers that are there, and let the unit go; it ends if its run is cancelled."""

        def let_go(connection: Connection, epoch: int) -> None:
            # Somebody may have let the run go on since this process looked.
            if units.cancelled_runs(connection, [run_id]):
                values = {"state": "cancelled", "finished_at": runtime.utc_now()}
                claims.end(connection, self._kind, self._unit_id, epoch, values)
            else:
                claims.give_back(connection, self._kind, self._unit_id, epoch)

        self._leave(answered, let_go)

    def postpone(self, answered: Sequence[Call], until: datetime) -> None:
        """Keep the answers that are there, and leave the unit alone until a later time."""
        self._leave(
            answered,
            lambda connection, epoch: claims.postpone(
                connection, self._kind, self._unit_id, epoch, until
            ),
        )

    def rest(self, answered: Sequence[Call]) -> None:
        """Keep the answers that are there, and leave the unit planned until the run is resumed."""

        def lay_down(connection: Connection) -> None:
            calls.end(connection, answered)
            claims.rest(connection, self._kind, self._unit_id, self._epoch)

        self._live.database.insist(lay_down)

    def _leave(self, answered: Sequence[Call], let_go: Callable[[Connection, int], object]) -> None:
        epoch = self._epoch
        if epoch is None:
            self._live.put_back(self._kind, self._unit_id)
            return

        def leave(connection: Connection) -> None:
            calls.end(connection, answered)
            let_go(connection, epoch)

        self._live.database.insist(leave)

    def _end(
        self,
        connection: Connection,
        values: dict[str, Any],
        answered: Sequence[Call],
        also: Callable[[Connection], None] | None,
    ) -> bool:
        self.take(connection)
        calls.end(connection, answered)
        epoch = self._epoch or 0
        kept = claims.end(connection, self._kind, self._unit_id, epoch, values)
        if not kept:
            kept = self._claimed_again(connection, values)
        if values["state"] == "failed":
            calls.spoil(connection, self._unit_id)
        if kept and also is not None:
            also(connection)
        return kept

    def _refuse_if_not_taken(self) -> None:
        if self._epoch is None:
            raise AlreadyClaimed(f"{self._kind} {self._unit_id} is not to be had")

    def _claimed_again(self, connection: Connection, values: dict[str, Any]) -> bool:
        """Save under a new claim, if nobody else has taken the unit.

        The first one is void if we were too slow to renew it, or if the transaction that took it
        failed; what is paid for should not be thrown away for that.
        """
        owner, now = self._live.owner, runtime.utc_now()
        self._epoch = claims.take(connection, self._kind, self._unit_id, owner, now)
        if self._epoch is None:
            return False
        return claims.end(connection, self._kind, self._unit_id, self._epoch, values)
