"""Pools of resource slots, and the claim of a version together with its slots."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from acm_workers.errors import Conflict, NotFound
from acm_workers.store import locks, submission_versions
from acm_workers.store.rows import insert_once
from acm_workers.store.submission_tables import (
    ResourcePoolRow,
    ResourceSlotRow,
    SubmissionTaskRow,
    SubmissionVersionRow,
    VersionRunRow,
)
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.tables import RunRow
from schemas.submissions import ISOLATIONS, Isolation, SubmissionTask

AGEING = timedelta(seconds=60)
"""Waiting time after which a version has precedence over later ones."""

_VERSION = SubmissionVersionRow
_SLOT = ResourceSlotRow


class Slot(NamedTuple):
    """One slot of a pool.

    Attributes:
        id: Name shown to people.
        host: Machine of the slot; None if the slot is shared.
        variable: Environment variable that passes the slot's name to the code.
        holder: The version that holds the slot.
    """

    id: str
    pool: str
    name: str
    host: str | None
    variable: str | None
    drained: bool
    holder: VersionKey | None
    held_since: datetime | None


class ClaimingWorker(NamedTuple):
    """The worker that claims versions.

    Attributes:
        owner: Name of the process in claims.
        host: Machine of the worker, which determines the usable slots.
        process: Identity of the process, by which its machine can detect that it has ended.
        isolation: The strongest sandbox available on the machine.
    """

    owner: str
    host: str
    process: str
    isolation: Isolation


class ClaimedVersion(NamedTuple):
    """A version that a worker has claimed, with its slots."""

    key: VersionKey
    epoch: int
    task: SubmissionTask
    slots: tuple[Slot, ...]

    @property
    def variables(self) -> dict[str, str]:
        """Return the names of the slots by the variable of their pool."""
        names: dict[str, list[str]] = defaultdict(list)
        for slot in self.slots:
            if slot.variable is not None:
                names[slot.variable].append(slot.name)
        return {variable: ",".join(found) for variable, found in names.items()}


class WaitingTask(NamedTuple):
    """The reason why the next version of a task is not claimed on a machine."""

    task_key: str
    reason: str


class ClaimResult(NamedTuple):
    """The result of one attempt to claim a version."""

    version: ClaimedVersion | None
    waiting: tuple[WaitingTask, ...]


def add(
    connection: Connection,
    pool: str,
    names: Sequence[str],
    now: datetime,
    *,
    host: str | None,
    variable: str | None = None,
) -> list[str]:
    """Add slots to a pool, creating the pool if necessary; return the ids of new slots.

    Args:
        host: The machine of the slots; None for a shared pool.

    Raises:
        Conflict: The pool is shared and ``host`` is given, or vice versa.
    """
    row = ResourcePoolRow
    values = {"name": pool, "shared": host is None, "variable": variable, "created_at": now}
    insert_once(connection, row, [values])
    found = connection.execute(select(row.shared, row.variable).where(row.name == pool)).one()
    if found.shared != (host is None):
        kind = "shared" if found.shared else "bound to machines"
        raise Conflict(f'the pool "{pool}" is {kind}, and so are all of its slots')
    if variable is not None and variable != found.variable:
        connection.execute(update(row).where(row.name == pool).values(variable=variable))
    ids = [_slot_id(pool, name, host) for name in names]
    known = set(connection.scalars(select(_SLOT.id).where(_SLOT.id.in_(ids))))
    new = [
        {"id": slot_id, "pool": pool, "name": name, "host": host}
        for slot_id, name in zip(ids, names, strict=True)
        if slot_id not in known
    ]
    insert_once(connection, _SLOT, new)
    undrained = update(_SLOT).where(_SLOT.id.in_(known)).values(drained=False)
    if known:
        connection.execute(undrained)
    return [entry["id"] for entry in new if entry["id"] is not None]


def drain(connection: Connection, slot_ids: Sequence[str]) -> None:
    """Exclude slots from further claims; versions that hold them continue.

    Raises:
        NotFound: One of the slots does not exist.
    """
    for slot_id in slot_ids:
        result: Any = connection.execute(
            update(_SLOT).where(_SLOT.id == slot_id).values(drained=True)
        )
        if not result.rowcount:
            raise NotFound(f'there is no slot "{slot_id}"; `acm resources list` shows all')


def undrain(connection: Connection, slot_ids: Sequence[str]) -> None:
    """Make drained slots available again."""
    connection.execute(update(_SLOT).where(_SLOT.id.in_(slot_ids)).values(drained=False))


def every(connection: Connection) -> list[Slot]:
    """Return all slots, by pool, host and name."""
    query = _query().order_by(_SLOT.pool, _SLOT.host, _SLOT.name)
    found = [_slot(row) for row in connection.execute(query)]
    return sorted(found, key=lambda slot: (slot.pool, slot.host or "", _natural(slot.name)))


def claim(connection: Connection, worker: ClaimingWorker, now: datetime) -> ClaimResult:
    """Claim the next version that this worker can run, together with all slots of the version.

    Within a task the oldest version is next. Among tasks the oldest version whose slots are free is
    next. Slots are claimed before the version, in the same transaction of the caller.
    """
    if connection.dialect.name == "postgresql":
        # One claim at a time: what it decides rests on many rows.
        locks.lock_transaction(connection, "the resource slots")
    tasks = _tasks_with_queue(connection)
    needed = {pool for task, _ in tasks for pool in task.resources}
    available = _FreeSlots(connection, worker.host) if needed else None
    waiting = []
    for task, queued_at in tasks:
        reason = _reason_to_wait(connection, task, worker)
        chosen: Sequence[Slot] | None = ()
        if reason is None and task.resources:
            assert available is not None  # noqa: S101  tells the type checker
            chosen = available.take(task.resources, hold=now - queued_at > AGEING)
            if chosen is None:
                reason = available.lacking(task.resources)
        if reason is not None:
            waiting.append(WaitingTask(task.key, reason))
            continue
        version = _hold(connection, worker, task, chosen or (), now)
        if version is not None:
            return ClaimResult(version, tuple(waiting))
    return ClaimResult(None, tuple(waiting))


class _FreeSlots:
    """The free slots that a machine may use, without slots reserved for long-waiting versions."""

    def __init__(self, connection: Connection, host: str) -> None:
        usable = _SLOT.host.is_(None) | (_SLOT.host == host)
        rows = connection.execute(_query().where(usable, _SLOT.drained.is_(False)))
        slots = [_slot(row) for row in rows]
        self._host = host
        self._total = Counter(slot.pool for slot in slots)
        self._free: dict[str, list[Slot]] = defaultdict(list)
        for slot in sorted(slots, key=lambda slot: _natural(slot.name)):
            if slot.holder is None:
                self._free[slot.pool].append(slot)

    def take(self, wanted: Mapping[str, int], *, hold: bool) -> list[Slot] | None:
        """Return free slots for the requested numbers; None if there are too few.

        Args:
            hold: Whether to reserve free slots if there are too few, so that later requests do not
                get them.
        """
        if all(len(self._free[pool]) >= number for pool, number in wanted.items()):
            return [slot for pool, number in wanted.items() for slot in self._free[pool][:number]]
        if hold and all(self._total[pool] >= number for pool, number in wanted.items()):
            for pool, number in wanted.items():
                del self._free[pool][:number]
        return None

    def lacking(self, wanted: Mapping[str, int]) -> str:
        """Return the missing slots as text."""
        for pool, number in wanted.items():
            if self._total[pool] < number:
                return f"needs {number} of {pool}, and {self._host} has {self._total[pool]}"
        short = [pool for pool, number in wanted.items() if len(self._free[pool]) < number]
        return f"waits for {', '.join(short or wanted)}"


def _tasks_with_queue(connection: Connection) -> list[tuple[SubmissionTask, datetime]]:
    """Return the tasks with queued versions, and the time since which the first of each waits."""
    queued = submission_versions.literal_state("queued")
    # Not the minimum: Postgres would read the whole queue for it.
    first = (
        select(_VERSION.queued_at)
        .where(_VERSION.task_key == SubmissionTaskRow.key, queued)
        .order_by(_VERSION.queued_at)
        .limit(1)
        .scalar_subquery()
    )
    query = select(
        SubmissionTaskRow.key.label("key"), SubmissionTaskRow.spec, first.label("queued_at")
    )
    found = [row for row in connection.execute(query) if row.queued_at is not None]
    found.sort(key=lambda row: (row.queued_at, row.key))
    return [(SubmissionTask(key=row.key, **row.spec), row.queued_at) for row in found]


def _reason_to_wait(
    connection: Connection, task: SubmissionTask, worker: ClaimingWorker
) -> str | None:
    """Return why no version of a task may start here now, apart from missing slots."""
    if ISOLATIONS.index(worker.isolation) < ISOLATIONS.index(task.isolation):
        return f"needs isolation by {task.isolation}, and {worker.host} has only {worker.isolation}"
    if task.run_id is not None:
        run = connection.execute(
            select(RunRow.state, RunRow.reason).where(RunRow.id == task.run_id)
        ).first()
        if run is None or run.state != "running":
            why = "deleted" if run is None else f"{run.state}: {run.reason or 'by a command'}"
            return (
                f"run {task.run_id} of its models is {why}; registering the task again resumes it"
            )
    if task.parallel is not None:
        query = (
            select(func.count())
            .select_from(_VERSION)
            .where(
                _VERSION.task_key == task.key,
                submission_versions.literal_state("claimed", "running"),
            )
        )
        running = connection.scalar(query) or 0
        if running >= task.parallel:
            return f"may run {task.parallel} at a time"
    return None


def _hold(
    connection: Connection,
    worker: ClaimingWorker,
    task: SubmissionTask,
    slots: Sequence[Slot],
    now: datetime,
) -> ClaimedVersion | None:
    """Assign slots to the oldest version of a task, and claim the version."""
    head = connection.execute(
        select(_VERSION.submission_id, _VERSION.version, _VERSION.epoch)
        .where(_VERSION.task_key == task.key, submission_versions.literal_state("queued"))
        .order_by(_VERSION.queued_at, _VERSION.submission_id, _VERSION.version)
        .limit(1)
        .with_for_update()
    ).first()
    if head is None:
        return None
    key, epoch = VersionKey(head.submission_id, head.version), head.epoch + 1
    holder = {**key._asdict(), "epoch": epoch}
    if slots:
        taken: Any = connection.execute(
            update(_SLOT)
            .where(_SLOT.id.in_([slot.id for slot in slots]), _SLOT.submission_id.is_(None))
            .values(**holder, held_since=now)
        )
        if taken.rowcount != len(slots):
            raise RuntimeError("a slot was taken while it was being claimed")
    connection.execute(
        update(_VERSION)
        .where(_VERSION.submission_id == key.submission_id, _VERSION.version == key.version)
        .values(
            state="claimed",
            epoch=epoch,
            attempts=_VERSION.attempts + 1,
            owner=worker.owner,
            lease_until=now + submission_versions.LEASE,
        )
    )
    run = {
        **holder,
        "owner": worker.owner,
        "host": worker.host,
        "process": worker.process,
        "slots": [slot.id for slot in slots],
        "claimed_at": now,
    }
    connection.execute(insert(VersionRunRow).values(**run))
    return ClaimedVersion(key, epoch, task, tuple(slots))


def _query() -> Any:
    return select(
        _SLOT.id.label("id"),
        _SLOT.pool,
        _SLOT.name,
        _SLOT.host,
        ResourcePoolRow.variable,
        _SLOT.drained,
        _SLOT.submission_id,
        _SLOT.version,
        _SLOT.held_since,
    ).join(ResourcePoolRow, ResourcePoolRow.name == _SLOT.pool)


def _slot(row: Any) -> Slot:
    held = row.submission_id is not None
    holder = VersionKey(row.submission_id, row.version) if held else None
    return Slot(
        row.id,
        row.pool,
        row.name,
        row.host,
        row.variable,
        row.drained,
        holder,
        row.held_since,
    )


def _slot_id(pool: str, name: str, host: str | None) -> str:
    return f"{pool}:{name}" if host is None else f"{pool}:{name}@{host}"


def _natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdecimal() else (1 << 31, name)
