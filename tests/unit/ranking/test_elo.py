"""The formulas and examples of seed 003, section 12, and of its tests in 19.4."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import elo
from acm_workers.ranking.games import Game

PLAYERS = ["p", "q", "r", "s"]
games = st.lists(
    st.builds(
        lambda pair, score: Game(pair[0], pair[1], score),
        st.permutations(PLAYERS),
        st.sampled_from([1.0, 0.5, 0.0]),
    ),
    max_size=30,
)


def test_first_win_moves_sixteen_points() -> None:
    rated = elo.ratings(["p", "q"], [Game("p", "q", 1.0)])

    assert rated["p"].points == 1516.0
    assert rated["q"].points == 1484.0
    assert rated["p"].history == (1500.0, 1516.0)


def test_tie_of_equals_moves_nothing() -> None:
    rated = elo.ratings(["p", "q"], [Game("p", "q", 0.5)])

    assert (rated["p"].points, rated["q"].points) == (1500.0, 1500.0)
    assert (rated["p"].ties, rated["q"].ties) == (1, 1)


def test_two_hundred_points_more_expect_three_quarters() -> None:
    assert elo.expected(1500, 1500) == 0.5
    assert elo.expected(1600, 1400) == pytest.approx(0.7597, abs=1e-4)
    assert elo.expected(1600, 1400) + elo.expected(1400, 1600) == pytest.approx(1.0)


def test_beating_a_stronger_one_earns_more() -> None:
    favourite_wins_twice = [Game("q", "p", 1.0), Game("q", "p", 1.0)]

    history = elo.ratings(["p", "q"], [*favourite_wins_twice, Game("p", "q", 1.0)])["p"].history

    assert history[3] - history[2] > 16.0


def test_k_and_initial_come_from_the_config() -> None:
    rated = elo.ratings(["p", "q"], [Game("p", "q", 0.0)], k=64, initial=1000)

    assert (rated["p"].points, rated["q"].points) == (968.0, 1032.0)


def test_player_without_games_keeps_the_initial_rating() -> None:
    rated = elo.ratings(["p", "q", "r"], [Game("p", "q", 1.0)])["r"]

    assert (rated.points, rated.games, rated.history) == (1500.0, 0, (1500.0,))


@pytest.mark.parametrize("game", [Game("p", "x", 1.0), Game("x", "p", 1.0), Game("p", "p", 1.0)])
def test_game_of_anybody_else_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="two of the players"):
        elo.ratings(["p", "q"], [game])


@given(games)
def test_points_are_moved_never_made(played: list[Game]) -> None:
    rated = elo.ratings(PLAYERS, played)

    assert sum(one.points for one in rated.values()) == pytest.approx(1500.0 * len(PLAYERS))


@given(games)
def test_history_has_one_entry_more_than_games(played: list[Game]) -> None:
    for one in elo.ratings(PLAYERS, played).values():
        assert len(one.history) == one.games + 1
        assert one.wins + one.losses + one.ties == one.games
        assert one.history[-1] == one.points


@given(games)
def test_naming_the_players_the_other_way_round_changes_nothing(played: list[Game]) -> None:
    turned = [Game(game.b, game.a, 1 - game.score_a) for game in played]

    there, back = elo.ratings(PLAYERS, played), elo.ratings(PLAYERS, turned)

    assert [there[one].points for one in PLAYERS] == pytest.approx(
        [back[one].points for one in PLAYERS]
    )


few_games = st.lists(
    st.builds(
        lambda pair, score: Game(pair[0], pair[1], score),
        st.permutations(PLAYERS),
        st.sampled_from([1.0, 0.5, 0.0]),
    ),
    max_size=12,
)


@given(few_games, st.randoms(use_true_random=False))
def test_shuffled_does_not_depend_on_the_order_given(
    played: list[Game], draw: random.Random
) -> None:
    other = [Game(game.b, game.a, 1 - game.score_a) for game in played]
    draw.shuffle(other)

    assert elo.ratings(PLAYERS, other, order="shuffled", seed=3) == elo.ratings(
        PLAYERS, played, order="shuffled", seed=3
    )


def test_chronological_does_depend_on_the_order_given() -> None:
    played = [Game("p", "q", 1.0), Game("q", "r", 1.0), Game("r", "p", 1.0)]

    first, second = elo.ratings(PLAYERS, played), elo.ratings(PLAYERS, played[::-1])

    assert max(PLAYERS, key=lambda one: first[one].points) == "r"
    assert max(PLAYERS, key=lambda one: second[one].points) == "p"


def test_shuffled_finds_no_best_one_in_a_circle() -> None:
    played = [Game("p", "q", 1.0), Game("q", "r", 1.0), Game("r", "p", 1.0)] * 3

    rated = elo.ratings(PLAYERS, played, order="shuffled")

    assert [rated[one].points for one in "pqr"] == pytest.approx([1500.0] * 3, abs=6)


def test_shuffled_of_one_game_is_that_game() -> None:
    played = [Game("p", "q", 1.0)]

    shuffled = elo.ratings(PLAYERS, played, order="shuffled")

    assert shuffled == elo.ratings(PLAYERS, played)


def test_seed_draws_other_shuffles() -> None:
    played = [Game("p", "q", 1.0), Game("q", "r", 1.0), Game("r", "p", 1.0)]

    first, again, other = (
        elo.ratings(PLAYERS, played, order="shuffled", seed=seed) for seed in (1, 1, 2)
    )

    assert first == again != other


@given(few_games)
def test_shuffled_points_are_moved_never_made(played: list[Game]) -> None:
    rated = elo.ratings(PLAYERS, played, order="shuffled")

    assert sum(one.points for one in rated.values()) == pytest.approx(1500.0 * len(PLAYERS))


@given(few_games)
def test_shuffled_history_has_one_entry_more_than_games(played: list[Game]) -> None:
    chronological = elo.ratings(PLAYERS, played)

    for name, one in elo.ratings(PLAYERS, played, order="shuffled").items():
        same = chronological[name]
        assert len(one.history) == one.games + 1
        assert (one.history[0], one.history[-1]) == (1500.0, one.points)
        assert (one.games, one.wins, one.losses, one.ties) == (
            same.games, same.wins, same.losses, same.ties,
        )  # fmt: skip


def test_12_1_everybody_starts_at_1500() -> None:
    assert elo.ratings(["a"], [])["a"].points == 1500.0


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [(1500, 1500, 0.5), (1600, 1400, 0.7597), (1400, 1600, 0.2403), (1900, 1500, 10 / 11)],
)
def test_12_2_expected_score(a: float, b: float, score: float) -> None:
    assert elo.expected(a, b) == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize(
    ("score_a", "points"), [(1.0, (1516, 1484)), (0.5, (1500, 1500)), (0.0, (1484, 1516))]
)
def test_12_3_a_game_of_equals(score_a: float, points: tuple[float, float]) -> None:
    rated = elo.ratings(["a", "b"], [Game("a", "b", score_a)])

    assert (rated["a"].points, rated["b"].points) == points


@pytest.mark.parametrize(("k", "gain"), [(16, 8), (32, 16), (64, 32)])
def test_12_4_k_says_how_much_a_game_moves(k: float, gain: float) -> None:
    rated = elo.ratings(["a", "b"], [Game("a", "b", 1.0)], k=k)

    assert rated["a"].points == 1500 + gain


def test_12_3_second_win_of_the_favourite_earns_less() -> None:
    """1516 against 1484 expects 0.5459, so that a win earns 32 x 0.4541 = 14.53."""
    history = elo.ratings(["a", "b"], [Game("a", "b", 1.0)] * 2)["a"].history

    assert history == pytest.approx((1500.0, 1516.0, 1530.53), abs=0.005)


def test_12_6_games_are_rated_in_the_order_they_were_played() -> None:
    """After its loss, b has 1484 against 1500 and wins 32 x 0.5230 = 16.74."""
    rated = elo.ratings(["a", "b", "c"], [Game("a", "b", 1.0), Game("b", "c", 1.0)])

    assert rated["b"].history == pytest.approx((1500.0, 1484.0, 1500.74), abs=0.005)
    assert rated["c"].points == pytest.approx(1483.26, abs=0.005)


def test_19_4_an_upset_is_worth_more_than_a_win_among_equals() -> None:
    favourite = [Game("b", "a", 1.0)] * 20

    history = elo.ratings(["a", "b"], [*favourite, Game("a", "b", 1.0)])["a"].history

    assert history[-2] < 1400
    assert history[-1] - history[-2] > 24 > 16
