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
