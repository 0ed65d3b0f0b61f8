"""How much better a combined text is, and in which words its ranking is told."""

import numpy as np
import pytest

from acm_workers.ranking.fusion import fusions, winner
from acm_workers.ranking.games import Game
from acm_workers.ranking.posterior import Posterior
from acm_workers.ranking.score_effects import estimate
from schemas.config.ranking import RankingMethod
from schemas.ranking import Fusion, ScoreSummary, Standing
from tests.support.judging_records import artifact, judge_scores, summaries

BOTH = [artifact("p"), artifact("c", parents=("p",))]


def standing(
    name: str,
    rank: int,
    *,
    overall: float | None = 7.0,
    games: int = 2,
    p_best: float | None = None,
) -> Standing:
    return Standing(
        artifact_id=name, rank=rank, admitted=True, rank_score=7.0, overall=overall, elo=None,
        wins=0, games=games, selected=True, reason="", p_best=p_best,
    )  # fmt: skip


def summary(
    overall: float, std_dev: float | None, count: int, *, same_scale: bool = True
) -> ScoreSummary:
    return ScoreSummary(
        artifact_id="any", overall=overall, criteria={}, by_judge={}, std_dev=std_dev,
        lowest=overall, highest=overall, confidence=None, count=count, missing=0,
        same_scale=same_scale,
        judges=(judge_scores(overall, count=count, std_dev=std_dev),),
    )  # fmt: skip


RANKED = [standing("c", 1), standing("p", 2)]


def test_lift_has_the_interval_of_a_difference_of_means() -> None:
    """The judge's opinion has a variance of 0.72² = 0.5184, as expected on a scale of 9.

    Its error is pooled with as much: (2 x 0.5184 + 6 x 1) / 8 = 0.8796. With four iterations the
    difference has an error of sqrt(2 x (0.5184 + 0.8796 / 4)) = 1.2152, times 1.96.
    """
    scored = {"c": summary(8.0, 1.0, 4), "p": summary(7.0, 1.0, 4)}

    found = fusions(BOTH, [], estimate(scored), RANKED)[0]

    assert found.lift == 1.0
    assert found.lift_low == pytest.approx(1 - 2.3817, abs=1e-4)
    assert found.lift_high == pytest.approx(1 + 2.3817, abs=1e-4)


def test_interval_of_the_lift_leaves_zero_out_where_better_is_nearly_certain() -> None:
    scored = {"c": summary(8.0, 0.6, 9), "p": summary(5.0, 0.6, 9)}

    found = fusions(BOTH, [], estimate(scored), RANKED)[0]

    assert found.lift_low is not None
    assert found.lift_low > 0
    assert found.better > 0.975


def test_lift_of_single_scores_has_no_interval() -> None:
    scored = {"c": summary(8.0, None, 1), "p": summary(7.0, None, 1)}

    found = fusions(BOTH, [], estimate(scored), RANKED)[0]

    assert (found.lift, found.lift_low, found.lift_high) == (1.0, None, None)


def test_severe_judge_of_a_parent_alone_makes_no_lift() -> None:
    others = {f"o{number}": {"a": [3.0], "b": [4.4]} for number in range(12)}
    scored = summaries({**others, "c": {"a": [3.0], "b": [4.4]}, "p": {"a": [3.0]}})

    found = fusions(BOTH, [], estimate(scored), RANKED)[0]

    assert scored["c"].overall - scored["p"].overall == pytest.approx(0.7)
    assert found.lift == pytest.approx(0, abs=0.05)
    assert found.better == pytest.approx(0.5, abs=0.05)


def test_scores_on_different_scales_make_no_lift_and_tell_nothing() -> None:
    scored = {"c": summary(9.9, 0.5, 4, same_scale=False), "p": summary(2.0, 0.5, 4)}

    found = fusions(BOTH, [], estimate(scored), RANKED)[0]

    assert (found.lift, found.lift_low, found.lift_high) == (None, None, None)
    assert found.better == 0.5


def test_better_is_what_the_posterior_believes_of_both() -> None:
    draws = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [0.0, 3.0]])
    believed = Posterior({"p": 0.25, "c": 0.75}, {}, (), draws)

    found = fusions(BOTH, [Game("p", "c", 1.0)], None, RANKED, believed)[0]

    assert (found.better, found.games) == (0.75, 1)


def test_better_rests_on_games_where_the_posterior_does_not_know_both() -> None:
    believed = Posterior({"p": 1.0}, {}, (), np.zeros((1, 1)))

    found = fusions(BOTH, [Game("p", "c", 0.0)], None, RANKED, believed)[0]

    assert found.better == pytest.approx(2 / 3)


def test_reason_names_the_probability_of_being_the_best() -> None:
    ranked = [standing("p", 1, p_best=0.934), standing("q", 2, p_best=0.066)]

    assert winner(ranked, [artifact("p"), artifact("q")], [], 0.5) == (
        "p",
        "Rank 1 of 2 by scores and comparisons; the best one with a probability of 0.93.",
    )


@pytest.mark.parametrize(("p_best", "words"), [(0.996, "more than 0.99"), (0.994, "0.99")])
def test_probability_is_never_told_as_certain(p_best: float, words: str) -> None:
    ranked = [standing("p", 1, p_best=p_best), standing("q", 2, p_best=1 - p_best)]

    assert winner(ranked, [], [], 0.5)[1].endswith(f"with a probability of {words}.")


@pytest.mark.parametrize(
    ("method", "overall", "basis"),
    [
        ("combined", 7.0, "scores and comparisons"),
        ("combined", None, "comparisons, as it has no score"),
        ("posterior", 7.0, "scores and comparisons"),
        ("score", 7.0, "scores"),
        ("elo", 7.0, "comparisons"),
        ("bradley_terry", 7.0, "comparisons"),
    ],
)
def test_reason_says_what_the_rank_rests_on(
    method: RankingMethod, overall: float | None, basis: str
) -> None:
    ranked = [standing("p", 1, overall=overall), standing("q", 2)]

    assert winner(ranked, [], [], 0.5, method)[1] == f"Rank 1 of 2 by {basis}."


def test_reason_says_that_scores_of_another_scale_were_not_counted() -> None:
    fusion = Fusion(artifact_id="c", parent_id="p", better=0.8, games=2, lift=None)

    assert winner(RANKED, BOTH, [fusion], 0.5)[1] == (
        "Rank 1 of 2 by comparisons, as its scores are on a scale of their own."
    )
