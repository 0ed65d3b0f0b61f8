"""Standings: one ranking from scores, ratings and the posterior, and its top N."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acm_workers.ranking import scores
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import RankingMethod, TopN
from schemas.ranking import Estimate, Rating, ScoreSummary, Standing
from schemas.units import Artifact

if TYPE_CHECKING:  # both import numpy, which the command line does not need to start
    from acm_workers.ranking.bradley_terry import BradleyTerry
    from acm_workers.ranking.posterior import Posterior


_NOT_CHOSEN = "the configuration has no top N"

_ELO_SHARE = 0.6
_SCORE_SHARE = 0.4


class RankedQuality(NamedTuple):
    """The quality of a ranked candidate.

    Attributes:
        level: Quality from 0 to 1; absent if there is no result.
        admitted: Whether the candidate was admitted to comparisons.
    """

    level: float | None
    admitted: bool


class TopNChoice(NamedTuple):
    """The decision whether a candidate is among the best, with the reason."""

    selected: bool
    reason: str


class _CandidateResults(NamedTuple):
    """One candidate with all results that can rank it.

    Attributes:
        posterior: Its strength by the posterior; absent if the posterior does not include it.
        bradley_terry: Its strength by Bradley-Terry; absent if it played no game.
    """

    artifact: Artifact
    summary: ScoreSummary | None
    rating: Rating | None
    admitted: bool
    p_best: float | None
    posterior: Estimate | None
    bradley_terry: Estimate | None

    @property
    def overall(self) -> float | None:
        return None if self.summary is None else self.summary.overall

    @property
    def score(self) -> float | None:
        """Return the overall score; None if it is on a different scale."""
        return self.overall if self.summary is not None and self.summary.same_scale else None

    @property
    def elo(self) -> float | None:
        """Return the rating in points; None if it played no game."""
        return self.rating.points if self.rating is not None and self.rating.games else None

    @property
    def unknown(self) -> bool:
        """Return whether the candidate has neither a score nor a game."""
        return self.score is None and self.elo is None

    @property
    def wins(self) -> int:
        return 0 if self.rating is None else self.rating.wins

    @property
    def spread(self) -> float:
        """Return the standard deviation of the single scores; infinite where it is unknown."""
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

    ``auto`` is ``posterior`` if pairs are chosen adaptively, otherwise ``combined``. If nothing was
    compared and there is no posterior, scores decide. ``posterior`` orders by the probability of
    being the best, because that is the goal of choosing a winner, and then by strength. The
    probability is rounded to two decimals and the strength to whole points, which is the precision
    of the draws.

    Candidates admitted to comparisons come before the others, which are ordered by their overall
    score. For ``posterior``, all of its candidates count as admitted, because an adaptive strategy
    may skip candidates; for other methods, only candidates that were compared. Missing values are
    not filled in: a candidate is ranked by its known results, and last if it has none. Ties are
    broken by more wins, then a smaller spread of scores, then the more recent candidate.

    Args:
        artifacts: Artifacts of one document.
        summaries: Score summary by artifact id; absent for artifacts without any score.
        ratings: Rating by artifact id.
        config: Only criteria, pairwise and ranking are read.
        posterior: Posterior of the candidates admitted to comparisons, or of all if nothing was
            compared.
        bradley_terry: Strengths of the compared candidates; needed only by the method of that name.

    Raises:
        ValueError: The method needs a result that was not given.
    """
    compared = any(rating.games for rating in ratings.values())
    method = _method(config, posterior, bradley_terry, compared=compared)
    known = []
    for artifact in artifacts:
        if artifact.state == "done":
            one = _results_of(artifact, summaries, ratings, posterior, bradley_terry)
            in_posterior = method == "posterior" and one.p_best is not None
            admitted = in_posterior or one.elo is not None or not compared
            known.append(one._replace(admitted=admitted))
    newest_first = sorted(
        known, key=lambda one: (one.artifact.created_at, one.artifact.id), reverse=True
    )
    ordered = sorted(newest_first, key=lambda one: _key(one, method))
    highest = _highest(config.criteria)
    qualities = [
        RankedQuality(_quality(one, method, highest, compared=compared), one.admitted)
        for one in ordered
    ]
    chosen = choose_top_n(qualities, config.ranking.top_n)
    return [
        _standing(one, rank, method, choice)
        for rank, (one, choice) in enumerate(zip(ordered, chosen, strict=True), start=1)
    ]


def choose_top_n(qualities: Sequence[RankedQuality], top_n: TopN | None) -> list[TopNChoice]:
    """Return for each candidate whether it is in the top N, and why; see ``TopN``.

    Args:
        qualities: Qualities of the ranked candidates, best first.
        top_n: Threshold and maximum number of candidates; if absent, no candidate is chosen.
    """
    if top_n is None:
        return [TopNChoice(selected=False, reason=_NOT_CHOSEN)] * len(qualities)
    limit = top_n.most
    chosen: list[TopNChoice] = []
    taken = 0
    for rank, quality in enumerate(qualities, start=1):
        good = _is_good(quality, top_n.threshold)
        filling = not good and rank <= top_n.min
        selected = filling or (good and taken < limit)
        taken += selected
        chosen.append(
            TopNChoice(selected, _selection_reason(quality, top_n, limit, selected=selected))
        )
    return chosen


def resolved(config: Config, *, has_posterior: bool, compared: bool) -> RankingMethod:
    """Return the method of a ranking; never ``auto``.

    Args:
        config: Only ranking and pairwise are read.
        has_posterior: Whether there is a posterior.
        compared: Whether any candidate was compared.
    """
    method = config.ranking.method
    if method == "auto":
        adaptive = config.pairwise.strategy == "adaptive" and config.comparing_judges
        method = "posterior" if adaptive and has_posterior else "combined"
    if method == "posterior" and has_posterior:
        return method  # scores alone have a posterior, too
    return method if compared else "score"


def _method(
    config: Config,
    posterior: "Posterior | None",
    bradley_terry: "BradleyTerry | None",
    *,
    compared: bool,
) -> RankingMethod:
    method = resolved(config, has_posterior=posterior is not None, compared=compared)
    lacking = {"posterior": posterior is None, "bradley_terry": bradley_terry is None}
    if lacking.get(method):
        raise ValueError(f"ranking by {method} needs the result of {method}")
    return method


def _results_of(
    artifact: Artifact,
    summaries: Mapping[str, ScoreSummary],
    ratings: Mapping[str, Rating],
    posterior: "Posterior | None",
    bradley_terry: "BradleyTerry | None",
) -> _CandidateResults:
    return _CandidateResults(
        artifact,
        summaries.get(artifact.id),
        ratings.get(artifact.id),
        admitted=False,
        p_best=None if posterior is None else posterior.p_best.get(artifact.id),
        posterior=None if posterior is None else posterior.estimates.get(artifact.id),
        bradley_terry=None if bradley_terry is None else bradley_terry.estimates.get(artifact.id),
    )


def _rank_score(one: _CandidateResults, method: RankingMethod) -> float | None:
    if one.unknown:
        return None
    if method == "posterior":
        return one.score if one.p_best is None else one.p_best
    if method == "score" or one.elo is None:
        return one.score
    if method == "bradley_terry":
        return one.score if one.bradley_terry is None else one.bradley_terry.points
    if method == "elo":
        return one.elo
    points = (one.elo - 1000) / 100
    # A candidate whose evaluations all failed is ranked by what its games say, on the same scale.
    return points if one.score is None else _ELO_SHARE * points + _SCORE_SHARE * one.score


def _key(
    one: _CandidateResults, method: RankingMethod
) -> tuple[bool, bool, float, float, int, float]:
    score = _rank_score(one, method)
    in_posterior = method == "posterior" and one.p_best is not None
    strength = one.posterior.points if in_posterior and one.posterior is not None else 0.0
    # Rounded, or the order of additions and the noise of draws would break ties.
    return (
        not one.admitted,
        score is None,
        0.0 if score is None else -round(score, 2 if in_posterior else 9),
        -round(strength),
        -one.wins,
        round(one.spread, 9),
    )


def _highest(criteria: Sequence[Criterion]) -> float:
    # At least 1, as a scale may end at 0 or below.
    return max(scores.overall({each.name: each.max for each in criteria}, criteria), 1.0)


def _quality(
    one: _CandidateResults, method: RankingMethod, highest: float, *, compared: bool
) -> float | None:
    """Return a candidate's quality from 0 to 1: points from 1000 to 2000, scores from 0.

    The probability of being the best depends on the number of equally good candidates, and strength
    alone does not show how good all candidates are. For ``posterior``, the quality is therefore
    computed as for ``combined``, with the strength in place of Elo.
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


def _points(one: _CandidateResults, method: RankingMethod, *, compared: bool) -> float | None:
    """Return the strength that is part of the level, in points."""
    if method == "score" or not compared:
        return None
    if method == "posterior":
        return None if one.posterior is None else one.posterior.points
    if method == "bradley_terry":
        return None if one.bradley_terry is None else one.bradley_terry.points
    return one.elo


def _standing(
    one: _CandidateResults, rank: int, method: RankingMethod, choice: TopNChoice
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
        posterior=one.posterior,
        bradley_terry=one.bradley_terry,
    )


def _is_good(quality: RankedQuality, threshold: float) -> bool:
    return quality.admitted and quality.level is not None and quality.level >= threshold


def _selection_reason(quality: RankedQuality, top_n: TopN, limit: int, *, selected: bool) -> str:
    found = _finding(quality, top_n.threshold)
    if _is_good(quality, top_n.threshold):
        return found if selected else f"{found}, but {limit} better ones are taken already"
    return f"{found}, but at least {top_n.min} must be taken" if selected else found


def _finding(quality: RankedQuality, threshold: float) -> str:
    if quality.level is None:
        return "nothing is known of its quality that can be compared"
    if not quality.admitted:
        return "was not compared with the others"
    verb = "reaches" if quality.level >= threshold else "is below"
    return f"its level of {quality.level:.3f} {verb} the threshold of {threshold:g}"
