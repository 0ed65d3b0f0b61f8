"""Routes of slots, which belong to the server's owner and are shared by all tenants."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from acm_api import submissions
from acm_api.http.access import Authorized, Requester
from acm_api.http.service import CurrentService
from acm_api.http.shapes import NO_ZERO_BYTE
from acm_workers import runtime
from acm_workers.errors import NotAllowed
from acm_workers.store import accounts, resource_pools
from acm_workers.store.resource_pools import Slot
from schemas.scope import LOCAL

router = APIRouter(tags=["resources"])

SlotId = Annotated[
    str,
    Path(
        max_length=400,
        pattern=NO_ZERO_BYTE,
        description="The slot as in the list, such as gpu:0@box.",
    ),
]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class ListedSlot(BaseModel):
    """A slot of a pool.

    Attributes:
        host: Machine of the slot; absent if machines share it.
        drained: Whether no further version gets the slot.
        held: Whether a version holds the slot now.
    """

    id: str
    pool: str
    name: str
    host: str | None
    variable: str | None
    drained: bool
    held: bool

    @classmethod
    def of(cls, slot: Slot) -> "ListedSlot":
        """Return a slot without the details that only the owner may see."""
        return cls(
            id=slot.id,
            pool=slot.pool,
            name=slot.name,
            host=slot.host,
            variable=slot.variable,
            drained=slot.drained,
            held=slot.holder is not None,
        )


class NewSlots(BaseModel):
    """Slots to add to a pool, which is created if needed.

    Attributes:
        host: Machine of the slots, as `acm worker` names it; absent for shared slots.
        variable: Environment variable with the names of the slots that the code holds.
    """

    pool: _Name
    names: Annotated[list[_Name], Field(min_length=1, max_length=1000)]
    host: Annotated[str, Field(min_length=1, max_length=255, pattern=NO_ZERO_BYTE)] | None = None
    variable: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")] | None = None


@router.get("/resources")
def list_slots(service: CurrentService, caller: Authorized.read) -> list[ListedSlot]:
    """List all slots, by pool, machine and name."""
    with service.database.read() as connection:
        return [ListedSlot.of(slot) for slot in resource_pools.every(connection)]


@router.post("/resources", status_code=201)
def add(body: NewSlots, service: CurrentService, caller: Authorized.admin) -> list[ListedSlot]:
    """Add slots, and return all slots of the pool; drained ones become available again."""
    _require_owner(caller)
    with service.database.write() as connection:
        resource_pools.add(
            connection,
            body.pool,
            body.names,
            runtime.utc_now(),
            host=body.host,
            variable=body.variable,
        )
        _audit(connection, caller, "add slots", body.pool)
        found = resource_pools.every(connection)
    return [ListedSlot.of(slot) for slot in found if slot.pool == body.pool]


@router.post("/resources/{slot_id}/drain")
def drain(slot_id: SlotId, service: CurrentService, caller: Authorized.admin) -> ListedSlot:
    """Drain a slot: no further version gets it; its current holder continues."""
    _require_owner(caller)
    with service.database.write() as connection:
        resource_pools.drain(connection, [slot_id])
        _audit(connection, caller, "drain slot", slot_id)
        return _slot(resource_pools.every(connection), slot_id)


@router.post("/resources/{slot_id}/release")
def release(slot_id: SlotId, service: CurrentService, caller: Authorized.admin) -> ListedSlot:
    """Make a drained slot available again, and free it if a dead worker holds it."""
    _require_owner(caller)
    released = submissions.release(service.database, [slot_id])[0]
    with service.database.write() as connection:
        _audit(connection, caller, "release slot", slot_id)
    return ListedSlot.of(released)


def _audit(connection: Connection, caller: Requester, action: str, target: str) -> None:
    # An id can be longer than the column.
    now, start = runtime.utc_now(), target[:200]
    accounts.audit(connection, caller.scope, caller.name, action, now, start)


def _slot(slots: list[Slot], slot_id: str) -> ListedSlot:
    return ListedSlot.of(next(slot for slot in slots if slot.id == slot_id))


def _require_owner(caller: Requester) -> None:
    if caller.scope != LOCAL:
        raise NotAllowed("only the server's owner may change slots")
