"""One unit of work from its claim to its saved row."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Connection

from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.context import CallContext, UnitRef
from acm_workers.errors import (
    AcmError,
    AlreadyClaimed,
    AnswerPending,
    BudgetSpent,
    Cancelled,
    GivenUp,
    OutOfResources,
    PermanentError,
    ProviderPaused,
    StoreFailed,
    exhausted,
    kind_of,
)
from acm_workers.store import (
    calls,
    circuit_breakers,
    claims,
    events,
    runs,
    unit_transactions,
    units,
)
from acm_workers.store.units import UnitMessage
from schemas.calls import Call, Usage
from schemas.run import PausedRole

log = structlog.get_logger()

_FAULT = "a fault of ACM; the log of the process that worked on it has the details"


class UnitResult(NamedTuple):
    """The values that are saved when a unit is done.

    Attributes:
        values: Columns of the unit's row.
        also: Further changes, made in the same transaction.
    """

    values: dict[str, Any]
    also: Callable[[Connection], None] | None = None


class UnitWork:
    """Owns the claim on one unit and the unit's calls that are not saved yet.

    The claim is taken in the transaction that starts the first call, so no request is sent for a
    unit that another worker has claimed. Answered calls are saved with the next change of the unit:
    the start of another call, the unit's result, or its release. The epoch of the claim fences each
    save.
    """

    def __init__(
        self, context: CallContext, unit: UnitRef, give_up_after: int | None = None
    ) -> None:
        self.unit = unit
        self._give_up_after = give_up_after
        self._context = context
        self._epoch: int | None = None
        self._gateway = False
        self._kept: dict[str, Any] = {}
        self._unsaved: list[Call] = []
        self._usages: list[Usage] = []
        self._began = time.monotonic()

    def claim(self, connection: Connection) -> None:
        """Claim the unit, unless it is claimed already.

        Raises:
            AlreadyClaimed: Another worker has claimed the unit, or has ended it.
        """
        if self._epoch is None:
            self._epoch = self._take(connection)
            self._require_claim()

    def start_call(
        self,
        new_call: Callable[[], Call],
        reservation: BudgetReservation,
        also: Callable[[Connection, Call], None] | None = None,
    ) -> Call | None:
        """Write a call to the ledger before it is sent, and reserve its cost.

        Args:
            new_call: Returns the record of the call; it starts now.
            also: Further changes, made in the same transaction.

        Returns:
            The call; None if the budget does not allow it now.

        Raises:
            AlreadyClaimed: Another worker has the unit, or its run is paused or cancelled.
            Cancelled: The run is paused or cancelled.
        """
        database = self._context.database
        if reservation.amount_usd is None and self._epoch is None and also is None:
            call = new_call()
            with database.write(single_statement=True) as connection:
                self._epoch = unit_transactions.begin(
                    connection, self.unit.kind, call, self._context.now()
                )
                self._require_claim()
            return call
        with database.write() as connection:
            self._hold(connection)
            calls.end(connection, self._unsaved)
            fits = reservation.reserve(connection)
            if fits:
                call = new_call()
                calls.start(connection, call)
                if also is not None:
                    also(connection, call)
        self._unsaved.clear()
        return call if fits else None

    def begin(self) -> None:
        """Claim the unit in a separate transaction, for calls that several threads start.

        Raises:
            AlreadyClaimed: Another worker has the unit.
            Cancelled: The run is paused or cancelled.
        """
        with self._context.database.write() as connection:
            self._hold(connection)
        self._gateway = True

    def start_gateway_call(
        self, new_call: Callable[[], Call], reservation: BudgetReservation
    ) -> Call | None:
        """Write a gateway call of a claimed unit to the ledger; see ``start_call``.

        Several threads may call this method at the same time.
        """
        with self._context.database.write() as connection:
            self._require_standing(connection)
            if not reservation.reserve(connection):
                return None
            call = new_call()
            calls.start(connection, call)
            return call

    def save_gateway_cached(self, call: Call) -> None:
        """Write a gateway call that was answered from an earlier call in the ledger."""
        with self._context.database.write() as connection:
            self._require_standing(connection)
            calls.start(connection, call)

    def save_cached(self, call: Call) -> None:
        """Write a call that was answered from the cache to the ledger."""
        with self._context.database.write() as connection:
            self._hold(connection)
            calls.end(connection, self._unsaved)
            calls.start(connection, call)
        self._unsaved.clear()

    def end_call(self, call: Call) -> None:
        """Write the end of a call to the ledger at once."""
        self._context.database.write_with_retries(lambda connection: calls.end(connection, [call]))

    def keep_answered(self, call: Call) -> None:
        """Keep an answered call until the unit's next change saves it."""
        self._unsaved.append(call)

    def save_answered(self) -> None:
        """Save the answered calls at once, before work that takes seconds.

        If the process dies during that work, the calls are recorded as finished and not as
        uncertain.
        """
        if self._unsaved:
            answered = list(self._unsaved)
            self._context.database.write_with_retries(
                lambda connection: calls.end(connection, answered)
            )
            self._unsaved.clear()

    def add_usage(self, usage: Usage) -> None:
        """Add the tokens of a new or stored answer to the usage in the unit's row."""
        self._usages.append(usage)

    def keep(self, values: dict[str, Any]) -> None:
        """Save these columns when the unit ends, with a result or with a failure."""
        self._kept = values

    def succeed(self, result: UnitResult) -> bool:
        """Save the result of the unit; return whether the claim was still valid.

        Raises:
            StoreFailed: The store does not accept the change, even after several attempts.
        """
        done = {"state": "done", "error": None, "error_kind": None}
        return self._end(result.values | done, result.also)

    def fail(self, error: Exception) -> bool:
        """End the work depending on ``error``, and return whether the unit was saved as failed.

        Raises:
            StoreFailed: The store does not accept the change, even after several attempts.
            OutOfResources: The process lacks files, threads or memory; the unit is planned again.
        """
        if not isinstance(error, MemoryError):  # the unit itself may be what is too large
            error = exhausted(error) or error
        match error:
            case AlreadyClaimed():
                self._save_answers()
                return False
            case AnswerPending() if not self._context.is_cancelled(self.unit.run_id):
                self._postpone(error.poll_at)
                return False
            case AnswerPending() | Cancelled():
                self._give_back()
                return False
            case ProviderPaused() | BudgetSpent():
                self._park()
                return False
            case StoreFailed() | OutOfResources():
                self._give_back()
                raise error
            case GivenUp() if not self._is_paused():
                self._return()  # resumed since this process last looked
                return False
            case AcmError():
                pass
            case _:
                log.error("unit failed unexpectedly", run=self.unit.run_id, exc_info=error)
        if not self._end(self._failure(error)):
            return False
        if not isinstance(error, GivenUp):
            self._open_breaker()
        return True

    def _is_paused(self) -> bool:
        unit = self.unit
        with self._context.database.autocommit() as connection:
            found = circuit_breakers.open_in(connection, [unit.run_id])
        return unit.role in found.get(unit.run_id, {})

    def _return(self) -> None:
        """Plan the unit again, and have the sweep send its message."""
        kind, unit_id = self.unit.kind, self.unit.id

        def change(connection: Connection) -> None:
            calls.end(connection, self._unsaved)
            if self._epoch is not None:
                claims.release(connection, kind, unit_id, self._epoch)
            units.mark_unsent(connection, [UnitMessage(kind, unit_id, "", "")])

        self._context.database.write_with_retries(change)

    def _open_breaker(self) -> None:
        """Pause the unit's judge or writer if it has failed too often in a row."""
        unit, most, role = self.unit, self._give_up_after, self.unit.role
        if most is None or role is None:
            return

        def change(connection: Connection) -> PausedRole | None:
            now = self._context.now()
            paused = circuit_breakers.open_if_failing(connection, unit.run_id, role, most, now)
            if paused is not None:
                data = paused.model_dump()
                events.add(connection, unit.run_id, f"{paused.role}_paused", now, data=data)
            return paused

        paused = self._context.database.write_with_retries(change)
        if paused is not None:
            log.warning("judge or writer paused", run=unit.run_id, **paused.model_dump())
            self._context.breakers.add(unit.run_id, role, paused)

    def _failure(self, error: Exception) -> dict[str, Any]:
        values: dict[str, Any] = {
            "state": "failed",
            "error": (str(error) if isinstance(error, AcmError) else _FAULT)[:2000],
            "error_kind": kind_of(type(error)),
        }
        raw = error.raw if isinstance(error, PermanentError) else None
        if raw is not None and self.unit.kind != "artifact":
            values["raw"] = raw
        return values

    def _end(
        self, values: dict[str, Any], also: Callable[[Connection], None] | None = None
    ) -> bool:
        """Save the end of the unit; a result that the store refuses becomes a failure.

        Otherwise the unit would stay claimed for as long as this process lives.
        """
        try:
            return self._save(values, also)
        except AcmError:
            raise
        except Exception as error:
            log.exception("a result cannot be saved")
            self._unsaved.clear()
            return self._save(self._failure(error), None)

    def _save(self, values: dict[str, Any], also: Callable[[Connection], None] | None) -> bool:
        values = {**self._kept, **values, "finished_at": self._context.now(), **self._spent()}
        database, before = self._context.database, self._epoch
        if before is not None and also is None and self._is_ordinary(values):
            saved = database.write_with_retries(
                lambda connection: unit_transactions.finish(
                    connection, self.unit.kind, before, values, self._unsaved[0]
                ),
                single_statement=True,
            )
            if saved:
                return True

        def save(connection: Connection) -> bool:
            self._epoch = before
            return self._save_in(connection, values, also)

        try:
            # The answers are paid for: the store is given time before they are given up.
            return database.write_with_retries(save)
        except AlreadyClaimed:
            return False
        except Exception:
            self._epoch = before
            raise

    def _is_ordinary(self, values: dict[str, Any]) -> bool:
        """Return whether one statement can save the unit and its only unsaved call."""
        one_call = len(self._unsaved) == 1 and self._unsaved[0].reserved_usd is None
        return one_call and values["state"] == "done"

    def _save_in(
        self,
        connection: Connection,
        values: dict[str, Any],
        also: Callable[[Connection], None] | None,
    ) -> bool:
        kind, unit_id = self.unit.kind, self.unit.id
        self.claim(connection)
        calls.end(connection, self._unsaved)
        saved = claims.save(connection, kind, unit_id, self._epoch or 0, values)
        if not saved:
            # The claim is void if its lease was not renewed in time, or if the transaction that
            # took it failed. The result is paid for, so it is saved under a new claim.
            self._epoch = self._take(connection)
            if self._epoch is not None:
                saved = claims.save(connection, kind, unit_id, self._epoch, values)
        if values["state"] == "failed":
            calls.withdraw_answers(connection, unit_id)
        elif saved and self._gateway:
            calls.forget_answers(connection, unit_id, "gateway")
        if saved and also is not None:
            also(connection)
        return saved

    def _spent(self) -> dict[str, Any]:
        """Return the tokens and the duration of the unit's calls, for its row."""
        if self.unit.kind == "artifact":
            return {}
        inputs = [usage.input_tokens for usage in self._usages if usage.input_tokens is not None]
        outputs = [usage.output_tokens for usage in self._usages if usage.output_tokens is not None]
        return {
            "input_tokens": sum(inputs) if inputs else None,
            "output_tokens": sum(outputs) if outputs else None,
            "duration_ms": round((time.monotonic() - self._began) * 1000),
        }

    def _give_back(self) -> None:
        """Set the unit back to planned, or cancel it if its run is cancelled."""
        kind, unit_id, run_id = self.unit.kind, self.unit.id, self.unit.run_id

        def change(connection: Connection, epoch: int) -> None:
            # The run may have been resumed since this process last read its state.
            if units.cancelled_runs(connection, [run_id]):
                values = {"state": "cancelled", "finished_at": self._context.now()}
                claims.save(connection, kind, unit_id, epoch, values)
            else:
                claims.release(connection, kind, unit_id, epoch)

        self._leave(change)

    def _postpone(self, until: datetime) -> None:
        """Set the unit back to planned, to be processed no earlier than ``until``."""
        kind, unit_id = self.unit.kind, self.unit.id
        self._leave(
            lambda connection, epoch: claims.postpone(connection, kind, unit_id, epoch, until)
        )

    def _park(self) -> None:
        """Leave the unit planned, without a message, until its run is resumed."""
        kind, unit_id = self.unit.kind, self.unit.id

        def change(connection: Connection) -> None:
            calls.end(connection, self._unsaved)
            claims.suspend(connection, kind, unit_id, self._epoch)

        self._context.database.write_with_retries(change)

    def _leave(self, change: Callable[[Connection, int], object]) -> None:
        """Save the answered calls, and end the claim by ``change``."""
        epoch = self._epoch
        if epoch is None:
            self._context.put_back(self.unit.kind, self.unit.id)
            return

        def leave(connection: Connection) -> None:
            calls.end(connection, self._unsaved)
            change(connection, epoch)

        self._context.database.write_with_retries(leave)

    def _save_answers(self) -> None:
        """Save the paid calls that were answered before another worker claimed the unit."""
        if self._unsaved:
            self._context.database.write_with_retries(
                lambda connection: calls.end(connection, self._unsaved)
            )

    def _hold(self, connection: Connection) -> None:
        """Claim the unit before a call, or check that the claim of this worker is still valid."""
        if self._epoch is not None:
            self._require_standing(connection)
            return
        if runs.is_stopped(connection, self.unit.run_id):
            raise Cancelled("the run is paused or cancelled")
        self.claim(connection)

    def _require_standing(self, connection: Connection) -> None:
        """Raise unless the unit is still claimed by this work, and its run continues."""
        unit = self.unit
        standing = claims.standing(connection, unit.kind, unit.id, self._epoch or 0)
        if standing == "stopped":
            raise Cancelled("the run is paused or cancelled")
        if standing == "lost":
            raise AlreadyClaimed(f"{unit.kind} {unit.id} is claimed by another worker")

    def _take(self, connection: Connection) -> int | None:
        kind, owner, now = self.unit.kind, self._context.owner, self._context.now()
        return claims.acquire(connection, kind, self.unit.id, owner, now)

    def _require_claim(self) -> None:
        if self._epoch is None:
            raise AlreadyClaimed(f"{self.unit.kind} {self.unit.id} is claimed by another worker")
