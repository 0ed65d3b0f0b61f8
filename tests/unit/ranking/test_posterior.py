import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.posterior import Posterior, draws, posterior
from acm_workers.ranking.score_effects import estimate
from schemas.config.judging import Judge
from schemas.ranking import ScoreSummary
from schemas.units import Comparison, Winner
from tests.support.comparison_rounds import answered, summary
from tests.support.examples import few
from tests.support.judging_records import comparison, judge, summaries

IDS = ("c0", "c1", "c2", "c3")
_OF_DRAWS = 0.02
"""By so much a probability differs between two sets of draws."""


def verdicts(
    a: str, b: str, winner: Winner, times: int = 1, judge: str = "j", swap: bool = False
) -> list[Comparison]:
    """Return the same verdict several times, every other one in the other order with ``swap``."""
    other: dict[Winner, Winner] = {"a": "b", "b": "a", "tie": "tie"}
    return [
        answered(PlannedPair(b, a, judge, number), other[winner])
        if swap and number % 2 == 0
        else answered(PlannedPair(a, b, judge, number), winner)
        for number in range(1, times + 1)
    ]


def believed(
    comparisons: list[Comparison],
    scores: dict[str, float] | None = None,
    judges: tuple[Judge, ...] = (judge(),),
    ids: tuple[str, ...] = IDS,
) -> Posterior:
    summaries = {one: summary(one, overall) for one, overall in (scores or {}).items()}
    return posterior(ids, estimate(summaries), comparisons, judges)


def test_without_anything_known_all_are_alike() -> None:
    found = believed([])

    assert sum(found.p_best.values()) == pytest.approx(1)
    assert all(chance == pytest.approx(0.25, abs=0.03) for chance in found.p_best.values())
    assert found.notes == (
        "No candidate has a score that can be compared: only comparisons count.",
    )


def test_strengths_are_around_1500_with_an_interval() -> None:
    found = believed(verdicts("c0", "c1", "a", 4))

    points = [one.points for one in found.estimates.values()]
    assert np.mean(points) == pytest.approx(1500)
    assert all(one.low < one.points < one.high for one in found.estimates.values())
    assert found.estimates["c0"].points > 1500 > found.estimates["c1"].points


def test_scores_say_who_is_best_before_any_comparison() -> None:
    found = believed([], {"c0": 5.0, "c1": 6.0, "c2": 7.0, "c3": 9.0})

    order = sorted(IDS, key=found.p_best.__getitem__)
    assert order[-1] == "c3"
    assert found.beats("c3", "c0") > 0.8
    assert found.p_best["c3"] < 0.95
    assert found.notes == ()


def test_scores_that_agree_by_chance_are_no_certainty() -> None:
    exact = {
        one: summary(one, 7.0 + place / 10, count=2, std_dev=0.0) for place, one in enumerate(IDS)
    }

    found = posterior(IDS, estimate(exact), [], (judge(),))

    assert 0.25 < found.p_best["c3"] < 0.95


def test_noisy_scores_say_less_than_steady_ones() -> None:
    def best(std_dev: float) -> float:
        scores = {one: summary(one, 5.0 + place, std_dev=std_dev) for place, one in enumerate(IDS)}
        return posterior(IDS, estimate(scores), [], (judge(),)).p_best["c3"]

    assert best(0.1) > best(1.8) > best(5.0) > best(50.0) == pytest.approx(0.25, abs=0.03)


def test_equal_scores_say_nothing() -> None:
    found = believed([], dict.fromkeys(IDS, 7.1))

    assert all(chance == pytest.approx(0.25, abs=0.03) for chance in found.p_best.values())


def test_a_score_on_another_scale_counts_for_nothing() -> None:
    def best(overall: float) -> float:
        scores = {one: summary(one, 5.0 + place) for place, one in enumerate(IDS[:3])}
        scores["c3"] = summary("c3", overall, comparable=False)
        found = posterior(IDS, estimate(scores), [], (judge(),))
        assert found.notes == (
            "Candidates without a score that can be compared: 1 of 4; they count as average ones "
            "until they are compared.",
        )
        return found.p_best["c3"]

    assert best(1.0) == best(100.0)


def test_comparisons_outweigh_scores() -> None:
    wins = [one for other in ("c1", "c2", "c3") for judge_ in ("j", "k", "l")
            for one in verdicts("c0", other, "a", 2, judge_, swap=True)]  # fmt: skip

    found = believed(
        wins, {"c0": 5.0, "c1": 5.1, "c2": 5.2, "c3": 6.0}, (judge("j"), judge("k"), judge("l"))
    )

    assert max(found.p_best, key=found.p_best.__getitem__) == "c0"


def test_a_win_is_more_than_a_tie_and_a_tie_more_than_a_defeat() -> None:
    won, tied, lost = (
        believed(verdicts("c0", "c1", winner, 4, swap=True)).beats("c0", "c1")
        for winner in ("a", "tie", "b")
    )

    assert won > 0.75
    assert tied == pytest.approx(0.5, abs=0.04)
    assert lost < 0.25


def test_beats_of_both_sides_is_one() -> None:
    found = believed(verdicts("c0", "c1", "a"))

    assert found.beats("c0", "c1") + found.beats("c1", "c0") == pytest.approx(1)
    assert found.beats("c0", "c0") == 0.5


def test_always_the_first_one_shown_says_nothing_of_the_candidates() -> None:
    pairs = [("c0", "c1"), ("c1", "c2"), ("c2", "c3"), ("c3", "c0"), ("c0", "c2"), ("c3", "c1")]

    biased = believed([one for a, b in pairs for one in verdicts(a, b, "a", 1)])
    swapped = believed(
        [one for a, b in pairs for one in (*verdicts(a, b, "a"), *verdicts(b, a, "a"))]
    )

    assert biased.beats("c0", "c1") < believed(verdicts("c0", "c1", "a")).beats("c0", "c1")
    assert all(chance == pytest.approx(0.25, abs=0.03) for chance in swapped.p_best.values())


def test_nine_judges_say_more_than_one_judge_nine_times() -> None:
    panel = tuple(judge(f"j{number}") for number in range(9))
    many = [one for each in panel for one in verdicts("c0", "c1", "a", 1, each.name)]
    again = verdicts("c0", "c1", "a", 9, "j0")

    assert (
        believed(many, judges=panel).estimates["c0"].points
        > believed(again, judges=panel).estimates["c0"].points
    )


def test_a_judge_of_less_weight_says_less() -> None:
    said = [*verdicts("c0", "c1", "a", 3, "j"), *verdicts("c0", "c1", "b", 3, "k")]

    def beats(weight: float) -> float:
        return believed(said, judges=(judge("j"), judge("k", weight))).beats("c0", "c1")

    assert beats(0.2) > beats(1.0) > beats(5.0)
    assert beats(0.2) > 0.5 > beats(5.0)


def test_only_shares_of_weight_count() -> None:
    said = [*verdicts("c0", "c1", "a", 3, "j"), *verdicts("c0", "c2", "a", 1, "k")]

    found = [
        believed(said, judges=(judge("j", scale), judge("k", 2 * scale))).p_best
        for scale in (0.1, 1.0)
    ]

    assert found[0] == pytest.approx(found[1])


def test_verdicts_of_others_and_failed_ones_are_left_out() -> None:
    said = verdicts("c0", "c1", "a", 2)
    noise = [
        comparison(("c1", "c2"), None),
        comparison(("c1", "stranger"), "a"),
        comparison(("c1", "c2"), "a", judge="stranger"),
    ]

    assert believed([*said, *noise]).p_best == believed(said).p_best


def test_unsure_verdicts_count_as_ties() -> None:
    unsure = [comparison(("c0", "c1"), "a", confidence=0.2)]

    found = posterior(IDS, None, unsure, (judge(),), tie_below=0.3)

    assert found.p_best == believed(verdicts("c0", "c1", "tie")).p_best


@few
@given(
    st.lists(
        st.tuples(st.permutations(IDS), st.sampled_from(["a", "b", "tie"])), min_size=1, max_size=12
    ),
    st.randoms(use_true_random=False),
)
def test_no_order_changes_anything(
    said: list[tuple[list[str], Winner]], draw: random.Random
) -> None:
    given_ = [answered(PlannedPair(ids[0], ids[1], "j", 1), winner) for ids, winner in said]
    scores = {one: summary(one, 5.0 + place) for place, one in enumerate(IDS)}
    shuffled, names = list(given_), list(scores)
    draw.shuffle(shuffled)
    draw.shuffle(names)

    first = posterior(IDS, estimate(scores), given_, (judge(),), seed=4)
    second = posterior(
        IDS, estimate({one: scores[one] for one in names}), shuffled, (judge(),), seed=4
    )

    assert first.p_best == second.p_best
    assert first.estimates == second.estimates


def test_the_seed_moves_the_draws_and_hardly_the_belief() -> None:
    said = verdicts("c0", "c1", "a", 3)

    one, other = (posterior(IDS, None, said, (judge(),), seed=seed) for seed in (1, -2))

    assert one.p_best != other.p_best
    assert one.p_best == pytest.approx(other.p_best, abs=0.04)


def test_a_single_candidate_is_the_best_one() -> None:
    found = believed([], ids=("c0",))

    assert found.p_best == {"c0": 1.0}
    assert found.estimates["c0"].points == pytest.approx(1500)


def test_of_nobody_nothing_is_said() -> None:
    found = posterior((), None, [], ())

    assert (found.p_best, found.estimates, found.notes) == ({}, {}, ())


def test_a_long_row_of_wins_keeps_strengths_finite() -> None:
    panel = tuple(judge(f"j{number}") for number in range(5))
    said = [one for each in panel for one in verdicts("c0", "c1", "a", 100, each.name, swap=True)]

    found = believed(said, judges=panel)

    assert found.beats("c0", "c1") > 0.95
    assert all(abs(one.points - 1500) < 4000 for one in found.estimates.values())


def test_missing_scores_widen_the_interval() -> None:
    scores: dict[str, ScoreSummary] = {
        one: summary(one, 5.0 + place) for place, one in enumerate(IDS[:3])
    }

    found = posterior(IDS, estimate(scores), [], (judge(),)).estimates

    width = {one: of.high - of.low for one, of in found.items()}
    assert width["c3"] > max(width[one] for one in IDS[:3])


def test_leniency_of_judges_is_no_noise() -> None:
    """Three judges 0.7 apart that agree in everything else inform the prior."""
    levels = {"a": -0.7, "b": 0.0, "c": 0.7}
    scores = {
        one: {name: [3.0 + 0.2 * place + level] for name, level in levels.items()}
        for place, one in enumerate(IDS)
    }
    alike = {one: dict.fromkeys(levels, given["b"]) for one, given in scores.items()}

    found, same = (posterior(IDS, estimate(summaries(one)), [], ()) for one in (scores, alike))

    assert found.p_best["c3"] > 0.45
    assert found.p_best == pytest.approx(same.p_best, abs=0.01)


def test_one_judge_that_scored_once_does_not_outweigh_games() -> None:
    ids = ("c0", "c1", "c2")
    scores = summaries({"c0": {"j": [5.0]}, "c1": {"j": [4.88]}, "c2": {"j": [4.71]}})
    said = [comparison(pair, "b") for pair in (("c0", "c1"), ("c0", "c2"), ("c1", "c2"))]

    found = posterior(ids, estimate(scores), said, (judge(),))

    assert max(found.p_best, key=found.p_best.__getitem__) == "c2"
    assert min(found.p_best, key=found.p_best.__getitem__) == "c0"


_verdicts = st.lists(
    st.tuples(st.permutations(IDS), st.sampled_from(["a", "b", "tie"])), max_size=12
)
_quality = st.integers(40, 90)
_opinion = st.integers(-6, 6)
_BY_TWO_JUDGES = [(56, 0, 9), (60, 0, -2), (64, 0, -5), (67, 0, -1)]
"""Once, scores a point lower made c0 likelier the best one: they were noise to all of them."""


@few
@given(
    st.lists(st.tuples(_quality, _opinion, _opinion), min_size=4, max_size=4),
    _verdicts,
    st.sampled_from(["lost", "lower"]),
)
@example(_BY_TWO_JUDGES, [], "lower")
@example(_BY_TWO_JUDGES, [], "lost")
def test_more_evidence_against_a_candidate_never_raises_its_chance(
    given_: list[tuple[int, int, int]], said: list[tuple[list[str], Winner]], evidence: str
) -> None:
    table = {
        one: {f"j{number}": [(quality + opinion) / 20] for number, opinion in enumerate(opinions)}
        for one, (quality, *opinions) in zip(IDS, given_, strict=True)
    }
    panel = (judge("j0"), judge("j1"))
    played = [
        answered(PlannedPair(ids[0], ids[1], f"j{number % 2}", 1 + number // 2), winner)
        for number, (ids, winner) in enumerate(said)
    ]
    before = posterior(IDS, estimate(summaries(table)), played, panel).p_best["c0"]

    if evidence == "lost":
        played = [*played, answered(PlannedPair("c1", "c0", "j0", 9), "a")]
    else:
        table["c0"]["j0"] = [max(table["c0"]["j0"][0] - 1, 1.0)]
    after = posterior(IDS, estimate(summaries(table)), played, panel).p_best["c0"]

    assert after <= before + _OF_DRAWS


@few
@given(
    st.integers(2, 5), st.integers(0, 15), st.integers(3, 6), st.booleans(), st.integers(0, 1000)
)
def test_who_lost_every_game_does_not_lead_by_scores_within_the_noise(
    others: int, lead: int, games: int, first: bool, seed: int
) -> None:
    """A score of one judge that scored once has a noise of 0.45 on a scale from 1 to 5."""
    ids = tuple(f"c{number}" for number in range(others + 1))
    draw = random.Random(seed)
    scores = {one: {"j": [4.0 + draw.randrange(-5, 1) / 20]} for one in ids}
    scores["c0"] = {"j": [4.0 + lead * 0.03]}
    lost = [
        answered(
            PlannedPair(*(("c0", other) if first else (other, "c0")), "j", 1 + number // others),
            "b" if first else "a",
        )
        for number in range(games)
        for other in [ids[1 + number % others]]
    ]

    found = posterior(ids, estimate(summaries(scores)), lost, (judge(),)).p_best

    assert found["c0"] < max(found.values())


def test_a_wider_distance_is_kept_more_often_and_is_unknown_without_scores() -> None:
    scored = {"c0": 5.0, "c1": 6.0, "c2": 7.0}
    effects = estimate({one: summary(one, overall) for one, overall in scored.items()})

    drawn = draws(IDS[:3], effects, [], ())
    unscored = draws(IDS[:3], None, [], ())

    chances = [drawn.p_within(2, points) or 0.0 for points in (0.0, 0.5, 2.0, 100.0)]
    assert chances == sorted(chances)
    assert chances[0] == pytest.approx(drawn.p_best()[2])
    assert chances[-1] == 1.0
    assert unscored.p_within(0, 1.0) is None
