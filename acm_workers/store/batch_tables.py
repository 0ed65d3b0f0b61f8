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
        state: ``sealed``: not sent yet; ``sending``: possibly received by the provider; ``sent``:
            accepted by the provider as ``there_id``; ``ended``: all results are saved.
        size: Number of requests.
        answered: Number of requests that the provider has completed.
        there_id: The provider's id of the batch.
        adopted: Whether the batch was found at the provider after a submission without an answer.
        others: The provider's ids of batches that may be the same as this batch.
        failures: Number of consecutive failed submissions.
        misses: Number of consecutive polls in which the provider did not know the batch.
        epoch: Number of claims so far; changes with an older epoch are refused.
        due_at: Time of the next attempt to send or poll the batch.
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
    """A request that waits to be put into a batch, or for the results of its batch.

    Attributes:
        call_id: Id of the request's call in the ledger, whose state is ``started``.
        batch_id: Id of the batch; absent until the request is part of a batch.
        name: Name that identifies the result within the batch.
        body: zlib-compressed JSON of the request; absent once there is a result.
        size: Size of the JSON in bytes.
        status: HTTP status of the result; absent if the request was not executed.
        reason: Reason why the request was not executed.
        result: zlib-compressed JSON of the result.
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
