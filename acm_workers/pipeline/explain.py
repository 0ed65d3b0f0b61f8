"""Explanations of a winner from stored and from hypothetical results; pure.

The same functions compute hypothetical rankings and the real ranking.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType

from acm_workers import causes
from acm_workers.pipeline.document_ranking import rank, summaries
from acm_workers.pipeline.ranking_diff import JudgedDocument
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import fusion, games, score_effects, scores, standings
from acm_workers.ranking.games import Game
from acm_workers.ranking.score_effects import Noise
from schemas import lanes
from schemas.config.config import Config
from schemas.explained import (
    DirectComparisons,
    ExplainedCandidate,
    Explanation,
    HypotheticalChange,
    MissingJudgements,
    NamedFusion,
)
from schemas.ranking import Fusion
from schemas.units import ENDED, Comparison, Evaluation, Remark

_RIVALS = 3
"""Number of other candidates for which winning conditions are computed."""

_IMAGINED = 1000
"""Iteration of the first hypothetical comparison, higher than all planned ones."""
MOST_WINS = 6
"""Maximum number of hypothetical comparisons for one candidate."""
_LONGEST_REASON = 160
"""Maximum length of a reason, in characters."""


def explain(
    judged: JudgedDocument,
    fusions: Sequence[Fusion],
    remarks: Mapping[str, tuple[Remark, ...]] = MappingProxyType({}),
) -> Explanation:
    """Explain why the winner of the document won.

    Args:
        judged: The document with its stored standings.
        fusions: The stored fusions of the document.
        remarks: The judges' remarks in addition to their scores, by artifact.
    """
    snapshot, config = judged.snapshot, judged.config
    document = snapshot.document
    names = {artifact.id: artifact.name for artifact in snapshot.artifacts}
    played = games.games(snapshot.comparisons, tie_below=config.pairwise.tie_below_confidence)
    known = {one.artifact_id: one for one in _contenders(judged, played, remarks)}
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
        candidates=len(snapshot.candidates),
        winner=winner,
        runner_up=rivals[0] if rivals else None,
        direct=_direct(played, winner, rivals[0] if rivals else None),
        what_if=tuple(_what_if(judged, winner, rivals[:_RIVALS])) if winner else (),
        missing=_missing(judged, winner, rivals),
        fusions=tuple(_fusion(one, names, judged) for one in fusions if one.artifact_id in names),
        notes=tuple(_notes(judged, winner)),
    )


def _contenders(
    judged: JudgedDocument, played: Sequence[Game], remarks: Mapping[str, tuple[Remark, ...]]
) -> Iterator[ExplainedCandidate]:
    snapshot = judged.snapshot
    standings = {standing.artifact_id: standing for standing in judged.standings}
    found = summaries(snapshot, judged.config)
    for artifact in snapshot.candidates:
        summary, standing = found.get(artifact.id), standings.get(artifact.id)
        points = [_points(game, artifact.id) for game in played]
        yield ExplainedCandidate(
            artifact_id=artifact.id,
            name=artifact.name,
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
            remarks=remarks.get(artifact.id, ()),
        )


def _points(game: Game, one: str) -> float | None:
    if one not in (game.a, game.b):
        return None
    return game.score_a if game.a == one else 1 - game.score_a


def _direct(
    played: Sequence[Game], winner: ExplainedCandidate | None, other: ExplainedCandidate | None
) -> DirectComparisons:
    if winner is None or other is None:
        return DirectComparisons(wins=0, losses=0, ties=0)
    between = [game for game in played if {game.a, game.b} == _ids(winner, other)]
    points = [_points(game, winner.artifact_id) for game in between]
    return DirectComparisons(
        wins=points.count(1.0), losses=points.count(0.0), ties=points.count(0.5)
    )


def _ids(*contenders: ExplainedCandidate) -> set[str]:
    return {one.artifact_id for one in contenders}


def _what_if(
    judged: JudgedDocument, winner: ExplainedCandidate, rivals: Sequence[ExplainedCandidate]
) -> Iterator[HypotheticalChange]:
    """Yield the hypothetical changes that would make each rival win."""
    snapshot, config = judged.snapshot, judged.config
    for rival in rivals:
        compared = bool(config.comparing_judges) and bool(snapshot.comparisons)
        wins = None
        if compared:
            wins = wins_needed(snapshot, config, winner.artifact_id, rival.artifact_id)
        gap = None
        if not compared and winner.overall is not None and rival.overall is not None:
            gap = winner.overall - rival.overall
        yield HypotheticalChange(
            artifact_id=rival.artifact_id,
            name=rival.name,
            wins_needed=wins,
            tried=MOST_WINS if compared else 0,
            score_needed=gap,
        )


def _missing(
    judged: JudgedDocument, winner: ExplainedCandidate | None, rivals: Sequence[ExplainedCandidate]
) -> MissingJudgements | None:
    snapshot = judged.snapshot
    evaluations = [unit for unit in snapshot.evaluations if is_missing(unit)]
    comparisons = [unit for unit in snapshot.comparisons if is_missing(unit)]
    if not evaluations and not comparisons:
        return None
    units: tuple[Evaluation | Comparison, ...] = (*evaluations, *comparisons)
    by_judge: dict[str, list[str]] = {}
    for unit in units:
        by_judge.setdefault(unit.judge, []).append(unit.error or unit.state)
    reasons = [
        (count, f"judge {judge}: {reason[:_LONGEST_REASON]}")
        for judge, errors in by_judge.items()
        for reason, count in causes.counted(errors)
    ]
    could_change = None
    if winner is not None:
        touched = {unit.artifact_id for unit in evaluations}
        touched |= {one for unit in comparisons for one in (unit.a_id, unit.b_id)}
        if winner.artifact_id not in touched:
            rivals = [rival for rival in rivals if rival.artifact_id in touched]
        others = [rival.artifact_id for rival in rivals]
        could_change = could_change_winner(snapshot, judged.config, winner.artifact_id, others)
    return MissingJudgements(
        evaluations=len(evaluations),
        comparisons=len(comparisons),
        reasons=tuple(f"{count} × {reason}" for count, reason in sorted(reasons, reverse=True)),
        could_change=could_change,
    )


def _fusion(fusion: Fusion, names: dict[str, str], judged: JudgedDocument) -> NamedFusion:
    made_from = {one.id: one.parents for one in judged.snapshot.artifacts}[fusion.artifact_id]
    return NamedFusion(
        name=names[fusion.artifact_id],
        parent=names.get(fusion.parent_id, fusion.parent_id),
        parents=tuple(names.get(one, one) for one in made_from),
        better=fusion.better,
        needed=judged.config.playoffs.min_confidence,
        games=fusion.games,
        lift=fusion.lift,
        lift_low=fusion.lift_low,
        lift_high=fusion.lift_high,
    )


def _notes(judged: JudgedDocument, winner: ExplainedCandidate | None) -> Iterator[str]:
    snapshot = judged.snapshot
    failed = [one for one in snapshot.artifacts if one.state in ("failed", "cancelled")]
    if failed:
        errors = [one.error or one.state for one in failed]
        reasons = [reason[:_LONGEST_REASON] for reason, _ in causes.counted(errors)]
        count = f"{len(failed)} of {len(snapshot.artifacts)}"
        yield f"{count} candidates were not written: {'; '.join(reasons)}"
    for one in snapshot.barred[:_RIVALS]:
        gates = "; ".join(f"{check.name}: {check.reason}" for check in one.checks if check.bars)
        yield f"{one.name} cannot win, as it does not pass {gates[:_LONGEST_REASON]}"
    if len(snapshot.barred) > _RIVALS:
        yield f"{len(snapshot.barred) - _RIVALS} more do not pass the checks."
    if snapshot.document.state == "running":
        yield "The document is not finished; its winner may change."
    elif winner is not None and current_winner(snapshot, judged.config) != winner.artifact_id:
        yield "This version of ACM ranks differently from the one that chose the winner."


def current_winner(
    snapshot: DocumentSnapshot, config: Config, noise: Noise | None = None
) -> str | None:
    """Return the winner by the results so far; see ``rank``."""
    found = rank(snapshot, config, noise=noise)
    needed = config.playoffs.min_confidence
    return fusion.winner(found.standings, snapshot.candidates, found.fusions, needed)[0]


def wins_needed(snapshot: DocumentSnapshot, config: Config, best: str, other: str) -> int | None:
    """Return the number of consecutive wins against ``best`` that make ``other`` the winner.

    None if ``MOST_WINS`` are not enough.
    """
    for count in range(1, MOST_WINS + 1):
        imagined = _imagined_wins(snapshot, config, other, best, count)
        changed = snapshot._replace(comparisons=[*snapshot.comparisons, *imagined])
        if current_winner(changed, config) == other:
            return count
    return None


def could_change_winner(
    snapshot: DocumentSnapshot, config: Config, best: str, others: Sequence[str]
) -> bool:
    """Return whether missing results could make another candidate win.

    For each of ``others``, assume that all its missing results are the best possible, and that all
    missing results of the winner are the worst possible.
    """
    # Imagined scores are the most extreme ones, and would make all scores look noisy.
    noise = score_effects.estimate_noise(summaries(snapshot, config))
    return any(
        current_winner(_worst_case(snapshot, config, best, other), config, noise)
        not in (best, None)
        for other in others
    )


def is_missing(unit: Evaluation | Comparison) -> bool:
    """Return whether a judgement ended without a result."""
    return unit.state in ENDED and unit.state != "done"


def _imagined_wins(
    snapshot: DocumentSnapshot, config: Config, better: str, worse: str, count: int
) -> list[Comparison]:
    """Return comparisons that ``better`` won, by all judges in turn, in alternating order."""
    last = max(
        (unit.finished_at or unit.created_at for unit in snapshot.comparisons),
        default=snapshot.document.created_at,
    )
    turns = itertools.islice(itertools.cycle(config.comparing_judges), count)
    found = []
    for number, judge in enumerate(turns):
        first = number // max(len(config.comparing_judges), 1) % 2 == 0
        a, b = (better, worse) if first else (worse, better)
        found.append(
            Comparison(
                id=f"imagined {number:03d}",
                run_id=snapshot.document.run_id,
                document_id=snapshot.document.id,
                a_id=a,
                b_id=b,
                judge=judge.name,
                provider=judge.provider,
                model=judge.model,
                lane=lanes.judge(judge.provider),
                iteration=_IMAGINED + number,
                state="done",
                winner="a" if first else "b",
                confidence=1.0,
                created_at=last,
                finished_at=last + timedelta(seconds=number + 1),
            )
        )
    return found


def _worst_case(
    snapshot: DocumentSnapshot, config: Config, best: str, other: str
) -> DocumentSnapshot:
    """Return the snapshot with missing results decided for ``other`` and against ``best``."""
    combined = {artifact.id: artifact.combined for artifact in snapshot.artifacts}

    def scored(unit: Evaluation, pick: Callable[[float, float], float]) -> Evaluation:
        criteria = config.criteria_of(combined=combined[unit.artifact_id])
        given = {each.name: float(pick(each.min, each.max)) for each in criteria}
        overall = scores.overall(given, criteria)
        return unit.model_copy(update={"state": "done", "scores": given, "overall": overall})

    evaluations = [
        scored(unit, max if unit.artifact_id == other else min)
        if is_missing(unit) and unit.artifact_id in (best, other)
        else unit
        for unit in snapshot.evaluations
    ]
    comparisons = [
        unit.model_copy(update={"state": "done", "winner": won, "confidence": 1.0})
        if is_missing(unit) and (won := _verdict_for(unit, best, other)) is not None
        else unit
        for unit in snapshot.comparisons
    ]
    return snapshot._replace(evaluations=evaluations, comparisons=comparisons)


def _verdict_for(unit: Comparison, best: str, other: str) -> str | None:
    """Return the verdict in favour of ``other``; None if the comparison concerns neither."""
    if other in (unit.a_id, unit.b_id):
        return "a" if unit.a_id == other else "b"
    if best in (unit.a_id, unit.b_id):
        return "b" if unit.a_id == best else "a"
    return None
