"""Circuit breakers: which judges and writers of a run are paused, and why."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, false, or_, select

from acm_workers import causes
from acm_workers.store.rows import UNIT_ROWS, UnitRow, insert_once
from acm_workers.store.tables import ArtifactRow, CircuitBreakerRow
from schemas.run import PausedRole
from schemas.units import Role

_OF_FAILURE = ("finished_at", "id", "provider", "model", "error_kind", "error")


def open_if_failing(
    connection: Connection, run_id: str, role: Role, give_up_after: int, now: datetime
) -> PausedRole | None:
    """Pause a judge or writer whose last units failed for one cause; return the new pause, if any.

    Args:
        give_up_after: Number of consecutive failures for the same cause that is required.
    """
    if role in open_in(connection, [run_id]).get(run_id, {}):
        return None
    failed: list[Any] = []
    for row in UNIT_ROWS.values():
        query = select(*(getattr(row, name).label(name) for name in _OF_FAILURE))
        own = (row.run_id == run_id, row.state == "failed", of_roles(row, [role]))
        query = query.where(*own, row.error_kind.is_distinct_from(causes.NOT_TRIED))
        latest = query.order_by(row.finished_at.desc(), row.id.desc()).limit(give_up_after)
        failed += connection.execute(latest).all()
    last = sorted(failed, key=lambda one: (one.finished_at, one.id))[-give_up_after:]
    kinds = {(one.provider, one.model, one.error_kind, causes.same(one.error)) for one in last}
    if len(last) < give_up_after or len(kinds) > 1:
        return None
    if _has_done(connection, run_id, role, last[0].finished_at):
        return None
    paused = PausedRole(
        role=role.kind,
        name=role.name,
        provider=last[-1].provider,
        model=last[-1].model,
        reason=causes.reason(last[-1].error, last[-1].provider),
        failures=give_up_after,
    )
    values = {"run_id": run_id, "opened_at": now, **paused.model_dump()}
    insert_once(connection, CircuitBreakerRow, [values])
    return paused


def open_in(connection: Connection, run_ids: Collection[str]) -> dict[str, dict[Role, PausedRole]]:
    """Return the paused judges and writers of runs, by run."""
    row = CircuitBreakerRow
    fields = [getattr(row, name) for name in PausedRole.model_fields]
    query = select(row.run_id, *fields).where(row.run_id.in_(run_ids)).order_by(row.opened_at)
    found: dict[str, dict[Role, PausedRole]] = {}
    for run_id, *values in connection.execute(query):
        paused = PausedRole(**dict(zip(PausedRole.model_fields, values, strict=True)))
        found.setdefault(run_id, {})[Role(paused.role, paused.name)] = paused
    return found


def of_run(connection: Connection, run_id: str) -> tuple[PausedRole, ...]:
    """Return the paused judges and writers of a run, in the order in which they were paused."""
    return tuple(open_in(connection, [run_id]).get(run_id, {}).values())


def close(connection: Connection, run_id: str) -> list[Role]:
    """End the pauses of judges and writers of a run; return these judges and writers."""
    paused = list(open_in(connection, [run_id]).get(run_id, {}))
    if paused:
        connection.execute(delete(CircuitBreakerRow).where(CircuitBreakerRow.run_id == run_id))
    return paused


def of_roles(row: UnitRow, roles: Collection[Role]) -> ColumnElement[bool]:
    """Return the condition that a unit belongs to one of the judges or writers."""
    if row is ArtifactRow:
        writers = (role.name.partition(":") for role in roles if role.kind == "writer")
        same = [
            (ArtifactRow.generator == generator) & (ArtifactRow.variant == int(variant))
            for generator, _, variant in writers
        ]
        return or_(false(), *same)
    names = [role.name for role in roles if role.kind == "judge"]
    return row.judge.in_(names)  # type: ignore[union-attr]


def _has_done(connection: Connection, run_id: str, role: Role, since: datetime) -> bool:
    return any(
        connection.execute(
            select(row.id)
            .where(row.run_id == run_id, row.state == "done", row.finished_at >= since)
            .where(of_roles(row, [role]))
            .limit(1)
        ).first()
        is not None
        for row in UNIT_ROWS.values()
    )
