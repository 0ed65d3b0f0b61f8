import pytest

from acm_workers.ranking.standings import RankedQuality, TopNChoice, choose_top_n, standings
from schemas.config.judging import Criterion
from schemas.config.ranking import RankingMethod, TopN
from schemas.ranking import Rating, ScoreSummary, Standing
from tests.support.judging_records import artifact, config


def summary(name: str, overall: float, std_dev: float | None = None) -> ScoreSummary:
    return ScoreSummary(
        artifact_id=name,
        overall=overall,
        criteria={},
        by_judge={},
        std_dev=std_dev,
        lowest=overall,
        highest=overall,
        confidence=None,
        count=1,
        missing=0,
    )


def rating(name: str, points: float, games: int = 2, wins: int = 1) -> Rating:
    return Rating(
        artifact_id=name,
        points=points,
        games=games,
        wins=wins,
        losses=games - wins,
        ties=0,
        history=(1500.0, points),
    )


def ranked(
    scored: dict[str, float],
    rated: dict[str, float] | None = None,
    *,
    method: RankingMethod | None = None,
    top_n: TopN | None = None,
) -> list[Standing]:
    names = sorted({*scored, *(rated or {})})
    return standings(
        [artifact(name) for name in names],
        {name: summary(name, overall) for name, overall in scored.items()},
        {name: rating(name, points) for name, points in (rated or {}).items()},
        config(method=method, top_n=top_n),
    )


def test_combined_weighs_elo_and_score() -> None:
    found = ranked({"p": 7.85, "q": 7.0}, {"p": 1500.0, "q": 2000.0})

    assert [one.artifact_id for one in found] == ["q", "p"]
    assert found[0].rank_score == pytest.approx(0.6 * 10 + 0.4 * 7.0)
    assert found[1].rank_score == pytest.approx(0.6 * 5 + 0.4 * 7.85)


def test_scores_decide_where_nothing_was_compared() -> None:
    found = ranked({"p": 7.0, "q": 8.0, "r": 6.0})

    assert [(one.artifact_id, one.rank, one.rank_score) for one in found] == [
        ("q", 1, 8.0),
        ("p", 2, 7.0),
        ("r", 3, 6.0),
    ]
    assert all(one.admitted for one in found)


@pytest.mark.parametrize(("method", "order", "best"), [("elo", "qp", 1600.0), ("score", "pq", 9.0)])
def test_method_says_what_decides(method: RankingMethod, order: str, best: float) -> None:
    found = ranked({"p": 9.0, "q": 6.0}, {"p": 1400.0, "q": 1600.0}, method=method)

    assert "".join(one.artifact_id for one in found) == order
    assert found[0].rank_score == best


def test_those_not_compared_rank_below_by_score() -> None:
    found = standings(
        [artifact("p"), artifact("q"), artifact("r"), artifact("s")],
        {"p": summary("p", 2.0), "q": summary("q", 8.0), "r": summary("r", 9.0)},
        {"p": rating("p", 1400.0), "q": rating("q", 1500.0, games=0)},
        config(),
    )

    assert [(one.artifact_id, one.admitted, one.rank_score) for one in found] == [
        ("p", True, pytest.approx(3.2)),
        ("r", False, 9.0),
        ("q", False, 8.0),
        ("s", False, None),
    ]
    assert (found[2].elo, found[2].games) == (None, 0)


def test_games_alone_rank_one_whose_evaluations_failed() -> None:
    found = ranked({"p": 5.0}, {"p": 1500.0, "q": 1600.0})

    assert [(one.artifact_id, one.rank_score) for one in found] == [("q", 6.0), ("p", 5.0)]


def test_unfinished_artifacts_are_not_ranked() -> None:
    found = standings([artifact("p", state="failed"), artifact("q")], {}, {}, config())

    assert [one.artifact_id for one in found] == ["q"]


def test_more_wins_break_a_tie_before_anything_else() -> None:
    found = standings(
        [artifact("p", created=1), artifact("q")],
        {"p": summary("p", 7.0, 0.1), "q": summary("q", 7.0, 0.9)},
        {"p": rating("p", 1500.0, wins=1), "q": rating("q", 1500.0, wins=2)},
        config(),
    )

    assert [one.artifact_id for one in found] == ["q", "p"]


def test_scores_closer_together_break_a_tie_next() -> None:
    found = standings(
        [artifact("p", created=1), artifact("q", created=2), artifact("r")],
        {"p": summary("p", 7.0, 0.9), "q": summary("q", 7.0), "r": summary("r", 7.0, 0.1)},
        {},
        config(),
    )

    assert [one.artifact_id for one in found] == ["r", "p", "q"]


def test_newer_one_breaks_a_tie_at_last() -> None:
    found = standings(
        [artifact("p", created=2), artifact("q", created=1), artifact("r", created=2)],
        {name: summary(name, 7.0) for name in "pqr"},
        {},
        config(),
    )

    assert [one.artifact_id for one in found] == ["r", "p", "q"]


def test_top_n_takes_count_of_the_good_ones() -> None:
    found = ranked({"p": 9.0, "q": 8.0, "r": 7.5, "s": 7.2, "t": 6.0})

    assert [one.selected for one in found] == [True, True, True, False, False]
    assert found[0].reason == "its level of 0.900 reaches the threshold of 0.7"
    assert found[3].reason.endswith("but 3 better ones are taken already")
    assert found[4].reason == "its level of 0.600 is below the threshold of 0.7"


def test_top_n_takes_fewer_if_only_few_are_good() -> None:
    found = ranked({"p": 9.0, "q": 7.0, "r": 6.9})

    assert [one.selected for one in found] == [True, True, False]


def test_nobody_is_called_the_best_where_there_is_no_top_n() -> None:
    found = choose_top_n([RankedQuality(0.9, True), RankedQuality(None, False)], None)

    assert found == [TopNChoice(False, "the configuration has no top N")] * 2


def test_top_n_fills_up_to_its_minimum() -> None:
    found = ranked({"p": 5.0, "q": 4.0, "r": 3.0}, top_n=TopN(min=2))

    assert [one.selected for one in found] == [True, True, False]
    assert found[1].reason.endswith("but at least 2 must be taken")


def test_top_n_never_takes_more_than_its_maximum() -> None:
    found = ranked({"p": 9.0, "q": 8.0, "r": 8.0}, top_n=TopN(count=3, max=2))

    assert [one.selected for one in found] == [True, True, False]


def test_top_n_leaves_out_those_not_compared() -> None:
    found = standings(
        [artifact("p"), artifact("q"), artifact("r")],
        {"p": summary("p", 9.0), "q": summary("q", 9.0)},
        {"p": rating("p", 1900.0)},
        config(),
    )

    assert [one.selected for one in found] == [True, False, False]
    assert found[1].reason == "was not compared with the others"
    assert found[2].reason == "nothing is known of its quality that can be compared"


@pytest.mark.parametrize(("points", "selected"), [(1701.0, True), (1699.0, False)])
def test_elo_is_measured_from_a_thousand_to_two_thousand(points: float, selected: bool) -> None:
    found = ranked({}, {"p": 1800.0, "q": points}, method="elo")

    assert found[1].selected is selected


@pytest.mark.parametrize(("overall", "selected"), [(3.6, True), (3.4, False)])
def test_scores_are_measured_by_the_end_of_their_scale(overall: float, selected: bool) -> None:
    five = config(criteria=(Criterion(name="x", max=5), Criterion(name="y", max=5)))
    scored = {"p": summary("p", 4.5), "q": summary("q", overall)}

    found = standings([artifact("p"), artifact("q")], scored, {}, five)

    assert found[1].selected is selected


def test_combined_level_allows_for_shorter_scales() -> None:
    five = config(criteria=(Criterion(name="x", max=5),))
    rated = {"p": rating("p", 2000.0), "q": rating("q", 1500.0)}

    found = standings([artifact("p"), artifact("q")], {"p": summary("p", 5.0)}, rated, five)

    assert found[0].reason == "its level of 1.000 reaches the threshold of 0.7"
    assert found[1].reason == "its level of 0.500 is below the threshold of 0.7"
