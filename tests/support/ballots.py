"""Votes for tests, with defaults for what a test does not set."""

from datetime import UTC, datetime, timedelta

from schemas.votes import Choice, Vote

START = datetime(2026, 1, 1, tzinfo=UTC)


def vote(  # noqa: PLR0913  each has a default
    left: str,
    right: str,
    choice: Choice | None = "left",
    *,
    voter: str = "ann",
    number: int = 1,
    probability: float = 0.1,
    eligible: int = 10,
    document: str = "doc",
) -> Vote:
    """Return a vote that took ten seconds."""
    shown = START + timedelta(minutes=number)
    return Vote(
        id=f"{voter}-{number:04d}",
        run_id="run",
        document_id=document,
        left_id=left,
        right_id=right,
        voter=voter,
        choice=choice,
        probability=probability,
        eligible=eligible,
        shown_at=shown,
        voted_at=None if choice is None else shown + timedelta(seconds=10),
    )
