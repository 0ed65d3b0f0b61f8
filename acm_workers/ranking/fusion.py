"""Fusion: whether a combined candidate is better than its parents, and which candidate wins."""

import math
from collections.abc import Sequence, Set
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple

from acm_workers.ranking.games import Game
from schemas.config.ranking import RankingMethod
from schemas.ranking import Fusion, Standing
from schemas.units import Artifact

if TYPE_CHECKING:  # both import numpy, which the command line does not need to start
    from acm_workers.ranking.posterior import Posterior
    from acm_workers.ranking.score_effects import ScoreEffects

_NORMAL = NormalDist()
_IN_INTERVAL = 0.95


class _Lift(NamedTuple):
    """Difference of two overall scores, corrected for the judges' leniency.

    Attributes:
        error: Standard error of the difference.
        measured: Whether the error is estimated from scores; else it is assumed.
    """

    points: float
    error: float
    measured: bool


def fusions(
    artifacts: Sequence[Artifact],
    games: Sequence[Game],
    effects: "ScoreEffects | None",
    standings: Sequence[Standing],
    posterior: "Posterior | None" = None,
) -> list[Fusion]:
    """Return how each combined artifact compares with its best parent.

    The probability that it is better comes from the posterior of both if there is one, otherwise
    from their games against each other, otherwise from their scores. Scores on different scales are
    not compared.

    Args:
        artifacts: Artifacts of one document.
        games: Games, with both orders of a pair merged.
        effects: Effects of the candidates with comparable scores; absent if there are none.
        standings: Standings of the same document; a combined artifact is left out if it or all its
            parents are not ranked.
        posterior: Posterior of scores and comparisons.
    """
    rank = {standing.artifact_id: standing.rank for standing in standings}
    found = []
    for artifact in artifacts:
        parents = [parent for parent in artifact.parents if parent in rank]
        if artifact.combined and artifact.id in rank and parents:
            parent = min(parents, key=lambda one: rank[one])
            found.append(_fusion(artifact.id, parent, games, effects, posterior))
    return found


def winner(
    standings: Sequence[Standing],
    artifacts: Sequence[Artifact],
    fusions: Sequence[Fusion],
    min_confidence: float,
    method: Literal["auto"] | RankingMethod = "auto",
) -> tuple[str | None, str]:
    """Return the id of the highest-ranked artifact that may win, and the reason.

    A combined artifact may win only if it is better than its best parent with a probability of at
    least ``min_confidence``. If there are several artifacts without any result, there is no winner.
    The reason names the basis of the rank and, if known, the probability of being the best.

    Args:
        standings: Standings of one document.
        artifacts: Artifacts of the same document.
        fusions: Fusions of its combined artifacts.
        min_confidence: Probability from 0 to 1.
        method: Method of the standings.
    """
    if not standings:
        return None, "There is no candidate."
    combined = {artifact.id for artifact in artifacts if artifact.combined}
    better = {fusion.artifact_id: fusion.better for fusion in fusions}
    passed: list[str] = []
    for standing in sorted(standings, key=lambda one: one.rank):
        chance = better.get(standing.artifact_id, 0.5)
        if standing.artifact_id in combined and chance < min_confidence:
            passed.append(_passed_over(standing, chance, min_confidence))
            continue
        if standing.rank_score is None and len(standings) > 1:
            break
        return standing.artifact_id, " ".join(
            [_reason(standing, standings, fusions, method), *passed]
        )
    return None, " ".join(["No candidate has a score or a comparison to win by.", *passed])


def _fusion(
    child: str,
    parent: str,
    games: Sequence[Game],
    effects: "ScoreEffects | None",
    posterior: "Posterior | None",
) -> Fusion:
    direct = [game for game in games if {game.a, game.b} == {child, parent}]
    lift = _lift(effects, child, parent)
    if posterior is not None and {child, parent} <= posterior.p_best.keys():
        better = posterior.beats(child, parent)
    elif direct:
        points = sum(game.score_a if game.a == child else 1 - game.score_a for game in direct)
        # Laplace's rule of succession: one game is a hint, not a certainty.
        better = (points + 1) / (len(direct) + 2)
    else:
        better = 0.5 if lift is None else _NORMAL.cdf(lift.points / lift.error)
    reach = None
    if lift is not None and lift.measured:
        reach = lift.error * _NORMAL.inv_cdf((1 + _IN_INTERVAL) / 2)
    return Fusion(
        artifact_id=child,
        parent_id=parent,
        better=better,
        games=len(direct),
        lift=None if lift is None else lift.points,
        lift_low=None if lift is None or reach is None else lift.points - reach,
        lift_high=None if lift is None or reach is None else lift.points + reach,
    )


def _lift(effects: "ScoreEffects | None", ours: str, theirs: str) -> _Lift | None:
    """Return the difference of two candidates' effects on scores; None if an effect is missing."""
    if effects is None or not {ours, theirs} <= effects.effect.keys():
        return None
    error = math.sqrt(effects.variance[ours] + effects.variance[theirs])
    return _Lift(effects.effect[ours] - effects.effect[theirs], error, effects.measured)


def _reason(
    standing: Standing,
    standings: Sequence[Standing],
    fusions: Sequence[Fusion],
    method: Literal["auto"] | RankingMethod,
) -> str:
    if len(standings) == 1:
        return "It is the only candidate; nothing was compared."
    scored = {one.artifact_id for one in standings if one.overall is not None}
    other_scale = {
        one.artifact_id
        for one in fusions
        if one.lift is None and {one.artifact_id, one.parent_id} <= scored
    }
    if not any(one.games for one in standings):
        basis = "scores, as nothing was compared"
    else:
        basis = _basis(standing, other_scale, method)
    text = f"Rank {standing.rank} of {len(standings)} by {basis}"
    if standing.p_best is not None:
        text += f"; the best one with a probability of {_written_chance(standing.p_best)}"
    return f"{text}."


def _basis(
    standing: Standing, other_scale: Set[str], method: Literal["auto"] | RankingMethod
) -> str:
    if not standing.games:
        return "scores, as it was not compared"
    if method == "score":
        return "scores"
    if method in ("elo", "bradley_terry"):
        return "comparisons"
    if standing.overall is None:
        return "comparisons, as it has no score"
    if standing.artifact_id in other_scale:
        return "comparisons, as its scores are on a scale of their own"
    return "scores and comparisons"


def _written_chance(probability: float) -> str:
    """Format a probability with two decimals, and never as certain: it comes from draws."""
    return f"{probability:.2f}" if probability < 0.995 else "more than 0.99"


def _passed_over(standing: Standing, chance: float, needed: float) -> str:
    return (
        f"The combined candidate on rank {standing.rank} was passed over: it is better than its "
        f"best parent with a probability of {chance:.2f}, and {needed:g} is needed."
    )
