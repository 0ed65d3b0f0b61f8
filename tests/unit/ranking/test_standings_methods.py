"""Rankings by belief and by Bradley-Terry, and what happens where something is not known."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acm_workers.ranking.bradley_terry import BradleyTerry, fit
from acm_workers.ranking.games import Game
from acm_workers.ranking.posterior import Posterior
from acm_workers.ranking.standings import RankedQuality, choose_top_n, standings
from schemas.config.config import Config
from schemas.config.judging import Criterion, Pairwise
from schemas.config.ranking import RankingMethod, TopN
from schemas.ranking import Estimate, Rating, ScoreSummary, Standing
from tests.support.judging_records import artifact, config


def summary(
    name: str, overall: float, std_dev: float | None = None, *, same_scale: bool = True
) -> ScoreSummary:
    return ScoreSummary(
        artifact_id=name, overall=overall, criteria={}, by_judge={}, std_dev=std_dev,
        lowest=overall, highest=overall, confidence=None, count=1, missing=0,
        same_scale=same_scale,
    )  # fmt: skip


def rating(name: str, points: float, games: int = 2, wins: int = 1) -> Rating:
    return Rating(
        artifact_id=name, points=points, games=games, wins=wins, losses=games - wins, ties=0,
        history=(1500.0, points),
    )  # fmt: skip


def belief(p_best: dict[str, float], points: dict[str, float] | None = None) -> Posterior:
    given = dict.fromkeys(p_best, 1500.0) | (points or {})
    estimates = {
        name: Estimate(points=point, low=point - 100, high=point + 100)
        for name, point in given.items()
    }
    return Posterior(p_best, estimates, (), np.zeros((1, len(p_best))))


def chosen(
    method: RankingMethod | None = None, strategy: str = "adaptive", **kept: object
) -> Config:
    pairwise = Pairwise.model_validate({"strategy": strategy})
    made = config(method=method)
    return made.model_copy(update={"pairwise": pairwise, **kept})


def names(found: list[Standing]) -> str:
    return "".join(one.artifact_id for one in found)


SCORES = {"p": summary("p", 9.0), "q": summary("q", 7.0), "r": summary("r", 5.0)}
PLAYED = {name: rating(name, 1500.0) for name in "pqr"}
THREE = [artifact(name) for name in "pqr"]


def test_posterior_orders_by_the_probability_of_being_the_best() -> None:
    believed = belief({"p": 0.2, "q": 0.7, "r": 0.1}, {"q": 1560.0})

    found = standings(THREE, SCORES, PLAYED, chosen("posterior"), posterior=believed)

    assert names(found) == "qpr"
    assert [one.rank_score for one in found] == [0.7, 0.2, 0.1]
    assert (found[0].p_best, found[0].posterior) == (0.7, believed.estimates["q"])


def test_posterior_orders_by_strength_what_draws_do_not_tell_apart() -> None:
    believed = belief({"p": 0.99, "q": 0.002, "r": 0.004}, {"q": 1480.0, "r": 1390.0})

    found = standings(THREE, SCORES, PLAYED, chosen("posterior"), posterior=believed)

    assert names(found) == "pqr"


def test_posterior_breaks_ties_by_wins_then_by_spread_then_by_age() -> None:
    believed = belief({"p": 0.25, "q": 0.25, "r": 0.25, "s": 0.25})
    known = [artifact("p"), artifact("q"), artifact("r"), artifact("s", created=5)]
    scored = {name: summary(name, 7.0, 0.2 if name == "q" else 0.8) for name in "pqrs"}
    rated = {name: rating(name, 1500.0, wins=2 if name == "r" else 1) for name in "pqrs"}

    found = standings(known, scored, rated, chosen("posterior"), posterior=believed)

    assert names(found) == "rqsp"


def test_auto_believes_the_posterior_only_where_pairs_are_chosen_adaptively() -> None:
    believed = belief({"p": 0.2, "q": 0.7, "r": 0.1})

    adaptive = standings(THREE, SCORES, PLAYED, chosen(), posterior=believed)
    swiss = standings(THREE, SCORES, PLAYED, chosen(strategy="swiss"), posterior=believed)

    assert (names(adaptive), names(swiss)) == ("qpr", "pqr")
    assert [one.p_best for one in swiss] == [0.2, 0.7, 0.1]


def test_candidate_that_adaptive_never_asked_about_is_admitted_by_its_belief() -> None:
    believed = belief({"p": 0.6, "q": 0.3, "r": 0.1})
    rated = {"p": rating("p", 1400.0), "r": rating("r", 1600.0)}

    found = standings(THREE, SCORES, rated, chosen(), posterior=believed)

    assert names(found) == "pqr"
    assert all(one.admitted for one in found)
    assert (found[1].games, found[1].elo, found[1].rank_score) == (0, None, 0.3)


def test_those_the_posterior_does_not_know_rank_below_by_score() -> None:
    believed = belief({"r": 1.0})
    rated = {"r": rating("r", 1500.0)}

    found = standings(THREE, SCORES, rated, chosen(), posterior=believed)

    assert [(one.artifact_id, one.admitted, one.rank_score) for one in found] == [
        ("r", True, 1.0), ("p", False, 9.0), ("q", False, 7.0),
    ]  # fmt: skip


def test_belief_ranks_where_adaptive_had_nothing_to_ask() -> None:
    believed = belief({"p": 0.93, "q": 0.06, "r": 0.01})

    found = standings(THREE, SCORES, {}, chosen(), posterior=believed)

    assert (names(found), found[0].rank_score) == ("pqr", 0.93)
    assert found[0].reason == "its level of 0.900 reaches the threshold of 0.7"


def test_nobody_is_ranked_by_a_belief_that_rests_on_nothing() -> None:
    believed = belief({"p": 0.2, "q": 0.4, "r": 0.4})
    rated = {"p": rating("p", 1500.0)}

    found = standings(THREE, {"q": summary("q", 3.0)}, rated, chosen(), posterior=believed)

    assert [(one.artifact_id, one.rank_score) for one in found] == [
        ("q", 0.4), ("p", 0.2), ("r", None),
    ]  # fmt: skip


def test_bradley_terry_orders_by_strength_and_tells_its_interval() -> None:
    fitted = fit(["p", "q"], [Game("p", "q", 0.0), Game("p", "q", 0.5)])

    found = standings(
        THREE, SCORES, {name: PLAYED[name] for name in "pq"}, chosen("bradley_terry"),
        bradley_terry=fitted,
    )  # fmt: skip

    assert names(found) == "qpr"
    assert found[0].rank_score == fitted.estimates["q"].points
    assert found[0].bradley_terry == fitted.estimates["q"]
    assert (found[2].admitted, found[2].bradley_terry) == (False, None)


@pytest.mark.parametrize("method", ["posterior", "bradley_terry"])
def test_method_that_lacks_what_it_needs_is_refused(method: RankingMethod) -> None:
    with pytest.raises(ValueError, match=f"ranking by {method} needs"):
        standings(THREE, SCORES, PLAYED, chosen(method))


@pytest.mark.parametrize(
    ("points", "level"), [(1700.0, "0.700"), (1500.0, "0.500"), (900.0, "0.000"), (2100.0, "1.000")]
)
def test_level_of_bradley_terry_goes_from_a_thousand_to_two_thousand_points(
    points: float, level: str
) -> None:
    estimate = Estimate(points=points, low=points, high=points)

    found = standings(
        [artifact("p")], {}, {"p": rating("p", 1500.0)}, chosen("bradley_terry"),
        bradley_terry=BradleyTerry({"p": estimate}, ()),
    )  # fmt: skip

    assert f"level of {level} " in found[0].reason


def test_level_of_posterior_weighs_strength_and_score_as_combined_does() -> None:
    five = chosen(criteria=(Criterion(name="x", max=5),))
    believed = belief({"p": 0.9, "q": 0.1}, {"p": 1800.0})

    found = standings(
        THREE[:2], {"p": summary("p", 4.5)}, {name: PLAYED[name] for name in "pq"}, five,
        posterior=believed,
    )  # fmt: skip

    # (0.6 x 10 x 0.8 + 0.4 x 5 x 0.9) / (0.6 x 10 + 0.4 x 5)
    assert found[0].reason == "its level of 0.825 reaches the threshold of 0.7"
    assert found[1].reason == "its level of 0.500 is below the threshold of 0.7"


def test_score_on_another_scale_is_not_compared() -> None:
    scored = SCORES | {"p": summary("p", 9.0, same_scale=False)}
    rated = PLAYED | {"p": rating("p", 1480.0)}

    combined = standings(THREE, scored, rated, chosen("combined"))
    by_score = standings(THREE, scored, rated, chosen("score"))
    uncompared = standings(THREE, scored, {}, chosen("score"))

    # Games alone give p (1480 - 1000) / 100; q has 0.6 x 5 + 0.4 x 7, r 0.6 x 5 + 0.4 x 5.
    assert names(combined) == "qrp"
    assert [one.rank_score for one in combined] == pytest.approx([5.8, 5.0, 4.8])
    for found in (by_score, uncompared):
        assert [(one.artifact_id, one.rank_score, one.overall) for one in found] == [
            ("q", 7.0, 7.0), ("r", 5.0, 5.0), ("p", None, 9.0),
        ]  # fmt: skip
        assert found[2].reason == "nothing is known of its quality that can be compared"


def test_top_n_of_posterior_counts_those_of_the_same_quality() -> None:
    believed = belief({"p": 0.5, "q": 0.3, "r": 0.2}, {"p": 1620.0, "q": 1610.0, "r": 1270.0})
    scored = {name: summary(name, 9.0) for name in "pqr"}
    two = chosen().model_copy(update={"ranking": config(top_n=TopN(count=3)).ranking})

    found = standings(THREE, scored, PLAYED, two, posterior=believed)

    assert [one.selected for one in found] == [True, True, False]


def selected(levels: list[float], top_n: TopN | None = None) -> int:
    """Return how many of the best are chosen; nobody behind somebody who is not."""
    found = [
        one.selected
        for one in choose_top_n([RankedQuality(level, True) for level in levels], top_n or TopN())
    ]
    assert found == sorted(found, reverse=True)
    return sum(found)


def test_13_3_defaults() -> None:
    assert TopN() == TopN(count=3, threshold=0.7, min=1, max=5)


def test_13_4_takes_count_where_enough_are_above_the_threshold() -> None:
    assert selected([0.9, 0.85, 0.8, 0.75, 0.71]) == 3


def test_13_4_takes_those_above_the_threshold_where_they_are_fewer_than_count() -> None:
    assert selected([0.9, 0.7, 0.699]) == 2


def test_13_4_takes_the_best_available_where_too_few_are_above_the_threshold() -> None:
    assert selected([0.5, 0.4, 0.3]) == 1
    assert selected([0.8, 0.4, 0.3], TopN(min=2)) == 2


def test_13_3_takes_no_more_than_the_maximum() -> None:
    assert selected([0.9] * 8, TopN(count=7, max=5)) == 5


def as_in_13_4(levels: list[float], top_n: TopN) -> int:
    above = sum(level >= top_n.threshold for level in levels)
    if above >= top_n.count:
        return top_n.count
    return above if above >= top_n.min else min(top_n.min, len(levels))


@given(
    st.lists(st.sampled_from([0.0, 0.3, 0.69, 0.7, 0.71, 1.0]), max_size=8),
    st.integers(1, 6),
    st.integers(1, 6),
)
def test_13_4_whatever_the_levels(levels: list[float], count: int, least: int) -> None:
    assume(least <= count)
    top_n = TopN(count=count, min=least, max=6)

    assert selected(sorted(levels, reverse=True), top_n) == as_in_13_4(levels, top_n)


def test_every_candidate_has_its_reason() -> None:
    places = [
        RankedQuality(0.9, True),
        RankedQuality(0.6, True),
        RankedQuality(0.9, False),
        RankedQuality(None, True),
    ]

    assert [one.reason for one in choose_top_n(places, TopN(min=2))] == [
        "its level of 0.900 reaches the threshold of 0.7",
        "its level of 0.600 is below the threshold of 0.7, but at least 2 must be taken",
        "was not compared with the others",
        "nothing is known of its quality that can be compared",
    ]
