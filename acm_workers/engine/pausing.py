"""Pausing a run whose remaining units all wait for its budget or for paused providers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection

from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import events, pauses, pending_calls, runs, waits
from acm_workers.store.waits import WaitingUnits
from schemas.config.config import Config
from schemas.run import Run
from schemas.units import Role

_MORE_MONEY = "raise it with `acm resume --budget USD`, or in the config and give the same command"
_MENDED = "`acm resume` continues it when that is solved"


ASKED = "as `acm pause` asked; `acm resume` continues it"


class PauseReasons(NamedTuple):
    """The reasons why units of a run cannot continue.

    Attributes:
        budget: Reason why the budget allows no further call, once no call of the run is in flight.
        providers: Reasons for the pauses of providers, by name.
    """

    budget: str | None
    providers: Mapping[str, str]

    @property
    def reason(self) -> str:
        """Return why the run is paused and what to do about it, for users."""
        if self.budget is not None:
            return f"{self.budget}; {_MORE_MONEY}"
        return f"{'; '.join(self.providers.values())}; {_MENDED}"


def pause(
    connection: Connection,
    run_id: str,
    reason: str,
    making: RecordContext,
    providers: Collection[str] = (),
) -> bool:
    """Pause a running run until it is resumed; return whether the run was running.

    Its units stay planned. Units in progress are finished, and no further unit begins.

    Args:
        providers: Providers that are paused, if the run is paused because of them.
    """
    if not runs.pause(connection, run_id, reason):
        return False
    waits.replace(connection, run_id, [])
    data = {"reason": reason, "providers": sorted(providers)}
    events.add(connection, run_id, "run_paused", making.now, data=data)
    return True


def resume(
    connection: Connection,
    run: Run,
    config: Config,
    now: datetime,
    roles: Collection[Role] = (),
    units: int = 0,
) -> None:
    """Resume a run with a config whose limits may differ, and record the changes.

    Args:
        run: The run before the change.
        roles: Paused judges and writers that are used again.
        units: Number of units that are planned again.
    """
    runs.reopen(connection, run.id, config)
    before, after = run.config.budget_usd, config.budget_usd
    if before is not None and (after is None or after > before):
        events.add(connection, run.id, "run_budget_raised", now, data={"budget_usd": after})
    if run.state != "running" or run.cancel_requested or roles:
        events.add(connection, run.id, "run_resumed", now, data={"units": units})


def pause_if_stuck(
    connection: Connection, run_id: str, blockers: PauseReasons, making: RecordContext
) -> bool:
    """Pause a run if none of its units can continue; return whether it was paused."""
    return _stuck(connection, run_id, blockers) and pause(
        connection, run_id, blockers.reason, making, list(blockers.providers)
    )


def record_paused_providers(
    connection: Connection,
    run_id: str,
    before: Collection[str],
    blockers: PauseReasons,
    making: RecordContext,
) -> None:
    """Add an event for each provider that was paused since the last call."""
    for provider, reason in blockers.providers.items():
        if provider not in before:
            data = {"provider": provider, "reason": reason}
            events.add(connection, run_id, "provider_paused", making.now, data=data)


def waiting(provider: str, state: Mapping[str, Any], now: datetime) -> WaitingUnits | None:
    """Return the waits of units, given the state of a provider's limits."""
    if state["paused"]:
        return WaitingUnits(provider, f"paused: {state['paused']}"[:300], state["waiting"], None)
    if not state["waiting"] or not state["waiting_for"]:
        return None
    until = now + timedelta(seconds=max(state["next_start_in_s"], 0.0))
    return WaitingUnits(provider, state["waiting_for"], state["waiting"], until)


def counted(
    connection: Connection, run_id: str, held: Sequence[WaitingUnits]
) -> list[WaitingUnits]:
    """Return ``held`` with the units of paused providers counted in the store."""
    return [
        wait
        if wait.units
        else wait._replace(units=pauses.count_planned(connection, run_id, wait.provider))
        for wait in held
    ]


def _stuck(connection: Connection, run_id: str, blockers: PauseReasons) -> bool:
    if pauses.has_claimed_units(connection, run_id):
        return False
    left = pauses.suspended_units(connection, run_id)
    if any(call.unit_id not in left for call in pending_calls.awaited(connection, run_id)):
        return False
    if blockers.budget is not None:
        return True
    if not blockers.providers or pauses.has_moving_documents(connection, run_id):
        return False
    elsewhere = sum(provider not in blockers.providers for provider in left.values())
    return pauses.count_planned_elsewhere(connection, run_id, list(blockers.providers)) <= elsewhere
