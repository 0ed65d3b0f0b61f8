import math
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acm_workers.ranking import bradley_terry, newton
from acm_workers.ranking.bradley_terry import GameCounts, GameLikelihoods, count_games, fit
from acm_workers.ranking.games import Game
from tests.support.random_games import drawn

IDS = ["p", "q", "r", "s"]
games = st.lists(
    st.builds(
        lambda pair, score: Game(pair[0], pair[1], score),
        st.permutations(IDS),
        st.sampled_from([1.0, 0.5, 0.0]),
    ),
    max_size=30,
)


def test_three_wins_in_four_are_odds_of_three_to_one() -> None:
    counts = GameCounts(np.array([[0, 3_000_000], [1_000_000, 0]]), np.zeros((2, 2), dtype=np.intp))

    found = bradley_terry.strengths(counts) * bradley_terry.POINTS_PER_LOGIT

    assert found[0] - found[1] == pytest.approx(400 * math.log10(3), abs=0.01)


def test_only_ties_leave_everybody_at_the_mean() -> None:
    found = fit(["p", "q", "r"], [Game("p", "q", 0.5), Game("q", "r", 0.5)])

    assert [one.points for one in found.estimates.values()] == pytest.approx([1500.0] * 3)
    assert found.notes == ()


def test_groups_that_were_never_compared_are_named() -> None:
    found = fit(IDS, [Game("p", "q", 0.5), Game("r", "s", 0.5)])

    assert found.notes == (
        "2 groups were never compared with each other; only the prior places them: p, q; r, s.",
    )


def test_mean_of_the_strengths_is_fifteen_hundred() -> None:
    found = fit(IDS, drawn(IDS, 30, 5)).estimates

    assert sum(one.points for one in found.values()) == pytest.approx(4 * 1500.0)


@given(games, st.randoms(use_true_random=False))
def test_order_of_the_games_and_of_their_sides_changes_nothing(
    played: list[Game], draw: random.Random
) -> None:
    turned = [
        Game(game.b, game.a, 1 - game.score_a) if draw.random() < 0.5 else game for game in played
    ]
    draw.shuffle(turned)

    assert fit(IDS, turned, bootstraps=20) == fit(IDS, played, bootstraps=20)


@given(games, st.permutations(IDS))
def test_strengths_do_not_depend_on_who_is_called_what(
    played: list[Game], others: list[str]
) -> None:
    name = dict(zip(IDS, others, strict=True))
    renamed = [Game(name[game.a], name[game.b], game.score_a) for game in played]

    first, second = fit(IDS, played, bootstraps=1), fit(IDS, renamed, bootstraps=1)

    assert {name[one]: found.points for one, found in first.estimates.items()} == pytest.approx(
        {one: found.points for one, found in second.estimates.items()}
    )


_counts = st.sampled_from([0, 0, 0, 1, 2, 7, 1000, 1_000_000])


@given(st.lists(_counts, min_size=12, max_size=12), st.floats(1e-4, 3), st.floats(1e-4, 3))
@example([*[0] * 11, 1_000_000], 0.00390625, 0.00390625)
def test_everybody_is_expected_to_win_what_they_won(
    counts: list[int], prior_wins: float, prior_losses: float
) -> None:
    wins = np.zeros((1, 4, 4))
    wins[0][~np.eye(4, dtype=bool)] = counts
    up, down = np.full((1, 4), prior_wins), np.full((1, 4), prior_losses)

    found = newton.maximise(GameLikelihoods(wins, up, down), np.zeros((1, 4)))[0]

    chance = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    expected = ((wins[0] + wins[0].T) * chance).sum(axis=1)
    expected += (prior_wins + prior_losses) / (1 + np.exp(-found))
    assert np.isfinite(found).all()
    assert expected == pytest.approx(wins[0].sum(axis=1) + prior_wins, rel=1e-6, abs=1e-6)


def test_strengths_that_do_not_settle_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newton, "_MAX_STEPS", 1)

    with pytest.raises(ArithmeticError, match="did not settle in 1 steps"):
        fit(["p", "q"], [Game("p", "q", 1.0)])


@pytest.mark.parametrize("game", [Game("p", "x", 1.0), Game("x", "p", 1.0), Game("p", "p", 1.0)])
def test_game_of_anybody_else_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="two of the players"):
        count_games(["p", "q"], [Game("p", "q", 1.0), game])


def test_nobody_has_a_strength_without_games() -> None:
    assert fit(IDS, []) == bradley_terry.BradleyTerry({}, ())
    assert fit([], []) == bradley_terry.BradleyTerry({}, ())
    assert set(fit(IDS, [Game("p", "r", 1.0)]).estimates) == {"p", "r"}
