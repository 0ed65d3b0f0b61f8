"""What games, ratings and standings make of the odd cases, from verdicts to the order."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import bradley_terry, elo, fusion, pairs
from acm_workers.ranking.games import games
from acm_workers.ranking.standings import standings
from schemas.config.judging import Pairwise, PositionSwap
from schemas.config.ranking import EloOptions, RankingMethod, RankingOptions
from schemas.ranking import ScoreSummary, Standing
from schemas.units import Comparison, Winner
from tests.support.judging_records import artifact, comparison, config, judge

IDS = ["p", "q", "r", "s", "t"]


def summary(name: str, overall: float) -> ScoreSummary:
    return ScoreSummary(
        artifact_id=name, overall=overall, criteria={}, by_judge={}, std_dev=None,
        lowest=overall, highest=overall, confidence=None, count=1, missing=0,
    )  # fmt: skip


def ranked(
    ids: list[str],
    comparisons: list[Comparison],
    scores: dict[str, float] | None = None,
    method: RankingMethod = "combined",
    order: str = "chronological",
) -> list[Standing]:
    """Go from verdicts to the order as a run does, without a posterior."""
    played = games(comparisons)
    players = [one for one in ids if any(one in (game.a, game.b) for game in played)]
    options = EloOptions.model_validate({"order": order})
    made = config(method=method).model_copy(
        update={
            "pairwise": Pairwise(strategy="round_robin"),
            "ranking": RankingOptions(method=method),
        }
    )
    return standings(
        [artifact(one) for one in ids],
        {name: summary(name, overall) for name, overall in (scores or {}).items()},
        elo.ratings(players, played, order=options.order, seed=made.seed),
        made,
        bradley_terry=bradley_terry.fit(players, played, seed=made.seed),
    )


def asked(
    ids: list[str], swap: PositionSwap, winner: Winner, seed: int = 0, judges: int = 1
) -> list[Comparison]:
    """Return a round robin in which every verdict is the same word."""
    panel = [judge(f"j{number}") for number in range(judges)]
    planned = pairs.planned(pairs.round_robin(ids), panel, swap=swap, iterations=1, seed=seed)
    return [
        comparison((pair.a, pair.b), winner, judge=pair.judge, finished=place)
        for place, pair in enumerate(planned)
    ]


METHODS: list[RankingMethod] = ["combined", "elo", "bradley_terry", "score"]


@pytest.mark.parametrize("method", METHODS)
def test_one_candidate_is_ranked_by_its_score_and_wins(method: RankingMethod) -> None:
    found = ranked(["p"], [], {"p": 4.0}, method)

    assert [(one.rank, one.rank_score, one.games) for one in found] == [(1, 4.0, 0)]
    assert fusion.winner(found, [artifact("p")], [], 0.5) == (
        "p", "It is the only candidate; nothing was compared.",
    )  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_nothing_compared_leaves_the_scores_to_decide(method: RankingMethod) -> None:
    failed = [comparison(("p", "q"), None), comparison(("q", "r"), None)]

    found = ranked(["p", "q", "r"], failed, {"p": 5.0, "q": 9.0, "r": 7.0}, method)

    assert [(one.artifact_id, one.rank_score) for one in found] == [
        ("q", 9.0), ("r", 7.0), ("p", 5.0),
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("swap", ["both", "random", "none"])
def test_all_equal_have_one_rank_score_and_the_newest_goes_first(
    method: RankingMethod, swap: PositionSwap
) -> None:
    found = ranked(IDS, asked(IDS, swap, "tie"), dict.fromkeys(IDS, 7.0), method)

    assert len({round(one.rank_score or 0, 6) for one in found}) == 1
    assert [one.artifact_id for one in found] == IDS[::-1]


@pytest.mark.parametrize("method", ["combined", "elo", "bradley_terry"])
def test_judge_who_always_ties_changes_no_order_of_the_others(method: RankingMethod) -> None:
    by_place = [
        comparison(pair, "a", finished=place)
        for place, pair in enumerate(itertools.combinations(IDS, 2))
    ]
    ties = [
        comparison(pair, "tie", judge="k", finished=20 + place)
        for place, pair in enumerate(itertools.combinations(IDS, 2))
    ]

    for verdicts in (by_place, by_place + ties):
        found = ranked(IDS, verdicts, method=method)
        assert [one.artifact_id for one in found] == IDS


def test_judge_who_always_ties_draws_the_strengths_together() -> None:
    won = games([comparison(("p", "q"), "a"), comparison(("p", "q"), "a", iteration=2)])
    tied = games([comparison(("p", "q"), "tie", judge="k", iteration=n) for n in (1, 2)])

    alone = bradley_terry.fit(["p", "q"], won).estimates
    both = bradley_terry.fit(["p", "q"], won + tied).estimates

    assert 1500 < both["p"].points < alone["p"].points


@pytest.mark.parametrize("winner", ["a", "b"])
def test_judge_who_always_says_the_same_place_ties_everybody_in_both_orders(
    winner: Winner,
) -> None:
    verdicts = asked(IDS, "both", winner, judges=2)

    found = ranked(IDS, verdicts, {"p": 5.0, "q": 9.0, "r": 8.0, "s": 7.0, "t": 6.0})

    assert all(one.wins == 0 and one.elo == 1500.0 for one in found)
    assert "".join(one.artifact_id for one in found) == "qrstp"


@given(st.integers(0, 1000), st.sampled_from(["a", "b"]))
def test_judge_who_always_says_the_same_place_favours_nobody_in_random_order(
    seed: int, winner: Winner
) -> None:
    """Five candidates meet four others each, twice as first and twice as second."""
    fitted = bradley_terry.fit(IDS, games(asked(IDS, "random", winner, seed)), bootstraps=1)

    assert [one.points for one in fitted.estimates.values()] == pytest.approx([1500.0] * 5)


def test_judge_who_always_says_the_same_place_makes_everybody_win_as_often() -> None:
    """Four candidates cannot be first as often as second: over many seeds it evens out."""
    ids, seeds = IDS[:4], 400
    wins: Counter[str] = Counter()
    for seed in range(seeds):
        for game in games(asked(ids, "random", "a", seed)):
            wins[game.a if game.score_a == 1 else game.b] += 1

    # Each wins one or two of three games: 1.5 on average, with a standard error of 0.025.
    assert [wins[one] / seeds for one in ids] == pytest.approx([1.5] * 4, abs=0.1)


@given(
    st.lists(
        st.tuples(st.permutations(IDS[:4]), st.sampled_from(["a", "b", "tie"])),
        min_size=1, max_size=12,
    ),
    st.randoms(use_true_random=False),
    st.sampled_from([("bradley_terry", "chronological"), ("elo", "shuffled")]),
)  # fmt: skip
def test_order_in_which_comparisons_are_stored_and_finished_changes_no_place(
    verdicts: list[tuple[list[str], Winner]],
    draw: random.Random,
    how: tuple[RankingMethod, str],
) -> None:
    method, order = how
    stored = [
        comparison((ids[0], ids[1]), winner, iteration=place, finished=place)
        for place, (ids, winner) in enumerate(verdicts, start=1)
    ]
    times = [one.finished_at for one in stored]
    draw.shuffle(times)
    other = [
        one.model_copy(update={"finished_at": time})
        for one, time in zip(stored, times, strict=True)
    ]
    draw.shuffle(other)

    first, second = (
        [(one.artifact_id, one.rank_score) for one in ranked(IDS[:4], given, None, method, order)]
        for given in (stored, other)
    )

    assert second == first
