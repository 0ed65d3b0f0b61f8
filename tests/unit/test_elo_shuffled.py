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
    max_size=12,
)


@given(games, st.randoms(use_true_random=False))
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


@given(games)
def test_shuffled_points_are_moved_never_made(played: list[Game]) -> None:
    rated = elo.ratings(PLAYERS, played, order="shuffled")

    assert sum(one.points for one in rated.values()) == pytest.approx(1500.0 * len(PLAYERS))


@given(games)
def test_shuffled_history_has_one_entry_more_than_games(played: list[Game]) -> None:
    chronological = elo.ratings(PLAYERS, played)

    for name, one in elo.ratings(PLAYERS, played, order="shuffled").items():
        same = chronological[name]
        assert len(one.history) == one.games + 1
        assert (one.history[0], one.history[-1]) == (1500.0, one.points)
        assert (one.games, one.wins, one.losses, one.ties) == (
            same.games, same.wins, same.losses, same.ties,
        )  # fmt: skip
