"""The tables of calls, waits, reports and events."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Float, ForeignKey, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.columns import Base, Id, Json, Owned, partial_index


class CallRow(Base, Owned):
    """One HTTP request to a provider, written before it is sent.

    Attributes:
        reusable: Whether the answer may serve a later identical request; not if it was unreadable.
        searches: Those that are billed.
        grounding: What the answer proves; see ``schemas.calls.Evidence``, also for the next four.
        so_far: What continues a paused answer.
        response_id: The provider's name for the answer; while the call is ``started``, that of an
            answer in the background which is looked for.
        misses: How often in a row that answer was not found.
        answer: The answer's text, zlib-compressed.
    """

    __tablename__ = "calls"
    __table_args__ = (
        Index("calls_by_digest", "tenant_id", "digest", "iteration"),
        Index("calls_by_run", "run_id", "state"),
        Index("calls_by_unit", "unit_id"),
        partial_index("calls_by_owner", "state = 'started'", "owner"),
    )

    id: Mapped[str] = mapped_column("call_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    unit_id: Mapped[str] = mapped_column(Id)
    unit_kind: Mapped[str] = mapped_column(String(16))
    stage: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int] = mapped_column(Integer)
    provider: Mapped[str] = mapped_column(String(100))
    model: Mapped[str] = mapped_column(String(200))
    digest: Mapped[str] = mapped_column(String(64))
    iteration: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(String(16))
    cached: Mapped[bool] = mapped_column(Boolean, default=False)
    reusable: Mapped[bool] = mapped_column(Boolean, default=False)
    status: Mapped[int | None] = mapped_column(Integer)
    finish_reason: Mapped[str | None] = mapped_column(String(16))
    input_tokens: Mapped[int | None] = mapped_column(Integer)
    output_tokens: Mapped[int | None] = mapped_column(Integer)
    cached_tokens: Mapped[int | None] = mapped_column(Integer)
    cache_write_tokens: Mapped[int | None] = mapped_column(Integer)
    reasoning_tokens: Mapped[int | None] = mapped_column(Integer)
    reserved_usd: Mapped[float | None] = mapped_column(Float(53))
    searches: Mapped[int | None] = mapped_column(Integer)
    grounding: Mapped[str | None] = mapped_column(String(16))
    reasoning: Mapped[str | None] = mapped_column(String(16))
    queries: Mapped[list[Any] | None] = mapped_column(Json)
    sources: Mapped[list[Any] | None] = mapped_column(Json)
    summary: Mapped[str | None] = mapped_column(Text)
    so_far: Mapped[list[Any] | None] = mapped_column(Json)
    cost_usd: Mapped[float | None] = mapped_column(Float(53))
    price: Mapped[str | None] = mapped_column(String(300))
    response_id: Mapped[str | None] = mapped_column(String(200))
    misses: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    request_id: Mapped[str | None] = mapped_column(String(200))
    wait_s: Mapped[float] = mapped_column(Float(53), default=0.0)
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    error_kind: Mapped[str | None] = mapped_column(String(64))
    error: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    owner: Mapped[str] = mapped_column(String(128))


class BudgetRow(Base, Owned):
    """What the calls of a run with a budget have taken of it; see ``store.budgets``.

    Attributes:
        closed: Why nothing more is sent; it holds for budgets up to ``closed_usd``.
    """

    __tablename__ = "budgets"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)
    taken_usd: Mapped[float] = mapped_column(Float(53))
    closed: Mapped[str | None] = mapped_column(Text)
    closed_usd: Mapped[float | None] = mapped_column(Float(53))


class WaitRow(Base, Owned):
    """How many units of a run wait for a limit of one provider right now."""

    __tablename__ = "waits"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)
    provider: Mapped[str] = mapped_column(String(100), primary_key=True)
    reason: Mapped[str] = mapped_column(String(300))
    units: Mapped[int] = mapped_column(Integer)
    until: Mapped[datetime | None]


class ReportRow(Base, Owned):
    """A report that was written."""

    __tablename__ = "reports"
    __table_args__ = (Index("reports_by_run", "run_id"),)

    id: Mapped[str] = mapped_column("report_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    type: Mapped[str] = mapped_column(String(16))
    format: Mapped[str] = mapped_column(String(16))
    storage_path: Mapped[str] = mapped_column(String(2048))
    created_at: Mapped[datetime]


class EventRow(Base, Owned):
    """Something about a run that people who follow it want to know."""

    __tablename__ = "events"
    __table_args__ = (Index("events_by_run", "run_id", "event_id"),)

    id: Mapped[int] = mapped_column("event_id", Integer, primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str | None] = mapped_column(Id)
    kind: Mapped[str] = mapped_column(String(32))
    data: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    at: Mapped[datetime]
