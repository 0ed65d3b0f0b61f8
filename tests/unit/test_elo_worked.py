"""The formulas and examples of seed 003, section 12, and of its tests in 19.4."""

import pytest

from acm_workers.ranking import elo
from acm_workers.ranking.games import Game


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
