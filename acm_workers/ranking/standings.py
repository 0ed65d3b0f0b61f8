"""Standings: scores, ratings and beliefs as one order."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acm_workers.ranking import scores, selection
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import RankingMethod
from schemas.ranking import Estimate, Rating, ScoreSummary, Standing
from schemas.units import Artifact

if TYPE_CHECKING:  # both import numpy, which the command line does not need to start
    from acm_workers.ranking.bradley_terry import BradleyTerry
    from acm_workers.ranking.posterior import Posterior

_ELO_SHARE = 0.6
_SCORE_SHARE = 0.4


class _Known(NamedTuple):
    """What is known of one candidate.

    Attributes:
        belief: Its strength by the posterior; absent where it is not one of its candidates.
        fitted: Its strength by Bradley-Terry; absent where it played no game.
    """

    artifact: Artifact
    summary: ScoreSummary | None
    rating: Rating | None
    admitted: bool
    p_best: float | None
    belief: Estimate | None
    fitted: Estimate | None

    @property
    def overall(self) -> float | None:
        return None if self.summary is None else self.summary.overall

    @property
    def score(self) -> float | None:
        """Overall score; absent where it is on another scale than that of the others."""
        return self.overall if self.summary is not None and self.summary.same_scale else None

    @property
    def elo(self) -> float | None:
        """Rating in points; absent if it played no game."""
        return self.rating.points if self.rating is not None and self.rating.games else None

    @property
    def nothing(self) -> bool:
        """Whether there is neither a score nor a game to rank it by."""
        return self.score is None and self.elo is None

    @property
    def wins(self) -> int:
        return 0 if self.rating is None else self.rating.wins

    @property
    def spread(self) -> float:
        """Standard deviation of the single scores; the unknown one counts as the widest."""
        if self.summary is None or self.summary.std_dev is None:
            return math.inf
        return self.summary.std_dev


def standings(
    artifacts: Sequence[Artifact],
    summaries: Mapping[str, ScoreSummary],
    ratings: Mapping[str, Rating],
    config: Config,
    *,
    posterior: "Posterior | None" = None,
    bradley_terry: "BradleyTerry | None" = None,
) -> list[Standing]:
    """Return the final ranking of the artifacts that are done, best first.

    ``auto`` is ``posterior`` where pairs are chosen adaptively, else ``combined``; where nothing
    was compared and there is no posterior, scores decide. ``posterior`` orders by the probability
    of being the best one, which is what a winner is chosen for, and then by strength; the first
    to two decimals and the second to whole points, for draws tell no more.

    Those admitted to comparisons come before those that were not, which are ordered by their
    overall score. Admitted are, for ``posterior``, all that it knows, as adaptive may have had no
    reason to ask about some; for the others, those that were compared. Nothing missing is filled
    in: a candidate is ranked by what is known of it, and last if that is nothing. Equal ones:
    more wins, then scores closer together, then the newer one.

    Args:
        artifacts: Of one document.
        summaries: By artifact id; absent for those without any score.
        ratings: By artifact id.
        config: Its criteria, pairwise and ranking count.
        posterior: Of those admitted to comparisons, or of all where nothing was compared.
        bradley_terry: Of those that were compared; needed by the method of that name only.

    Raises:
        ValueError: The method needs what was not given.
    """
    compared = any(rating.games for rating in ratings.values())
    method = _method(config, posterior, bradley_terry, compared=compared)
    known = []
    for artifact in artifacts:
        if artifact.state == "done":
            one = _known(artifact, summaries, ratings, posterior, bradley_terry)
            believed = method == "posterior" and one.p_best is not None
            admitted = believed or one.elo is not None or not compared
            known.append(one._replace(admitted=admitted))
    newest_first = sorted(
        known, key=lambda one: (one.artifact.created_at, one.artifact.id), reverse=True
    )
    ordered = sorted(newest_first, key=lambda one: _key(one, method))
    highest = _highest(config.criteria)
    places = [
        selection.RankedQuality(_level(one, method, highest, compared=compared), one.admitted)
        for one in ordered
    ]
    chosen = selection.choices(places, config.ranking.top_n)
    return [
        _standing(one, rank, method, choice)
        for rank, (one, choice) in enumerate(zip(ordered, chosen, strict=True), start=1)
    ]


def resolved(config: Config, *, believed: bool, compared: bool) -> RankingMethod:
    """Return what a ranking goes by, without ``auto``.

    Args:
        config: Its ranking and pairwise count.
        believed: Whether there is a posterior.
        compared: Whether any candidate was compared.
    """
    method = config.ranking.method
    if method == "auto":
        adaptive = config.pairwise.strategy == "adaptive" and config.comparing_judges
        method = "posterior" if adaptive and believed else "combined"
    if method == "posterior" and believed:
        return method  # which scores alone have, too
    return method if compared else "score"


def _method(
    config: Config,
    posterior: "Posterior | None",
    bradley_terry: "BradleyTerry | None",
    *,
    compared: bool,
) -> RankingMethod:
    method = resolved(config, believed=posterior is not None, compared=compared)
    lacking = {"posterior": posterior is None, "bradley_terry": bradley_terry is None}
    if lacking.get(method):
        raise ValueError(f"ranking by {method} needs what {method} says")
    return method


def _known(
    artifact: Artifact,
    summaries: Mapping[str, ScoreSummary],
    ratings: Mapping[str, Rating],
    posterior: "Posterior | None",
    bradley_terry: "BradleyTerry | None",
) -> _Known:
    return _Known(
        artifact,
        summaries.get(artifact.id),
        ratings.get(artifact.id),
        admitted=False,
        p_best=None if posterior is None else posterior.p_best.get(artifact.id),
        belief=None if posterior is None else posterior.estimates.get(artifact.id),
        fitted=None if bradley_terry is None else bradley_terry.estimates.get(artifact.id),
    )


def _rank_score(one: _Known, method: RankingMethod) -> float | None:
    if one.nothing:
        return None
    if method == "posterior":
        return one.score if one.p_best is None else one.p_best
    if method == "score" or one.elo is None:
        return one.score
    if method == "bradley_terry":
        return one.score if one.fitted is None else one.fitted.points
    if method == "elo":
        return one.elo
    points = (one.elo - 1000) / 100
    # A candidate whose evaluations all failed is ranked by what its games say, on the same scale.
    return points if one.score is None else _ELO_SHARE * points + _SCORE_SHARE * one.score


def _key(one: _Known, method: RankingMethod) -> tuple[bool, bool, float, float, int, float]:
    score = _rank_score(one, method)
    believed = method == "posterior" and one.p_best is not None
    strength = one.belief.points if believed and one.belief is not None else 0.0
    # Rounded, lest the order of additions decide between equal ones, or the noise of draws.
    return (
        not one.admitted,
        score is None,
        0.0 if score is None else -round(score, 2 if believed else 9),
        -round(strength),
        -one.wins,
        round(one.spread, 9),
    )


def _highest(criteria: Sequence[Criterion]) -> float:
    # At least 1, for a scale may end at 0 or below.
    return max(scores.overall({each.name: each.max for each in criteria}, criteria), 1.0)


def _level(one: _Known, method: RankingMethod, highest: float, *, compared: bool) -> float | None:
    """Return how good it is on a scale from 0 to 1: points from 1000 to 2000, scores from 0.

    A probability of being the best one would say how many others are as good, and strength alone
    nothing of how good they all are: for ``posterior`` it is the level of ``combined`` with the
    strength in the place of Elo.
    """
    if _rank_score(one, method) is None:
        return None
    score = None if one.score is None else one.score / highest
    points = _points(one, method, compared=compared)
    if points is None or method in ("elo", "bradley_terry") or score is None:
        level = score if points is None else (points - 1000) / 1000
    else:
        # Weighed as the rank score is, with the ends of both scales at 1.
        share = _ELO_SHARE * 10, _SCORE_SHARE * highest
        level = (share[0] * (points - 1000) / 1000 + share[1] * score) / sum(share)
    return None if level is None else min(max(level, 0.0), 1.0)


def _points(one: _Known, method: RankingMethod, *, compared: bool) -> float | None:
    """Return the strength that its level takes into account, in points."""
    if method == "score" or not compared:
        return None
    if method == "posterior":
        return None if one.belief is None else one.belief.points
    if method == "bradley_terry":
        return None if one.fitted is None else one.fitted.points
    return one.elo


def _standing(
    one: _Known, rank: int, method: RankingMethod, choice: selection.TopNChoice
) -> Standing:
    return Standing(
        artifact_id=one.artifact.id,
        rank=rank,
        admitted=one.admitted,
        rank_score=_rank_score(one, method),
        overall=one.overall,
        elo=one.elo,
        wins=one.wins,
        games=0 if one.rating is None else one.rating.games,
        selected=choice.selected,
        reason=choice.reason,
        p_best=one.p_best,
        posterior=one.belief,
        bradley_terry=one.fitted,
    )
