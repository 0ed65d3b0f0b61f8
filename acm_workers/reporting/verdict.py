"""The verdict on a document: margin, direct games, combined candidates, and reasons to doubt it."""

from collections.abc import Sequence

from acm_workers.ranking import standings
from acm_workers.reporting.data import Candidate, DirectGames, FusionRow, UnitCounts
from acm_workers.reporting.document_records import DocumentRecords, grouped
from acm_workers.reporting.formatting import many, shortened
from acm_workers.reporting.money import CallCost
from schemas.config.ranking import RankingMethod
from schemas.units import Comparison, Evaluation


def margin(winner: Candidate | None, other: Candidate | None) -> float | None:
    """Return the lead of ``winner`` in rank score; None if the two have no common scale."""
    ours = winner.standing if winner else None
    theirs = other.standing if other else None
    if ours is None or theirs is None or ours.admitted != theirs.admitted:
        return None
    if ours.rank_score is None or theirs.rank_score is None:
        return None
    return ours.rank_score - theirs.rank_score


def method(records: DocumentRecords) -> RankingMethod:
    """Return the method of the ranking."""
    has_posterior = any(standing.p_best is not None for standing in records.standings)
    return standings.resolved(
        records.run.config, has_posterior=has_posterior, compared=bool(records.games)
    )


def direct_games(
    records: DocumentRecords, winner: Candidate | None, other: Candidate | None
) -> DirectGames:
    """Count the direct games between ``winner`` and ``other``."""
    if winner is None or other is None:
        return DirectGames(0, 0, 0)
    one, two = winner.artifact.id, other.artifact.id
    points = [
        game.score_a if game.a == one else 1 - game.score_a
        for game in records.games
        if {game.a, game.b} == {one, two}
    ]
    return DirectGames(points.count(1.0), points.count(0.0), points.count(0.5))


def count_units(records: DocumentRecords) -> UnitCounts:
    """Count the units of a document."""
    return UnitCounts(
        candidates=len(records.artifacts),
        failed_candidates=sum(unit.state != "done" for unit in records.artifacts),
        evaluations=len(records.evaluations),
        missing_evaluations=sum(unit.state != "done" for unit in records.evaluations),
        comparisons=len(records.comparisons),
        missing_comparisons=sum(unit.state != "done" for unit in records.comparisons),
    )


def warnings(
    records: DocumentRecords, candidates: tuple[Candidate, ...], spent: CallCost
) -> tuple[str, ...]:
    """Return the reasons to doubt the result, as sentences."""
    counted = count_units(records)
    return (
        *_state(records),
        *_candidates(candidates, counted),
        *_judging(counted),
        *_judges(records),
        *_uncertain(spent),
    )


def _state(records: DocumentRecords) -> list[str]:
    document = records.document
    if document.state == "done":
        return []
    reason = f": {document.reason.rstrip('.')}" if document.reason else ""
    return [f"This document is {document.state}{reason}."]


def _candidates(candidates: tuple[Candidate, ...], counted: UnitCounts) -> list[str]:
    broken = [candidate for candidate in candidates if candidate.artifact.state != "done"]
    barred = [candidate for candidate in candidates if candidate.artifact.barred]
    told = []
    if barred:
        noun = "does" if len(barred) == 1 else "do"
        names = ", ".join(candidate.label for candidate in barred[:5])
        rest = f" and {len(barred) - 5} more" if len(barred) > 5 else ""
        of = many(counted.candidates, "candidate")
        told.append(f"{len(barred)} of {of} {noun} not pass the checks: {names}{rest}.")
    if not broken:
        return told
    said = "; ".join(
        f"{candidate.label} ({shortened(candidate.artifact.error, 120)})"
        if candidate.artifact.error
        else f"{candidate.label} ({candidate.artifact.state})"
        for candidate in broken[:5]
    )
    more = f"; and {len(broken) - 5} more" if len(broken) > 5 else ""
    return [
        *told,
        f"{len(broken)} of {many(counted.candidates, 'candidate')} failed: {said}{more}.",
    ]


def _judging(counted: UnitCounts) -> list[str]:
    pairs = (
        (counted.missing_evaluations, counted.evaluations, "evaluation"),
        (counted.missing_comparisons, counted.comparisons, "comparison"),
    )
    return [
        f"{missing} of {many(planned, noun)} {'has' if planned == 1 else 'have'} no result."
        for missing, planned, noun in pairs
        if missing
    ]


def _judges(records: DocumentRecords) -> list[str]:
    units: tuple[Evaluation | Comparison, ...] = (*records.evaluations, *records.comparisons)
    said = []
    by_judge = grouped(units, lambda unit: unit.judge)
    others = {
        judge: any(unit.state == "done" and unit.judge != judge for unit in units)
        for judge in by_judge
    }
    for judge, asked in by_judge.items():
        failed = sum(unit.state == "failed" for unit in asked)
        if failed == len(asked):
            rest = "; the result rests on the others" if others[judge] else ""
            said.append(f"Judge {judge} failed every time{rest}.")
        elif failed:
            said.append(f"Judge {judge} failed in {failed} of {len(asked)} judgements.")
    return said


def _uncertain(spent: CallCost) -> list[str]:
    if not spent.uncertain:
        return []
    return [f"{many(spent.uncertain, 'call')} may have been paid without an answer (uncertain)."]


def notes(
    records: DocumentRecords, candidates: tuple[Candidate, ...], winner: Candidate | None
) -> tuple[str, ...]:
    """Return further remarks on the result, as sentences."""
    document = records.document
    if document.reason and document.state == "done":
        return (document.reason,)
    written = sum(candidate.artifact.state == "done" for candidate in candidates)
    if written == 1:
        return ("There was only one candidate: it wins, and nothing was compared.",)
    if winner and not records.games:
        return ("No pairs were compared: the order rests on scores alone.",)
    if winner and winner.standing and winner.standing.rank > 1:
        return (
            "A combined candidate ranks higher, but the probability that it is better than its "
            "best parent is too low for it to win.",
        )
    return ()


_WORDS = (
    (0.95, "better"),
    (0.75, "probably better"),
    (0.25, "about the same"),
    (0.05, "probably worse"),
    (0.0, "worse"),
)
"""Minimum probability of being better for each word."""


def fusion_rows(records: DocumentRecords, candidates: Sequence[Candidate]) -> tuple[FusionRow, ...]:
    """Return the combined candidates that were ranked, each beside its best parent."""
    labels = {candidate.artifact.id: candidate.label for candidate in candidates}
    made_from = {candidate.artifact.id: candidate.artifact.parents for candidate in candidates}
    needed = records.run.config.playoffs.min_confidence
    return tuple(
        FusionRow(
            fusion,
            labels.get(fusion.artifact_id, fusion.artifact_id),
            labels.get(fusion.parent_id, fusion.parent_id),
            made_from.get(fusion.artifact_id, ()),
            records.run.config.playoffs.same_scale,
            fusion_verdict(fusion.better),
            fusion.better >= needed,
        )
        for fusion in records.fusions
    )


def fusion_verdict(better: float) -> str:
    """Describe a probability of being better than the best parent."""
    return next(said for least, said in _WORDS if better >= least)
