"""Agreement, against the examples that Krippendorff published.

They are those of "Computing Krippendorff's Alpha-Reliability" (2011), sections A, B, C and E,
https://repository.upenn.edu/asc_papers/43. In the first, two observers give ten units 0 or 1; in
the second, two give twelve units one of five names; in the third, four give twelve units a number
or nothing. His results are .095, .692 and .743 for names, and .849 for the numbers of the third.
"""

import random
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import agreement

BINARY = ("0100000010", "1110010000")
NAMES = ("aabbdcccedda", "babbbccceddd")
WITH_HOLES = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def units(observers: tuple[str, ...]) -> list[list[int]]:
    return [
        [ord(value) - ord("0") for value in values if value != "."]
        for values in zip(*observers, strict=True)
    ]


@pytest.mark.parametrize(
    ("observers", "published", "rated", "values"),
    [(BINARY, 0.095, 10, 20), (NAMES, 0.692, 12, 24), (WITH_HOLES, 0.743, 11, 40)],
    ids=["A", "B", "C"],
)
def test_nominal_alpha_of_the_published_examples(
    observers: tuple[str, ...], published: float, rated: int, values: int
) -> None:
    found = agreement.nominal_alpha(units(observers))

    assert found.value == pytest.approx(published, abs=5e-4)
    assert (found.units, found.values) == (rated, values)


def test_interval_alpha_of_the_published_example() -> None:
    found = agreement.interval_alpha(units(WITH_HOLES))

    assert found.value == pytest.approx(0.849, abs=5e-4)
    assert (found.units, found.values) == (11, 40)


rated = st.lists(st.lists(st.integers(1, 10), max_size=5), min_size=2, max_size=15)


@given(rated)
def test_interval_alpha_is_that_of_the_coincidence_matrix(given_units: list[list[int]]) -> None:
    kept = [values for values in given_units if len(values) > 1]
    everything = [value for values in kept for value in values]
    observed = sum(
        (a - b) ** 2 / (len(values) - 1) for values in kept for a, b in permutations(values, 2)
    )
    expected = sum((a - b) ** 2 for a, b in permutations(everything, 2))

    found = agreement.interval_alpha(given_units).value

    if expected == 0:
        assert found is None
    else:
        assert found == pytest.approx(1 - (len(everything) - 1) * observed / expected)


def test_judges_that_agree_in_everything_have_an_alpha_of_one() -> None:
    assert agreement.interval_alpha([[3, 3], [5, 5, 5], [9, 9]]).value == 1.0
    assert agreement.nominal_alpha(["aa", "bb"]).value == 1.0


def test_judges_that_draw_lots_have_an_alpha_near_zero() -> None:
    luck = random.Random(3)
    drawn = [[luck.random() for _ in range(4)] for _ in range(1000)]

    assert agreement.interval_alpha(drawn).value == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("given_units", [[], [[5.0]], [[7.0, 7.0], [7.0, 7.0]]])
def test_alpha_is_absent_where_nothing_tells_agreement_from_chance(
    given_units: list[list[float]],
) -> None:
    assert agreement.interval_alpha(given_units).value is None
    assert agreement.nominal_alpha(given_units).value is None


def test_alpha_of_verdicts_does_not_depend_on_which_candidate_is_called_the_first() -> None:
    verdicts = [{"j": 1.0, "k": 1.0}, {"j": 1.0, "k": 0.0}, {"j": 0.5, "k": 0.5}, {"j": 0.8}]
    turned = [{name: 1 - value for name, value in one.items()} for one in verdicts[:2]]

    found = agreement.verdict_alpha(verdicts)

    assert found == agreement.verdict_alpha([*turned, *verdicts[2:]])
    assert (found.units, found.values) == (3, 6)


def test_judges_that_always_name_the_same_of_two_agree_wholly() -> None:
    found = agreement.verdict_alpha([{"j": 1.0, "k": 1.0}] * 5)

    assert found.value == 1.0


def test_two_judges_are_compared_where_both_judged() -> None:
    scores = {
        f"c{place}": {"j": ours, "k": ours - 1.0 + off}
        for place, (ours, off) in enumerate([(4.0, 0.5), (6.0, 0.0), (7.0, -0.5), (9.0, 0.0)])
    } | {"alone": {"j": 1.0}}
    verdicts = {
        "p": {"j": 1.0, "k": 0.75},
        "q": {"j": 0.0, "k": 0.5},
        "r": {"j": 1.0, "l": 1.0},
    }

    jk, jl = agreement.couples(["j", "k", "l"], scores, verdicts)

    assert (jk.one, jk.two, jk.scored, jk.difference) == ("j", "k", 4, 1.0)
    assert jk.correlation is not None
    assert 0.97 < jk.correlation < 1
    assert jk.same is not None
    assert (jk.same.hits, jk.same.of) == (1, 2)
    assert (jl.one, jl.two, jl.scored, jl.difference, jl.correlation) == ("j", "l", 0, None, None)


def test_no_correlation_is_told_of_a_judge_that_gives_all_the_same() -> None:
    scores = {f"c{place}": {"j": float(place), "k": 7.0} for place in range(6)}

    (found,) = agreement.couples(["j", "k"], scores, {})

    assert (found.scored, found.correlation, found.same) == (6, None, None)


def test_alpha_falls_with_every_disagreement() -> None:
    agreed = [[one, one] for one in (2, 4, 6, 8)]
    found = [agreement.interval_alpha([*agreed, [5, 5 + off]]).value or 0.0 for off in range(5)]

    assert all(before > after for before, after in pairwise(found))
