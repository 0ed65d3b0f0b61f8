"""The leaderboard: results of the models that write texts, over runs and time."""

from typing import Literal

from schemas.record import Record

Period = Literal["all", "month", "week", "day"]


class LeaderboardRow(Record):
    """The results of one model over the documents decided in one period.

    Attributes:
        period: ``2026-11``, ``2026-W47`` or ``2026-11-23``; ``all`` for all periods together.
        combined: Whether the row is about texts that the model combined from other texts.
        runs: Number of runs with texts of the model.
        documents: Number of decided documents with texts of the model.
        texts: Number of texts that the model wrote.
        failed: Number of texts that the model failed to write.
        wins: Number of documents won by a text of the model.
        expected_wins: Expected number of wins if all candidates of a document were equally likely
            to win.
        win_share: ``wins`` out of ``documents``.
        low: Lower end of the 95 % interval of ``win_share``.
        high: Upper end of that interval.
        p_best: Mean over documents of the probability that one of its texts is the best.
        score: Mean score of its texts, scaled to 0 for the lowest and 1 for the highest possible
            score.
        usd_per_text: Mean cost of writing a text; absent if any cost is unknown.
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
    """The results of all models, by period (newest first) and then by result (best first)."""

    rows: tuple[LeaderboardRow, ...]
