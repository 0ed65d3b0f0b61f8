"""How sure a document's result is: the direct duel, and every reason to doubt it."""

from acm_workers.ranking import standings
from acm_workers.reporting.data import Candidate, DirectGames, UnitCounts
from acm_workers.reporting.facts import DocumentRecords, grouped
from acm_workers.reporting.formatting import many, shortened
from acm_workers.reporting.money import CallCost
from schemas.config.ranking import RankingMethod
from schemas.units import Comparison, Evaluation


def margin(winner: Candidate | None, other: Candidate | None) -> float | None:
    """Return how far ``winner`` is ahead; absent where both are not on one scale."""
    ours = winner.standing if winner else None
    theirs = other.standing if other else None
    if ours is None or theirs is None or ours.admitted != theirs.admitted:
        return None
    if ours.rank_score is None or theirs.rank_score is None:
        return None
    return ours.rank_score - theirs.rank_score


def method(facts: DocumentRecords) -> RankingMethod:
    """Return what the ranking went by."""
    has_posterior = any(standing.p_best is not None for standing in facts.standings)
    return standings.resolved(
        facts.run.config, has_posterior=has_posterior, compared=bool(facts.games)
    )


def duel(facts: DocumentRecords, winner: Candidate | None, other: Candidate | None) -> DirectGames:
    """Count the direct games between ``winner`` and ``other``."""
    if winner is None or other is None:
        return DirectGames(0, 0, 0)
    one, two = winner.artifact.id, other.artifact.id
    points = [
        game.score_a if game.a == one else 1 - game.score_a
        for game in facts.games
        if {game.a, game.b} == {one, two}
    ]
    return DirectGames(points.count(1.0), points.count(0.0), points.count(0.5))


def tally(facts: DocumentRecords) -> UnitCounts:
    """Count the units of a document."""
    return UnitCounts(
        candidates=len(facts.artifacts),
        failed_candidates=sum(unit.state != "done" for unit in facts.artifacts),
        evaluations=len(facts.evaluations),
        missing_evaluations=sum(unit.state != "done" for unit in facts.evaluations),
        comparisons=len(facts.comparisons),
        missing_comparisons=sum(unit.state != "done" for unit in facts.comparisons),
    )


def warnings(
    facts: DocumentRecords, candidates: tuple[Candidate, ...], spent: CallCost
) -> tuple[str, ...]:
    """Say what makes the result weaker than it looks."""
    counted = tally(facts)
    return (
        *_state(facts),
        *_candidates(candidates, counted),
        *_judging(counted),
        *_judges(facts),
        *_uncertain(spent),
    )


def _state(facts: DocumentRecords) -> list[str]:
    document = facts.document
    if document.state == "done":
        return []
    reason = f": {document.reason.rstrip('.')}" if document.reason else ""
    return [f"This document is {document.state}{reason}."]


def _candidates(candidates: tuple[Candidate, ...], counted: UnitCounts) -> list[str]:
    broken = [candidate for candidate in candidates if candidate.artifact.state != "done"]
    if not broken:
        return []
    said = "; ".join(
        f"{candidate.label} ({shortened(candidate.artifact.error, 120)})"
        if candidate.artifact.error
        else f"{candidate.label} ({candidate.artifact.state})"
        for candidate in broken[:5]
    )
    more = f"; and {len(broken) - 5} more" if len(broken) > 5 else ""
    return [f"{len(broken)} of {many(counted.candidates, 'candidate')} failed: {said}{more}."]


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


def _judges(facts: DocumentRecords) -> list[str]:
    units: tuple[Evaluation | Comparison, ...] = (*facts.evaluations, *facts.comparisons)
    said = []
    for judge, asked in grouped(units, lambda unit: unit.judge).items():
        failed = sum(unit.state == "failed" for unit in asked)
        if failed == len(asked):
            said.append(f"Judge {judge} failed every time; the result rests on the others.")
        elif failed:
            said.append(f"Judge {judge} failed in {failed} of {len(asked)} judgements.")
    return said


def _uncertain(spent: CallCost) -> list[str]:
    if not spent.uncertain:
        return []
    return [f"{many(spent.uncertain, 'call')} may have been paid without an answer (uncertain)."]


def notes(
    facts: DocumentRecords, candidates: tuple[Candidate, ...], winner: Candidate | None
) -> tuple[str, ...]:
    """Say what a reader of the result should know beside the warnings."""
    document = facts.document
    if document.reason and document.state == "done":
        return (document.reason,)
    written = sum(candidate.artifact.state == "done" for candidate in candidates)
    if written == 1:
        return ("There was only one candidate: it wins, and nothing was compared.",)
    if winner and not facts.games:
        return ("No pairs were compared: the order rests on scores alone.",)
    if winner and winner.standing and winner.standing.rank > 1:
        return (
            "A combined candidate ranks higher, but it is not better than its best parent with "
            "the probability that is needed to win.",
        )
    return ()
