import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking.games import Game, game_counts, games, win_matrix
from schemas.units import Comparison, Winner
from tests.support.judging_records import comparison


def test_games_are_in_the_order_they_were_played() -> None:
    played = [comparison(("p", "q"), "a", finished=2), comparison(("q", "r"), "b", finished=1)]

    assert games(played) == [Game("q", "r", 0.0), Game("p", "q", 1.0)]


def test_games_of_one_instant_are_in_the_order_of_their_ids() -> None:
    played = [comparison(("q", "r"), "a"), comparison(("p", "q"), "tie")]

    assert games(played) == [Game("p", "q", 0.5), Game("q", "r", 1.0)]


def test_comparisons_without_a_result_are_no_games() -> None:
    played = [
        comparison(("p", "q"), None),
        comparison(("p", "r"), "a").model_copy(update={"state": "claimed"}),
        comparison(("q", "r"), "a", finished=None),
    ]

    assert games(played) == [Game("q", "r", 1.0)]


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [("a", "b", 1.0), ("b", "a", 0.0), ("tie", "tie", 0.5)],
)
def test_both_orders_that_agree_are_one_game(first: Winner, second: Winner, score: float) -> None:
    played = [comparison(("p", "q"), first), comparison(("q", "p"), second, finished=1)]

    assert games(played) == [Game("p", "q", score)]


@pytest.mark.parametrize(("first", "second"), [("a", "a"), ("b", "b"), ("a", "tie"), ("tie", "a")])
def test_both_orders_that_disagree_are_a_tie(first: Winner, second: Winner) -> None:
    played = [comparison(("p", "q"), first), comparison(("q", "p"), second, finished=1)]

    assert games(played) == [Game("p", "q", 0.5)]


def test_merged_game_takes_the_place_of_the_later_order() -> None:
    played = [
        comparison(("p", "q"), "a", finished=1),
        comparison(("r", "s"), "a", finished=2),
        comparison(("q", "p"), "b", finished=3),
    ]

    assert games(played) == [Game("r", "s", 1.0), Game("p", "q", 1.0)]


def test_other_judges_and_iterations_are_games_of_their_own() -> None:
    played = [
        comparison(("p", "q"), "a", judge="j1"),
        comparison(("q", "p"), "a", judge="j2"),
        comparison(("q", "p"), "tie", judge="j1", iteration=2),
    ]

    assert sorted(games(played)) == [Game("p", "q", 1.0), Game("q", "p", 0.5), Game("q", "p", 1.0)]


def test_one_order_stands_alone_while_the_other_failed() -> None:
    played = [
        comparison(("p", "q"), "b"),
        comparison(("q", "p"), None, finished=1),
    ]

    assert games(played) == [Game("p", "q", 0.0)]


def test_verdict_below_the_confidence_asked_for_is_a_tie() -> None:
    played = [
        comparison(("p", "q"), "a", confidence=0.29),
        comparison(("p", "r"), "a", confidence=0.3),
        comparison(("q", "r"), "a", confidence=None),
    ]

    assert [game.score_a for game in games(played, tie_below=0.3)] == [0.5, 1.0, 0.5]


@given(
    st.lists(
        st.builds(
            comparison,
            st.sampled_from([("p", "q"), ("q", "p"), ("p", "r"), ("r", "p")]),
            st.sampled_from(["a", "b", "tie"]),
            judge=st.sampled_from(["j1", "j2"]),
            iteration=st.integers(1, 2),
            finished=st.integers(0, 5),
        ),
        unique_by=lambda one: one.id,
    ),
    st.randoms(use_true_random=False),
)
def test_order_of_the_rows_does_not_matter(played: list[Comparison], dice: object) -> None:
    shuffled = list(played)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]

    assert games(shuffled) == games(played)


def test_matrix_counts_wins_and_half_ties() -> None:
    played = [Game("p", "q", 1.0), Game("q", "p", 0.5), Game("p", "x", 1.0), Game("q", "r", 0.0)]

    won, met = win_matrix(["p", "q", "r"], played), game_counts(["p", "q", "r"], played)

    assert won == [[0.0, 1.5, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert met == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
