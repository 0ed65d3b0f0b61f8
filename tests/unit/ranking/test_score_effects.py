"""What scores tell of candidates once the judges' leniency is taken out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking.score_effects import Noise, estimate, estimate_noise
from tests.support.judging_records import summaries

TABLE = {
    "p": {"a": [3.0, 3.4], "b": [4.1, 3.9]},
    "q": {"a": [3.5, 3.1], "b": [4.4, 4.6]},
    "r": {"a": [2.0, 2.6], "b": [2.7, 3.5]},
}


def test_effects_are_overall_scores_where_each_judge_scored_each_candidate() -> None:
    known = summaries(TABLE)
    found = estimate(known)

    assert found is not None
    for one, other in (("p", "q"), ("p", "r")):
        assert found.effect[one] - found.effect[other] == pytest.approx(
            known[one].overall - known[other].overall
        )


def test_noise_is_pooled_with_what_is_expected() -> None:
    """Squares add up to 0.70 within the scores of a judge, and to 0.0533 between its opinions.

    On a scale of 4 the expected variance of errors and of opinions is 0.32² = 0.1024; each counts
    as 2 residuals. Of errors there are 6 more: (2 x 0.1024 + 0.70) / 8 = 0.1131. Of opinions with
    half an error each there are 2 more: (2 x 0.1590 + 0.0533) / 4 = 0.0928, less half an error.
    """
    found = estimate_noise(summaries(TABLE))

    assert found is not None
    assert found.error == pytest.approx(0.1131, abs=1e-4)
    assert found.opinion == pytest.approx(0.0928 - 0.1131 / 2, abs=1e-4)
    assert (found.freedom, found.measured) == (4, True)


@given(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8))
def test_leniency_changes_nothing(a: float, b: float) -> None:
    lenient = {
        one: {judge: [score + {"a": a, "b": b}[judge] for score in singles]
              for judge, singles in by_judge.items()}
        for one, by_judge in TABLE.items()
    }  # fmt: skip

    found, before = estimate(summaries(lenient)), estimate(summaries(TABLE))

    assert found is not None
    assert before is not None
    assert found.mean_variance == pytest.approx(before.mean_variance)
    assert found.reliability == pytest.approx(before.reliability)
    for one in TABLE:
        assert found.effect[one] - found.centre == pytest.approx(before.effect[one] - before.centre)


def test_one_judge_that_scored_once_has_the_expected_noise() -> None:
    found = estimate(summaries({"p": {"a": [4.0]}, "q": {"a": [3.0]}}))

    assert found is not None
    assert math.sqrt(found.variance["p"]) == pytest.approx(0.32 * math.sqrt(2))
    assert not found.measured


def test_agreement_of_many_has_a_floor_of_noise() -> None:
    agreed = {f"c{number}": {"a": [number / 50], "b": [number / 50]} for number in range(50, 250)}

    found = estimate_noise(summaries(agreed))

    assert found is not None
    assert math.sqrt(found.opinion) == pytest.approx(0.03 * 4)


def test_who_was_scored_by_the_severe_judge_alone_is_not_worse_for_it() -> None:
    table = {f"c{number}": {"a": [3.0], "b": [4.4]} for number in range(8)}

    found = estimate(summaries({**table, "p": {"a": [3.2]}, "q": {"b": [4.2]}}))

    assert found is not None
    assert found.effect["p"] > found.effect["c0"] > found.effect["q"]
    assert found.variance["p"] > found.variance["c0"]


def test_judges_of_different_candidates_are_held_against_each_other_with_doubt() -> None:
    """All that is known of their leniency is that judges are apart by 0.6 points as a rule."""
    found = estimate(summaries({"p": {"a": [4.0]}, "q": {"a": [3.9]}, "r": {"b": [2.0]}}))
    alone = estimate(summaries({"p": {"a": [4.0]}, "q": {"a": [3.9]}}))

    assert found is not None
    assert alone is not None
    assert found.effect["p"] - found.effect["r"] == pytest.approx(2.0)
    between = found.variance["p"] + found.variance["r"]
    assert between > alone.variance["p"] + alone.variance["q"] + 0.6**2 / 2


def test_noise_that_is_given_replaces_what_the_scores_have() -> None:
    given_ = Noise(opinion=1.0, error=0.5, freedom=9, measured=True)

    found = estimate(summaries(TABLE), given_)

    assert found is not None
    # Two judges with two iterations each.
    assert found.mean_variance == pytest.approx((1.0 + 0.5 / 2) / 2)


def test_reliability_falls_with_noise_and_never_reaches_an_end() -> None:
    table = {f"c{number}": {"a": [3 + number / 10], "b": [3 + number / 10]} for number in range(8)}
    reliabilities = []
    for opinion in (1e-6, 0.05, 100.0):
        found = estimate(summaries(table), Noise(opinion, 0.0, 11, measured=True))
        assert found is not None
        reliabilities.append(found.reliability)

    assert sorted(reliabilities, reverse=True) == reliabilities
    assert all(0 < one < 1 for one in reliabilities)


def test_of_a_single_score_nothing_is_known_of_its_reliability() -> None:
    found = estimate(summaries({"p": {"a": [4.0]}}))

    assert found is not None
    assert found.reliability == pytest.approx(0.5)


def test_without_comparable_scores_there_are_no_effects() -> None:
    assert estimate({}) is None
    assert estimate_noise({}) is None
