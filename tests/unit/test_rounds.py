import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acm_workers.ranking.comparison_state import ComparisonState
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.rounds import next_round
from schemas.config.judging import Pairwise
from schemas.units import Winner
from tests.support.asking import answered, by_name, field, play

pairwises = st.builds(
    Pairwise,
    strategy=st.sampled_from(["adaptive", "auto", "round_robin", "swiss", "top_k"]),
    position_swap=st.sampled_from(["both", "random", "none"]),
    iterations=st.integers(1, 2),
    max_comparisons=st.none() | st.integers(1, 30),
)
fields = st.builds(
    field,
    st.integers(2, 5),
    new=st.sampled_from([(), ("n1",), ("n1", "n2")]),
    judges=st.integers(1, 3),
    pairwise=pairwises,
    seed=st.integers(),
)
winners: st.SearchStrategy[Winner | None] = st.sampled_from(["a", "b", "tie", None])
some = settings(max_examples=12)


def meeting(pair: PlannedPair, start: ComparisonState) -> tuple[object, ...]:
    both = start.pairwise.position_swap == "both"
    who = (pair.a, pair.b) if both else frozenset((pair.a, pair.b))
    return (who, pair.judge, pair.iteration)


@some
@given(fields, st.randoms(use_true_random=False))
def test_nothing_is_asked_twice_nor_more_than_the_most(
    start: ComparisonState, draw: random.Random
) -> None:
    rounds, ended = play(start, lambda _: draw.choice(["a", "b", "tie", None]))

    asked = list(itertools.chain(*rounds))
    assert len({meeting(pair, start) for pair in asked}) == len(asked)
    assert ended.endswith(".")
    counted, most = Counter(pair.judge for pair in asked), start.limits()
    assert all(counted[judge] <= most[judge] for judge in most)
    assert set(counted) <= set(most)


@some
@given(fields, st.data())
def test_the_order_of_comparisons_changes_nothing(
    start: ComparisonState, data: st.DataObject
) -> None:
    first = next_round(start)
    there = [answered(pair, data.draw(winners)) for pair in first.pairs]
    shuffled = data.draw(st.permutations(there))

    found = next_round(start._replace(comparisons=shuffled))

    assert found == next_round(start._replace(comparisons=there))


@some
@given(fields)
def test_playoffs_ask_only_pairs_with_a_new_candidate(start: ComparisonState) -> None:
    asked = next_round(start).pairs

    if start.new:
        assert all({pair.a, pair.b} & set(start.new) for pair in asked)


@some
@given(fields)
def test_each_judge_answers_within_its_iterations(start: ComparisonState) -> None:
    asked = next_round(start).pairs

    assert all(1 <= pair.iteration <= start.pairwise.iterations for pair in asked)
    assert {pair.judge for pair in asked} <= {judge.name for judge in start.judges}


@pytest.mark.parametrize("strategy", ["adaptive", "auto", "round_robin", "swiss", "top_k"])
def test_one_candidate_has_nobody_to_meet(strategy: str) -> None:
    found = next_round(field(1, pairwise=Pairwise.model_validate({"strategy": strategy})))

    assert found == ((), "There is only one candidate.")


def test_nobody_and_no_judge_are_told() -> None:
    assert next_round(field(0)) == ((), "There is no candidate.")
    assert next_round(field(4, judges=0)) == ((), "No judge compares.")


@pytest.mark.parametrize("strategy", ["round_robin", "top_k", "auto"])
def test_every_pair_is_asked_at_once_and_only_what_is_missing(strategy: str) -> None:
    start = field(5, judges=2, pairwise=Pairwise.model_validate({"strategy": strategy}))
    (asked,), ended = play(start, by_name)
    there = [answered(pair, by_name(pair)) for pair in asked[:13]]

    rest = next_round(start._replace(comparisons=there)).pairs

    assert len(asked) == 20
    assert ended == "Every pair was compared: 20 comparisons."
    assert set(rest) == set(asked[13:])


def test_a_pair_that_failed_is_not_asked_again() -> None:
    rounds, ended = play(field(3, pairwise=Pairwise(strategy="round_robin")), lambda _: None)

    assert [len(one) for one in rounds] == [3]
    assert ended == (
        "Every pair was asked about: 3 comparisons. 3 of the comparisons have no result."
    )


@pytest.mark.parametrize("strategy", ["adaptive", "round_robin", "swiss"])
def test_the_end_tells_how_many_comparisons_have_no_result(strategy: str) -> None:
    start = field(3, pairwise=Pairwise.model_validate({"strategy": strategy}))
    failed = next_round(start).pairs[0]

    _, ended = play(start, lambda pair: None if pair == failed else by_name(pair))

    assert ended.endswith(". 1 of the comparisons has no result.")
    assert "Every pair was compared" not in ended


def test_new_candidates_meet_everybody_and_old_ones_not_again() -> None:
    start = field(3, new=("n",), pairwise=Pairwise(strategy="round_robin"))

    rounds, _ = play(start, lambda _: "a")

    assert {frozenset((pair.a, pair.b)) for pair in rounds[0]} == {
        frozenset((old, "n")) for old in start.old
    }


def test_verdicts_of_a_judge_who_is_gone_count_for_nothing() -> None:
    start = field(3, pairwise=Pairwise(strategy="round_robin"))
    gone = [answered(PlannedPair("c0", "c1", "elsewhere", 1), "a")]

    assert next_round(start._replace(comparisons=gone)) == next_round(start)
