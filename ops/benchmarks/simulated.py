"""Simulated candidates with known qualities, and simulated judges with errors.

Qualities are standard normal. A judge prefers the first text with log odds of ``sharpness`` times
the difference of the qualities plus a position bias (Bradley-Terry). A score is the quality plus an
error of the candidate and an error of the evaluation.
"""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from acm_workers.ranking import score_effects
from acm_workers.ranking.comparison_state import ComparisonRound, ComparisonState
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.posterior import posterior
from schemas.config.judging import Judge, Pairwise
from schemas.ranking import JudgeScores, ScoreSummary
from schemas.units import Comparison
from tests.support import judging_records

POSITION_BIAS = 0.5
KEPT_ERROR = 0.6
EVALUATION_ERROR = 1.05
EVALUATIONS = 3
"""Together an error of 0.85 of the mean score: the best by score is the best one of 6, 10 and 20
in 55, 48 and 41 % of all cases. 45 % of the variance of a single score is its own."""


class Case(NamedTuple):
    """Candidates with hidden qualities, and their known scores."""

    quality: dict[str, float]
    summaries: dict[str, ScoreSummary]

    @property
    def ids(self) -> tuple[str, ...]:
        """Return all candidates, in a fixed order."""
        return tuple(self.quality)

    @property
    def best(self) -> str:
        """Return the best candidate."""
        return max(self.quality, key=self.quality.__getitem__)


class PlayedComparisons(NamedTuple):
    """The comparisons of a simulated document, until its strategy stopped."""

    comparisons: list[Comparison]
    rounds: int
    ended: str


def case(candidates: int, draw: random.Random) -> Case:
    """Return candidates and their scores."""
    quality = {f"c{number}": draw.gauss(0, 1) for number in range(candidates)}
    return Case(quality, {one: judged(one, of, draw) for one, of in quality.items()})


def panel(judges: int) -> tuple[Judge, ...]:
    """Return a number of judges with equal weights."""
    return tuple(judging_records.judge(f"j{number}") for number in range(judges))


def play(
    found: Case,
    judges: tuple[Judge, ...],
    pairwise: Pairwise,
    answer: Callable[[PlannedPair], Comparison],
    next_round: Callable[[ComparisonState], ComparisonRound],
    *,
    seed: int = 0,
) -> PlayedComparisons:
    """Process rounds until the strategy stops."""
    comparisons: list[Comparison] = []
    rounds = 0
    while True:
        field = ComparisonState(found.ids, (), found.summaries, comparisons, judges, pairwise, seed)
        asked = next_round(field)
        if not asked.pairs:
            return PlayedComparisons(comparisons, rounds, asked.ended)
        comparisons += [answer(pair) for pair in asked.pairs]
        rounds += 1


def judging(
    found: Case, sharpness: float, draw: random.Random, bias: float = POSITION_BIAS
) -> Callable[[PlannedPair], Comparison]:
    """Return a function that draws verdicts of a judge."""

    def answer(pair: PlannedPair) -> Comparison:
        odds = sharpness * (found.quality[pair.a] - found.quality[pair.b]) + bias
        won = draw.random() < 1 / (1 + math.exp(-odds))
        return judging_records.comparison(
            (pair.a, pair.b), "a" if won else "b", judge=pair.judge, iteration=pair.iteration
        )

    return answer


def likeliest(found: Case, comparisons: Sequence[Comparison], judges: tuple[Judge, ...]) -> str:
    """Return the candidate that is most likely the best by scores and comparisons."""
    p_best = posterior(
        found.ids, score_effects.estimate(found.summaries), comparisons, judges
    ).p_best
    return max(p_best, key=p_best.__getitem__)


def judged(one: str, quality: float, draw: random.Random) -> ScoreSummary:
    """Return the scores of a candidate by three judges."""
    kept = draw.gauss(0, KEPT_ERROR)
    scores = [quality + kept + draw.gauss(0, EVALUATION_ERROR) for _ in range(EVALUATIONS)]
    return summary(one, scores)


def summary(one: str, scores: Sequence[float]) -> ScoreSummary:
    """Return the score summary of a candidate with overall scores of several judges."""
    judges = {f"j{number}": score for number, score in enumerate(scores)}
    return ScoreSummary(
        artifact_id=one, overall=statistics.fmean(scores), criteria={}, by_judge=judges,
        std_dev=statistics.stdev(scores) if len(scores) > 1 else None, lowest=min(scores),
        highest=max(scores), confidence=None, count=len(scores), missing=0,
        judges=tuple(JudgeScores(judge=judge, weight=1.0, overall=score, singles=(score,))
                     for judge, score in judges.items()),
    )  # fmt: skip
