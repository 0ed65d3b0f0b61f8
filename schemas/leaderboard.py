"""The leaderboard: how the models did that wrote texts, over runs and time."""

from typing import Literal

from schemas.record import Record

Period = Literal["all", "month", "week", "day"]


class LeaderboardRow(Record):
    """One model over the documents that were decided in one period.

    Attributes:
        period: ``2026-11``, ``2026-W47`` or ``2026-11-23``; ``all`` for everything together.
        combined: Whether these are texts that it combined from others.
        runs: Number of runs that it wrote for.
        documents: Number of decided documents that it wrote for.
        texts: Number of its texts.
        failed: Number of texts that it failed to write.
        wins: Number of documents that a text of it won.
        expected_wins: How many it would have won if each candidate were as likely to win.
        win_share: ``wins`` out of ``documents``.
        low: Lower end of its 95 % interval.
        high: Upper end.
        p_best: Mean over documents of the probability that one of its texts is the best.
        score: Mean score of its texts as a share of the scale: 0 the lowest, 1 the highest.
        usd_per_text: Mean cost of writing a text; absent if a part is unknown.
    """

    period: str
    provider: str
    model: str
    combined: bool
    runs: int
    documents: int
    texts: int
    failed: int
    wins: int
    expected_wins: float
    win_share: float
    low: float
    high: float
    p_best: float | None
    score: float | None
    usd_per_text: float | None


class Leaderboard(Record):
    """Results of models; rows by period, the newest first, and then the best first."""

    rows: tuple[LeaderboardRow, ...]
