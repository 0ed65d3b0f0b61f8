"""The table of votes."""

from datetime import datetime

from sqlalchemy import Float, ForeignKey, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from acm_workers.store.tables import Base, Id, TenantColumns


class VoteRow(Base, TenantColumns):
    """A pair shown to a person, with the person's choice; see ``schemas.votes.Vote``."""

    __tablename__ = "votes"
    __table_args__ = (
        UniqueConstraint("voter", "artifact_left_id", "artifact_right_id", name="votes_once"),
        Index("votes_by_run", "run_id", "vote_id"),
    )

    id: Mapped[str] = mapped_column("vote_id", Id, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.run_id"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.document_id"))
    left_id: Mapped[str] = mapped_column("artifact_left_id", ForeignKey("artifacts.artifact_id"))
    right_id: Mapped[str] = mapped_column("artifact_right_id", ForeignKey("artifacts.artifact_id"))
    voter: Mapped[str] = mapped_column(String(200))
    choice: Mapped[str | None] = mapped_column(String(16))
    probability: Mapped[float] = mapped_column(Float(53))
    eligible: Mapped[int] = mapped_column(Integer)
    shown_at: Mapped[datetime]
    voted_at: Mapped[datetime | None]
