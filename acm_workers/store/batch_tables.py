"""The tables of requests that are sent in batches; migrations make them."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    false,
)
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.tables import Base, Id, Json, TenantColumns, partial_index


class BatchRow(Base, TenantColumns):
    """A batch of requests to one model; recorded before it is sent.

    Attributes:
        state: ``sealed``: nothing was sent; ``sending``: it may be at the provider; ``sent``: it is
            there, as ``there_id``; ``ended``: its results are saved.
        size: Number of its requests.
        answered: How many of them the provider has ended.
        there_id: The provider's id.
        adopted: It was found after its submission was not answered.
        others: The provider's ids of batches that were taken for it.
        failures: How often in a row it could not be submitted.
        misses: How often in a row the provider did not know it.
        epoch: Counts claims; the change of an older one is refused.
        due_at: When to send it or to look at it next.
    """

    __tablename__ = "batches"
    __table_args__ = (partial_index("batches_open", "state <> 'ended'", "run_id", "due_at"),)

    id: Mapped[str] = mapped_column("batch_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    size: Mapped[int] = mapped_column(Integer)
    answered: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    there_id: Mapped[str | None] = mapped_column(String(200))
    adopted: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    others: Mapped[list[Any]] = mapped_column(Json, default=list)
    cancel_requested: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    cancelled: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    failures: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    misses: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    epoch: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    owner: Mapped[str | None] = mapped_column(String(128))
    lease_until: Mapped[datetime | None]
    due_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)


class BatchedRequestRow(Base, TenantColumns):
    """A request that waits for its batch, or for the batch's results.

    Attributes:
        call_id: Its call in the ledger, which is started.
        batch_id: Absent until a batch is made of what waits.
        name: By which its result is found in the batch.
        body: zlib-compressed JSON; absent once there is a result.
        size: Bytes of the JSON.
        status: HTTP status of the result; absent if it was not executed.
        reason: Why it was not executed.
        result: zlib-compressed JSON.
    """

    __tablename__ = "batched_requests"
    __table_args__ = (
        Index("batched_requests_by_batch", "batch_id"),
        Index("batched_requests_by_run", "run_id", "batch_id"),
    )

    call_id: Mapped[str] = mapped_column(ForeignKey("calls.call_id"), primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    batch_id: Mapped[str | None] = mapped_column(Id)
    name: Mapped[str] = mapped_column(String(64))
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    size: Mapped[int] = mapped_column(Integer)
    status: Mapped[int | None] = mapped_column(Integer)
    reason: Mapped[str | None] = mapped_column(String(16))
    result: Mapped[bytes | None] = mapped_column(LargeBinary)
    answered_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
