"""Why a document has the winner that it has: from what is stored, and what might have been; pure.

Rankings that might have been are made by the functions that made the real one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from acm_workers.pipeline import what_if
from acm_workers.pipeline.admission import summaries
from acm_workers.pipeline.ranking_diff import JudgedDocument, name_of
from acm_workers.ranking import games, standings
from acm_workers.ranking.games import Game
from schemas.config.config import Config
from schemas.explained import (
    Contender,
    DirectComparisons,
    Explanation,
    MissingJudgements,
    NamedFusion,
    WhatIf,
)
from schemas.ranking import Fusion
from schemas.units import Artifact, Comparison, Evaluation

_RIVALS = 3
"""Candidates for which it is worked out what would put them in front."""

_LONGEST_REASON = 160


def explain(judged: JudgedDocument, fusions: Sequence[Fusion]) -> Explanation:
    """Return why the document has its winner.

    Args:
        judged: With standings as they were stored.
        fusions: As they were stored.
    """
    view, config = judged.view, judged.config
    document = view.document
    names = {artifact.id: name_of(artifact) for artifact in view.artifacts}
    played = games.games(view.comparisons, tie_below=config.pairwise.tie_below_confidence)
    known = {one.artifact_id: one for one in _contenders(judged, played)}
    winner = known.get(document.winner_id or "")
    ranking = [known[one.artifact_id] for one in judged.standings if one.artifact_id in known]
    rivals = [one for one in ranking if one is not winner]
    return Explanation(
        run_id=document.run_id,
        document_id=document.id,
        path=document.path,
        state=document.state,
        method=standings.resolved(
            judged.config,
            has_posterior=any(standing.p_best is not None for standing in judged.standings),
            compared=any(standing.games for standing in judged.standings),
        ),
        reason=document.reason,
        candidates=len(view.candidates),
        winner=winner,
        runner_up=rivals[0] if rivals else None,
        direct=_direct(played, winner, rivals[0] if rivals else None),
        what_if=tuple(_what_if(judged, winner, rivals[:_RIVALS])) if winner else (),
        missing=_missing(judged, winner, rivals),
        fusions=tuple(_fusion(one, names, config) for one in fusions if one.artifact_id in names),
        notes=tuple(_notes(judged, winner)),
    )


def _contenders(judged: JudgedDocument, played: Sequence[Game]) -> Iterator[Contender]:
    view = judged.view
    standings = {standing.artifact_id: standing for standing in judged.standings}
    found = summaries(view, judged.config)
    for artifact in view.candidates:
        summary, standing = found.get(artifact.id), standings.get(artifact.id)
        points = [_points(game, artifact.id) for game in played]
        yield Contender(
            artifact_id=artifact.id,
            name=name_of(artifact),
            file=artifact.file,
            rank=None if standing is None else standing.rank,
            overall=None if summary is None else summary.overall,
            criteria={} if summary is None else summary.criteria,
            by_judge={} if summary is None else summary.by_judge,
            scores=0 if summary is None else summary.count,
            filled=0 if summary is None else summary.filled,
            wins=points.count(1.0),
            losses=points.count(0.0),
            ties=points.count(0.5),
            elo=None if standing is None else standing.elo,
            rank_score=None if standing is None else standing.rank_score,
            p_best=None if standing is None else standing.p_best,
            strength=None if standing is None else standing.posterior,
        )


def _points(game: Game, one: str) -> float | None:
    if one not in (game.a, game.b):
        return None
    return game.score_a if game.a == one else 1 - game.score_a


def _direct(
    played: Sequence[Game], winner: Contender | None, other: Contender | None
) -> DirectComparisons:
    if winner is None or other is None:
        return DirectComparisons(wins=0, losses=0, ties=0)
    between = [game for game in played if {game.a, game.b} == _ids(winner, other)]
    points = [_points(game, winner.artifact_id) for game in between]
    return DirectComparisons(
        wins=points.count(1.0), losses=points.count(0.0), ties=points.count(0.5)
    )


def _ids(*contenders: Contender) -> set[str]:
    return {one.artifact_id for one in contenders}


def _what_if(
    judged: JudgedDocument, winner: Contender, rivals: Sequence[Contender]
) -> Iterator[WhatIf]:
    """Yield what would put each of the rivals in front of the winner."""
    view, config = judged.view, judged.config
    for rival in rivals:
        compared = bool(config.comparing_judges) and bool(view.comparisons)
        wins = None
        if compared:
            wins = what_if.wins_needed(view, config, winner.artifact_id, rival.artifact_id)
        gap = None
        if not compared and winner.overall is not None and rival.overall is not None:
            gap = winner.overall - rival.overall
        yield WhatIf(
            artifact_id=rival.artifact_id,
            name=rival.name,
            wins_needed=wins,
            tried=what_if.MOST_WINS if compared else 0,
            score_needed=gap,
        )


def _missing(
    judged: JudgedDocument, winner: Contender | None, rivals: Sequence[Contender]
) -> MissingJudgements | None:
    view = judged.view
    evaluations = [unit for unit in view.evaluations if what_if.is_missing(unit)]
    comparisons = [unit for unit in view.comparisons if what_if.is_missing(unit)]
    if not evaluations and not comparisons:
        return None
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    reasons = Counter(
        f"judge {unit.judge}: {(unit.error or unit.state)[:_LONGEST_REASON]}" for unit in units
    )
    could_change = None
    if winner is not None:
        touched = {unit.artifact_id for unit in evaluations}
        touched |= {one for unit in comparisons for one in (unit.a_id, unit.b_id)}
        if winner.artifact_id not in touched:
            rivals = [rival for rival in rivals if rival.artifact_id in touched]
        others = [rival.artifact_id for rival in rivals]
        could_change = what_if.could_change(view, judged.config, winner.artifact_id, others)
    return MissingJudgements(
        evaluations=len(evaluations),
        comparisons=len(comparisons),
        reasons=tuple(f"{count} × {reason}" for reason, count in reasons.most_common()),
        could_change=could_change,
    )


def _fusion(fusion: Fusion, names: dict[str, str], config: Config) -> NamedFusion:
    return NamedFusion(
        name=names[fusion.artifact_id],
        parent=names.get(fusion.parent_id, fusion.parent_id),
        better=fusion.better,
        needed=config.playoffs.min_confidence,
        games=fusion.games,
        lift=fusion.lift,
        lift_low=fusion.lift_low,
        lift_high=fusion.lift_high,
    )


def _notes(judged: JudgedDocument, winner: Contender | None) -> Iterator[str]:
    view = judged.view
    failed = [one for one in view.artifacts if one.state in ("failed", "cancelled")]
    if failed:
        yield f"{len(failed)} of {len(view.artifacts)} candidates were not written: {_why(failed)}"
    if view.document.state == "running":
        yield "The document is not finished; nothing of this is decided."
    elif winner is not None and what_if.winner(view, judged.config) != winner.artifact_id:
        yield "This version of ACM ranks otherwise than the one that chose the winner."


def _why(failed: Sequence[Artifact]) -> str:
    reasons = dict.fromkeys((one.error or one.state)[:_LONGEST_REASON] for one in failed)
    return "; ".join(reasons)
