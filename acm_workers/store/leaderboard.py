"""The leaderboard of models, over the decided documents of runs that wrote texts."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from statistics import fmean
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, case, func, select

from acm_workers.store.tables import ArtifactRow, CallRow, DocumentRow, RunRow
from schemas.leaderboard import Leaderboard, LeaderboardRow, Period
from schemas.scope import Scope

_AT_ONCE = 1000
_NORMAL_95 = 1.96


class _DecidedCandidate(NamedTuple):
    """One candidate of a decided document.

    Attributes:
        share: Reciprocal of the number of candidates of the document; 0 if the text was not
            written.
        paid: Whether any call for the candidate was paid; false if all answers came from earlier
            calls.
        usd: Cost of these calls; absent if any cost is unknown.
    """

    provider: str
    model: str
    combined: bool
    run_id: str
    document_id: str
    done: bool
    won: bool
    p_best: float | None
    score: float | None
    share: float
    paid: bool
    usd: float | None


class _CandidateCost(NamedTuple):
    paid: bool
    usd: float | None


_FREE = _CandidateCost(paid=False, usd=0.0)


def models(
    connection: Connection,
    scope: Scope | None = None,
    *,
    by: Period = "all",
    since: date | None = None,
    until: date | None = None,
    title: str | None = None,
) -> Leaderboard:
    """Return the results of each model, sorted by period and then by result, best first.

    Runs that judge texts of another run again are excluded, so that no text counts twice.

    Args:
        scope: Only runs of this tenant; default: all tenants.
        by: Length of the periods.
        since: First day (UTC) on which documents ended.
        until: Day before which documents ended.
        title: Text that the titles of runs must contain.
    """
    chosen = _documents(scope, since, until, title)
    cells: dict[tuple[str, str, str, bool], list[_DecidedCandidate]] = defaultdict(list)
    scales: dict[str, tuple[float, float]] = {}
    for document in connection.execute(chosen).mappings().partitions(_AT_ONCE):
        by_id: dict[str, Mapping[str, Any]] = {one["id"]: dict(one) for one in document}
        for one in _written(connection, by_id, scales):
            period = _period(by_id[one.document_id]["finished_at"], by)
            cells[period, one.provider, one.model, one.combined].append(one)
    rows = [_row(*key, found) for key, found in cells.items()]
    # The newest period first; within it as in reports.
    rows.sort(key=lambda row: (-(row.p_best or 0.0), -row.wins, row.provider, row.model))
    return Leaderboard(rows=tuple(sorted(rows, key=lambda row: row.period, reverse=True)))


def _documents(
    scope: Scope | None, since: date | None, until: date | None, title: str | None
) -> Select[Any]:
    query = (
        select(
            DocumentRow.id.label("id"),
            DocumentRow.run_id,
            DocumentRow.winner_id,
            DocumentRow.standings,
            DocumentRow.finished_at,
        )
        .join(RunRow, RunRow.id == DocumentRow.run_id)
        .where(DocumentRow.winner_id.is_not(None), RunRow.rejudged_from.is_(None))
        .order_by(DocumentRow.id)
    )
    if scope is not None:
        query = query.where(RunRow.tenant_id == scope.tenant_id)
    if since is not None:
        query = query.where(DocumentRow.finished_at >= _begin(since))
    if until is not None:
        query = query.where(DocumentRow.finished_at < _begin(until))
    if title is not None:
        query = query.where(RunRow.title.contains(title, autoescape=True))
    return query


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _written(
    connection: Connection,
    documents: Mapping[str, Mapping[str, Any]],
    scales: dict[str, tuple[float, float]],
) -> Iterator[_DecidedCandidate]:
    """Yield the candidates of documents, with ``scales`` as a cache of score ranges by run."""
    run_ids = {one["run_id"] for one in documents.values()} - scales.keys()
    configs = select(RunRow.id, RunRow.config).where(RunRow.id.in_(run_ids))
    scales |= {run_id: _scale(config) for run_id, config in connection.execute(configs)}
    query = select(
        ArtifactRow.id.label("id"), ArtifactRow.document_id, ArtifactRow.generator,
        ArtifactRow.provider, ArtifactRow.model, ArtifactRow.state,
    ).where(ArtifactRow.document_id.in_(documents))  # fmt: skip
    found = connection.execute(query.order_by(ArtifactRow.id)).all()
    costs = _costs(connection, documents)
    numbers: dict[str, int] = defaultdict(int)
    for one in found:
        numbers[one.document_id] += one.state == "done"
    standings = {
        entry["artifact_id"]: entry
        for document in documents.values()
        for entry in document["standings"] or ()
    }
    for one in found:
        document = documents[one.document_id]
        standing = standings.get(one.id, {})
        low, high = scales[document["run_id"]]
        overall = standing.get("overall")
        yield _DecidedCandidate(
            provider=one.provider,
            model=one.model,
            combined=one.generator == "combine",
            run_id=document["run_id"],
            document_id=one.document_id,
            done=one.state == "done",
            won=one.id == document["winner_id"],
            p_best=standing.get("p_best"),
            score=None if overall is None or high <= low else (overall - low) / (high - low),
            share=1 / numbers[one.document_id] if one.state == "done" else 0.0,
            **costs.get(one.id, _FREE)._asdict(),
        )


def _costs(connection: Connection, documents: Iterable[str]) -> dict[str, _CandidateCost]:
    """Return the cost of each candidate of some documents."""
    answered = (CallRow.state == "done") | CallRow.output_tokens.is_not(None)
    sent = CallRow.cached.is_(False)
    unpriced = sent & answered & CallRow.cost_usd.is_(None)
    query = (
        select(
            CallRow.unit_id,
            func.max(case((sent, 1), else_=0)),
            func.coalesce(func.sum(CallRow.cost_usd), 0.0),
            func.max(case((unpriced, 1), else_=0)),
        )
        .join(ArtifactRow, ArtifactRow.id == CallRow.unit_id)
        .where(ArtifactRow.document_id.in_(list(documents)))
        .group_by(CallRow.unit_id)
    )
    return {
        unit_id: _CandidateCost(bool(paid), None if unknown else usd)
        for unit_id, paid, usd, unknown in connection.execute(query)
    }


def _scale(config: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest overall score that the criteria of a run allow."""
    criteria = config.get("criteria") or ()
    weight = sum(one["weight"] for one in criteria)
    if weight <= 0:
        return 0.0, 0.0
    ends = (sum(one[end] * one["weight"] for one in criteria) / weight for end in ("min", "max"))
    low, high = ends
    return low, high


def _row(
    period: str, provider: str, model: str, combined: bool, found: list[_DecidedCandidate]
) -> LeaderboardRow:
    texts = [one for one in found if one.done]
    documents = {one.document_id for one in found}
    wins = sum(one.won for one in found)
    low, high = _interval(wins, len(documents))
    scores = [one.score for one in texts if one.score is not None]
    paid = [one.usd for one in texts if one.paid]
    priced = [usd for usd in paid if usd is not None]
    return LeaderboardRow(
        period=period,
        provider=provider,
        model=model,
        combined=combined,
        runs=len({one.run_id for one in found}),
        documents=len(documents),
        texts=len(texts),
        failed=len(found) - len(texts),
        wins=wins,
        expected_wins=sum(one.share for one in found),
        win_share=wins / len(documents),
        low=low,
        high=high,
        p_best=_mean_p_best(texts),
        score=fmean(scores) if scores else None,
        usd_per_text=fmean(priced) if priced and len(priced) == len(paid) else None,
    )


def _mean_p_best(texts: Iterable[_DecidedCandidate]) -> float | None:
    chances: dict[str, float] = defaultdict(float)
    for one in texts:
        if one.p_best is not None:
            chances[one.document_id] += one.p_best
    return fmean(chances.values()) if chances else None


def _interval(wins: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Source: Wilson, "Probable inference", Journal of the American Statistical Association 22 (1927).
    """
    share, z = wins / of, _NORMAL_95
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    reach = z * math.sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2) / (1 + z**2 / of)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _period(at: datetime, by: Period) -> str:
    if by == "all":
        return "all"
    if by == "week":
        year, week, _ = at.isocalendar()
        return f"{year}-W{week:02d}"
    return f"{at:%Y-%m}" if by == "month" else f"{at:%Y-%m-%d}"
