import pytest

from acm_workers.ranking.fusion import fusions, winner
from acm_workers.ranking.games import Game
from acm_workers.ranking.score_effects import estimate
from schemas.ranking import Fusion, ScoreSummary, Standing
from tests.support.judging_records import artifact, judge_scores

PARENTS = [artifact("p"), artifact("q")]
CHILD = artifact("c", parents=("q", "p"))


def standing(name: str, rank: int, *, rank_score: float | None = 7.0, games: int = 2) -> Standing:
    return Standing(
        artifact_id=name,
        rank=rank,
        admitted=True,
        rank_score=rank_score,
        overall=rank_score,
        elo=None,
        wins=0,
        games=games,
        selected=True,
        reason="",
    )


def summary(overall: float, std_dev: float | None = None, count: int = 1) -> ScoreSummary:
    return ScoreSummary(
        artifact_id="any",
        overall=overall,
        criteria={},
        by_judge={},
        std_dev=std_dev,
        lowest=overall,
        highest=overall,
        confidence=None,
        count=count,
        missing=0,
        judges=(judge_scores(overall, count=count, std_dev=std_dev),),
    )


RANKED = [standing("c", 1), standing("p", 2), standing("q", 3)]


def test_fusion_is_measured_against_the_parent_that_ranks_highest() -> None:
    games = [Game("c", "p", 1.0), Game("p", "c", 0.5), Game("c", "q", 0.0), Game("p", "q", 1.0)]

    found = fusions(
        [*PARENTS, CHILD], games, estimate({"c": summary(8.0), "p": summary(7.5)}), RANKED
    )

    assert found == [Fusion(artifact_id="c", parent_id="p", better=2.5 / 4, games=2, lift=0.5)]


def test_fusion_without_direct_games_rests_on_scores() -> None:
    scored = {"c": summary(8.0, 1.0, 4), "p": summary(7.0, 1.0, 4)}

    found = fusions([*PARENTS, CHILD], [Game("c", "q", 0.0)], estimate(scored), RANKED)[0]

    assert (found.games, found.lift) == (0, 1.0)
    assert found.better == pytest.approx(0.7947, abs=1e-4)


def test_equal_scores_are_not_certain() -> None:
    scored = {"c": summary(8.0, 0.0, 2), "p": summary(7.5, 0.0, 2)}

    assert fusions([*PARENTS, CHILD], [], estimate(scored), RANKED)[0].better == pytest.approx(
        0.6697, abs=1e-4
    )


def test_single_scores_are_taken_as_uncertain() -> None:
    scored = {"c": summary(8.0), "p": summary(7.0)}

    assert fusions([*PARENTS, CHILD], [], estimate(scored), RANKED)[0].better == pytest.approx(
        0.7563, abs=1e-4
    )


def test_fusion_of_which_nothing_is_known_is_even() -> None:
    found = fusions([*PARENTS, CHILD], [], estimate({"c": summary(8.0)}), RANKED)[0]

    assert (found.better, found.lift) == (0.5, None)


def test_fusion_that_is_not_ranked_is_left_out() -> None:
    assert fusions([*PARENTS, CHILD], [], None, RANKED[1:]) == []
    assert fusions([*PARENTS, CHILD], [], None, RANKED[:1]) == []


def test_highest_ranked_candidate_wins() -> None:
    found = winner([standing("q", 2), standing("p", 1)], PARENTS, [], 0.5)

    assert found == ("p", "Rank 1 of 2 by scores and comparisons.")


@pytest.mark.parametrize(("better", "expected"), [(0.49, "p"), (0.5, "c")])
def test_combined_candidate_wins_only_if_better_than_its_parent(
    better: float, expected: str
) -> None:
    fusion = Fusion(artifact_id="c", parent_id="p", better=better, games=1, lift=None)

    found, reason = winner(RANKED, [*PARENTS, CHILD], [fusion], 0.5)

    assert found == expected
    assert ("passed over" in reason) == (expected == "p")


def test_reason_names_the_probability_that_was_not_reached() -> None:
    fusion = Fusion(artifact_id="c", parent_id="p", better=1 / 3, games=1, lift=None)

    _, reason = winner(RANKED, [*PARENTS, CHILD], [fusion], 0.5)

    assert reason == (
        "Rank 2 of 3 by scores and comparisons. The combined candidate on rank 1 was passed over: "
        "it is better than its best parent with a probability of 0.33, and 0.5 is needed."
    )


def test_only_candidate_wins_and_the_reason_says_that_nothing_was_compared() -> None:
    found = winner([standing("p", 1, rank_score=None, games=0)], PARENTS[:1], [], 0.5)

    assert found == ("p", "It is the only candidate; nothing was compared.")


def test_reason_tells_scores_from_comparisons() -> None:
    uncompared = [standing("p", 1, games=0), standing("q", 2, games=0)]
    mixed = [standing("p", 1, games=0), standing("q", 2)]

    assert winner(uncompared, PARENTS, [], 0.5)[1].endswith("by scores, as nothing was compared.")
    assert winner(mixed, PARENTS, [], 0.5)[1].endswith("by scores, as it was not compared.")


def test_nobody_wins_among_several_of_which_nothing_is_known() -> None:
    unknown = [standing("p", 1, rank_score=None), standing("q", 2, rank_score=None)]

    found, reason = winner(unknown, PARENTS, [], 0.5)

    assert found is None
    assert reason == "No candidate has a score or a comparison to win by."


def test_nobody_wins_without_candidates() -> None:
    assert winner([], [], [], 0.5) == (None, "There is no candidate.")


def test_nobody_wins_where_all_are_combined_and_none_is_surely_better() -> None:
    combined = [artifact("c", parents=("p", "q"))]

    found, reason = winner([standing("c", 1)], combined, [], 0.9)

    assert found is None
    assert "was passed over" in reason
