import itertools
import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking.comparison_state import ComparisonHistory, ComparisonState
from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.rounds import next_round
from schemas.config.judging import Pairwise
from schemas.units import Winner
from tests.support.comparison_rounds import answered, by_name, comparison_state, play
from tests.support.examples import few

pairwises = st.builds(
    Pairwise,
    strategy=st.sampled_from(["adaptive", "auto", "round_robin", "swiss", "top_k"]),
    position_swap=st.sampled_from(["both", "random", "none"]),
    iterations=st.integers(1, 2),
    max_comparisons=st.none() | st.integers(1, 30),
)
fields = st.builds(
    comparison_state,
    st.integers(2, 5),
    new=st.sampled_from([(), ("n1",), ("n1", "n2")]),
    judges=st.integers(1, 3),
    pairwise=pairwises,
    seed=st.integers(),
)
winners: st.SearchStrategy[Winner | None] = st.sampled_from(["a", "b", "tie", None])


def meeting(pair: PlannedPair, start: ComparisonState) -> tuple[object, ...]:
    both = start.pairwise.position_swap == "both"
    who = (pair.a, pair.b) if both else frozenset((pair.a, pair.b))
    return (who, pair.judge, pair.iteration)


@few
@given(fields, st.randoms(use_true_random=False))
def test_nothing_is_asked_twice_nor_more_than_the_most(
    start: ComparisonState, draw: random.Random
) -> None:
    rounds, ended = play(start, lambda _: draw.choice(["a", "b", "tie", None]))

    asked = list(itertools.chain(*rounds))
    assert len({meeting(pair, start) for pair in asked}) == len(asked)
    assert ended.endswith(".")
    counted, most = Counter(pair.judge for pair in asked), start.limits_by_judge()
    assert all(counted[judge] <= most[judge] for judge in most)
    assert set(counted) <= set(most)


@few
@given(fields, st.data())
def test_the_order_of_comparisons_changes_nothing(
    start: ComparisonState, data: st.DataObject
) -> None:
    first = next_round(start)
    there = [answered(pair, data.draw(winners)) for pair in first.pairs]
    shuffled = data.draw(st.permutations(there))

    found = next_round(start._replace(comparisons=shuffled))

    assert found == next_round(start._replace(comparisons=there))


@few
@given(fields)
def test_playoffs_ask_only_pairs_with_a_new_candidate(start: ComparisonState) -> None:
    asked = next_round(start).pairs

    if start.new:
        assert all({pair.a, pair.b} & set(start.new) for pair in asked)


@few
@given(fields)
def test_each_judge_answers_within_its_iterations(start: ComparisonState) -> None:
    asked = next_round(start).pairs

    assert all(1 <= pair.iteration <= start.pairwise.iterations for pair in asked)
    assert {pair.judge for pair in asked} <= {judge.name for judge in start.judges}


@pytest.mark.parametrize("strategy", ["adaptive", "auto", "round_robin", "swiss", "top_k"])
def test_one_candidate_has_nobody_to_meet(strategy: str) -> None:
    found = next_round(
        comparison_state(1, pairwise=Pairwise.model_validate({"strategy": strategy}))
    )

    assert found == ((), "There is only one candidate.")


def test_nobody_and_no_judge_are_told() -> None:
    assert next_round(comparison_state(0)) == ((), "There is no candidate.")
    assert next_round(comparison_state(4, judges=0)) == ((), "No judge compares.")


@pytest.mark.parametrize("strategy", ["round_robin", "top_k", "auto"])
def test_every_pair_is_asked_at_once_and_only_what_is_missing(strategy: str) -> None:
    start = comparison_state(5, judges=2, pairwise=Pairwise.model_validate({"strategy": strategy}))
    (asked,), ended = play(start, by_name)
    there = [answered(pair, by_name(pair)) for pair in asked[:13]]

    rest = next_round(start._replace(comparisons=there)).pairs

    assert len(asked) == 20
    assert ended == "Every pair was compared: 20 comparisons."
    assert set(rest) == set(asked[13:])


def test_a_pair_that_failed_is_not_asked_again() -> None:
    rounds, ended = play(
        comparison_state(3, pairwise=Pairwise(strategy="round_robin")), lambda _: None
    )

    assert [len(one) for one in rounds] == [3]
    assert ended == (
        "Every pair was asked about: 3 comparisons. 3 of the comparisons have no result."
    )


@pytest.mark.parametrize("strategy", ["adaptive", "round_robin", "swiss"])
def test_the_end_tells_how_many_comparisons_have_no_result(strategy: str) -> None:
    start = comparison_state(3, pairwise=Pairwise.model_validate({"strategy": strategy}))
    failed = next_round(start).pairs[0]

    _, ended = play(start, lambda pair: None if pair == failed else by_name(pair))

    assert ended.endswith(". 1 of the comparisons has no result.")
    assert "Every pair was compared" not in ended


def test_new_candidates_meet_everybody_and_old_ones_not_again() -> None:
    start = comparison_state(3, new=("n",), pairwise=Pairwise(strategy="round_robin"))

    rounds, _ = play(start, lambda _: "a")

    assert {frozenset((pair.a, pair.b)) for pair in rounds[0]} == {
        frozenset((old, "n")) for old in start.old
    }


def test_verdicts_of_a_judge_who_is_gone_count_for_nothing() -> None:
    start = comparison_state(3, pairwise=Pairwise(strategy="round_robin"))
    gone = [answered(PlannedPair("c0", "c1", "elsewhere", 1), "a")]

    assert next_round(start._replace(comparisons=gone)) == next_round(start)


SWISS = Pairwise(strategy="swiss")


def met(pairs: list[PlannedPair]) -> list[frozenset[str]]:
    return [frozenset((pair.a, pair.b)) for pair in pairs]


@few
@given(st.integers(2, 24), st.randoms(use_true_random=False))
def test_nobody_meets_the_same_one_twice_and_all_rounds_are_full(
    candidates: int, draw: random.Random
) -> None:
    found, _ = play(
        comparison_state(candidates, pairwise=SWISS), lambda pair: draw.choice(["a", "b", "tie"])
    )

    meetings = list(itertools.chain(*map(met, found)))
    assert len(set(meetings)) == len(meetings)
    assert len(found) >= math.ceil(math.log2(candidates))
    for one in found:
        playing = list(itertools.chain(*met(one)))
        assert len(set(playing)) == len(playing)
    assert len(meetings) == math.ceil(math.log2(candidates)) * (candidates // 2)


@pytest.mark.parametrize("candidates", [3, 5, 7, 9, 11])
def test_nobody_is_left_out_twice_before_everybody_was_once(candidates: int) -> None:
    found, _ = play(comparison_state(candidates, pairwise=SWISS), by_name)

    played = Counter(itertools.chain(*itertools.chain(*map(met, found))))
    numbers = [played[f"c{number}"] for number in range(candidates)]
    assert max(numbers) - min(numbers) <= 1


def test_the_first_round_pairs_equals_by_score() -> None:
    scores = {"c0": 9.0, "c1": 3.0, "c2": 8.5, "c3": 3.5}

    (first, *_), _ = play(comparison_state(4, scores=scores, pairwise=SWISS), by_name)

    assert set(met(first)) == {frozenset(("c0", "c2")), frozenset(("c1", "c3"))}


def test_winners_meet_winners() -> None:
    start = comparison_state(4, pairwise=SWISS)
    verdicts = {("c0", "c1"): "a", ("c2", "c3"): "a"}
    there = [answered(PlannedPair(*pair, "j0", 1), "a") for pair in verdicts]

    second = next_round(start._replace(comparisons=there)).pairs

    assert set(met(list(second))) == {frozenset(("c0", "c2")), frozenset(("c1", "c3"))}


def test_every_judge_looks_at_every_pair_of_a_round() -> None:
    start = comparison_state(4, judges=2, pairwise=Pairwise(strategy="swiss", iterations=2))

    (first, *_), ended = play(start, by_name)

    looks = Counter((frozenset((pair.a, pair.b)), pair.judge) for pair in first)
    assert set(looks.values()) == {2}
    assert len(looks) == 4
    assert ended == "All 16 comparisons of 2 Swiss rounds were asked."


def test_it_asks_no_more_than_it_may_and_says_so() -> None:
    limited = Pairwise(strategy="swiss", max_comparisons=5)

    found, ended = play(comparison_state(8, pairwise=limited), by_name)

    assert [len(one) for one in found] == [4, 1]
    assert ended == "All 5 comparisons that max_comparisons allows were asked."


def test_in_playoffs_each_new_candidate_meets_its_equals() -> None:
    start = comparison_state(4, new=("n5", "n6"), pairwise=SWISS)

    found, ended = play(start, by_name)

    assert all(set(pair) & {"n5", "n6"} for pair in itertools.chain(*map(met, found)))
    assert len(found) == 3
    assert ended == f"All {sum(map(len, found))} comparisons of 3 Swiss rounds were asked."


def test_pairs_of_an_earlier_strategy_are_not_asked_again() -> None:
    start = comparison_state(6, pairwise=SWISS)
    there = [answered(PlannedPair("c0", other, "j0", 1), "a") for other in ("c1", "c2", "c3")]

    found, _ = play(start._replace(comparisons=there), by_name)

    again = set(itertools.chain(*map(met, found))) & {
        frozenset(("c0", other)) for other in ("c1", "c2", "c3")
    }
    assert not again
    assert len(there) + sum(map(len, found)) == 9


def test_a_fifty_candidate_round_is_full_to_the_last() -> None:
    found, ended = play(comparison_state(50, pairwise=SWISS), by_name)

    assert [len(one) for one in found] == [25] * 6
    assert ended == "All 150 comparisons of 6 Swiss rounds were asked."


def test_a_pair_whose_iterations_were_all_asked_has_no_next_comparison() -> None:
    state = comparison_state(2, pairwise=Pairwise(position_swap="none"))
    asked = PlannedPair("c0", "c1", "j0", 1)
    history = ComparisonHistory(state._replace(comparisons=[answered(asked, "a")]))

    assert not history.is_open("c0", "c1", "j0")
    with pytest.raises(ValueError, match="all iterations"):
        history.next_comparisons("c0", "c1", "j0")


def test_games_with_candidates_that_are_not_admitted_do_not_decide_who_are_equals() -> None:
    state = comparison_state(4, pairwise=Pairwise(strategy="swiss"))
    outside = answered(PlannedPair("c0", "gone", "j0", 1), "b")

    assert next_round(state._replace(comparisons=[outside])) == next_round(state)
