"""Paired differences: Student's intervals, and what they tell together."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import paired
from acm_workers.ranking.paired import MeanDifference


@pytest.mark.parametrize(
    ("freedom", "inside", "t"),
    [(1, 0.95, 12.7062), (2, 0.95, 4.3027), (3, 0.95, 3.1824), (10, 0.99, 3.1693),
     (29, 0.975, 2.3638), (30, 0.95, 2.0423), (1000, 0.95, 1.9623), (100_000, 0.95, 1.9600)],
)  # fmt: skip
def test_quantiles_are_those_of_the_printed_tables(freedom: int, inside: float, t: float) -> None:
    assert paired.t_quantile(inside, freedom) == pytest.approx(t, abs=6e-5)


def test_the_interval_is_the_worked_example_of_a_t_test() -> None:
    # 1, 2, 3, 4: mean 2.5, standard deviation 1.2910, t of 3 degrees of freedom 3.1824.
    found = paired.mean_difference([1.0, 2.0, 3.0, 4.0])

    assert found is not None
    assert found.mean == 2.5
    assert found.low == pytest.approx(2.5 - 3.1824 * 1.2910 / 2, abs=1e-3)
    assert found.high == pytest.approx(2.5 + 3.1824 * 1.2910 / 2, abs=1e-3)
    assert found.direction == "better"


def test_the_difference_that_can_be_found_is_the_worked_example_and_is_found_as_often() -> None:
    # 30 differences with a standard deviation of 1: t of 29 degrees of freedom is 2.0452 for the
    # interval and 0.8542 for 80 %.
    values = [math.sqrt(29 / 30) * (-1) ** index for index in range(30)]
    found = paired.mean_difference(values)
    draw = random.Random(5)
    true = (2.0452 + 0.8542) / math.sqrt(30)
    said = [paired.mean_difference([draw.gauss(true, 1) for _ in range(30)]) for _ in range(1000)]

    assert found is not None
    assert found.detectable == pytest.approx(true, abs=1e-4)
    # 800 of 1,000 with a standard error of 13.
    assert sum(one is not None and one.direction == "better" for one in said) == pytest.approx(
        800, abs=45
    )


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12), st.floats(0, 2))
def test_swapping_the_runs_mirrors_the_interval(values: list[float], least: float) -> None:
    one = paired.mean_difference(values, endpoints=2, least_sd=least)
    other = paired.mean_difference([-value for value in values], endpoints=2, least_sd=least)

    assert one is not None
    assert other is not None
    assert one.low == pytest.approx(-(other.high or 0))
    assert one.high == pytest.approx(-(other.low or 0))


def test_intervals_that_are_to_hold_together_are_wider() -> None:
    alone = paired.mean_difference([0.1, 0.4, 0.3])
    one_of_two = paired.mean_difference([0.1, 0.4, 0.3], endpoints=2)

    assert alone is not None
    assert one_of_two is not None
    assert (one_of_two.high or 0) > (alone.high or 0)


def test_a_few_differences_that_agree_by_chance_are_no_certainty() -> None:
    found = paired.mean_difference([0.2, 0.2, 0.2], least_sd=0.27)

    assert found is not None
    assert found.high == pytest.approx(0.2 + 4.3027 * 0.27 / math.sqrt(3), abs=1e-4)
    assert found.direction == "no difference seen"


def test_one_document_has_a_difference_and_no_interval() -> None:
    found = paired.mean_difference([0.7])

    assert found == MeanDifference(1, 0.7, None, None)
    assert found.direction == "no difference seen"


def test_without_documents_there_is_no_difference_to_tell() -> None:
    assert paired.mean_difference([]) is None


def test_the_first_measure_that_differs_gives_the_conclusion() -> None:
    unclear = MeanDifference(9, 0.1, -0.1, 0.3)
    lower = MeanDifference(9, -0.2, -0.3, -0.1)
    higher = MeanDifference(9, 0.2, 0.1, 0.3)

    assert paired.conclusion([unclear, lower]) == "worse"
    assert paired.conclusion([higher, lower]) == "better"
    assert paired.conclusion([unclear, unclear]) == "no difference seen"


def test_equal_runs_seldom_differ() -> None:
    draw = random.Random(20)
    said = [paired.mean_difference([draw.gauss(0, 1) for _ in range(6)]) for _ in range(400)]

    # 5 % of 400 are 20; more than 34 come by chance in one of a thousand such tests.
    assert sum(one is not None and one.direction != "no difference seen" for one in said) <= 34
