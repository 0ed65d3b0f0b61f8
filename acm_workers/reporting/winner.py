"""What is told of a winner beside its text."""

from collections.abc import Iterable
from typing import Any

from acm_workers.ranking import scores
from schemas.record import Record
from schemas.run import RunRecords
from schemas.units import Document


def about(known: RunRecords, document: Document) -> dict[str, Any]:
    """Return what ``winner.json`` tells: who, why, scores, rating, cost, parents."""
    winner = next(one for one in known.artifacts if one.id == document.winner_id)
    summaries = scores.summaries([winner], known.evaluations, known.run.config)
    summary = summaries.get(winner.id)
    standings = known.standings.get(document.id, ())
    ratings = {rating.artifact_id: rating for rating in known.ratings.get(document.id, ())}
    standing = next(one for one in standings if one.artifact_id == winner.id)
    rating = ratings.get(winner.id)
    paid = [call for call in known.calls if call.state == "done"]
    costs = [call.cost_usd for call in paid if call.document_id == document.id]
    own = [call.cost_usd for call in paid if call.unit_id == winner.id]
    return {
        "document": document.path,
        "run_id": known.run.id,
        "artifact_id": winner.id,
        "file": winner.file,
        "generator": winner.generator,
        "provider": winner.provider,
        "model": winner.model,
        "iteration": winner.iteration,
        "parents": list(winner.parents),
        "proof": None if winner.proof is None else winner.proof.model_dump(mode="json"),
        "reason": document.reason,
        "overall": standing.overall,
        "criteria": None if summary is None else summary.criteria,
        "std_dev": None if summary is None else summary.std_dev,
        "missing_evaluations": None if summary is None else summary.missing,
        "rank_score": standing.rank_score,
        "p_best": standing.p_best,
        "strength": _plain(standing.posterior),
        "elo": standing.elo,
        "games": None if rating is None else rating.games,
        "wins": None if rating is None else rating.wins,
        "losses": None if rating is None else rating.losses,
        "ties": None if rating is None else rating.ties,
        "fusions": [one.model_dump() for one in known.fusions.get(document.id, ())],
        "usd": {"winner": _sum(own), "document": _sum(costs)},
    }


def _plain(record: Record | None) -> dict[str, Any] | None:
    return None if record is None else record.model_dump(mode="json")


def _sum(costs: Iterable[float | None]) -> float | None:
    """Return the sum of costs; absent if one of them is not known."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return round(total, 9)
