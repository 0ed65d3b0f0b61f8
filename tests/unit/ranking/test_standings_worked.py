"""The rules and formulas of seed 003, sections 13 and 16.4."""

import pytest

from acm_workers.ranking.standings import standings
from schemas.config.ranking import RankingMethod
from schemas.ranking import Rating, ScoreSummary, Standing
from tests.support.judging_records import artifact, config


def ranked(
    known: dict[str, tuple[float | None, float | None]], method: RankingMethod | None = None
) -> list[Standing]:
    """Rank candidates of which overall score and Elo are given."""
    summaries = {
        name: ScoreSummary(
            artifact_id=name, overall=overall, criteria={}, by_judge={}, std_dev=None,
            lowest=overall, highest=overall, confidence=None, count=1, missing=0,
        )
        for name, (overall, _) in known.items() if overall is not None
    }  # fmt: skip
    ratings = {
        name: Rating(artifact_id=name, points=elo, games=1, wins=0, losses=0, ties=1, history=())
        for name, (_, elo) in known.items()
        if elo is not None
    }
    artifacts = [artifact(name, created=place) for place, name in enumerate(known)]
    return standings(artifacts, summaries, ratings, config(method=method))


@pytest.mark.parametrize(
    ("overall", "elo", "score"),
    [(7.0, 1500.0, 5.8), (8.0, 2000.0, 9.2), (9.0, 1000.0, 3.6), (7.85, 1516.0, 6.236)],
)
def test_16_4_combined_is_six_tenths_elo_and_four_tenths_score(
    overall: float, elo: float, score: float
) -> None:
    assert ranked({"a": (overall, elo)})[0].rank_score == pytest.approx(score)


def test_16_4_score_alone_where_nothing_was_compared() -> None:
    assert [one.rank_score for one in ranked({"a": (6.0, None), "b": (8.0, None)})] == [8.0, 6.0]


@pytest.mark.parametrize(
    ("method", "order"), [("elo", "bca"), ("score", "abc"), ("combined", "bac")]
)
def test_16_4_methods(method: RankingMethod, order: str) -> None:
    found = ranked({"a": (9.0, 1400.0), "b": (7.0, 1600.0), "c": (5.0, 1450.0)}, method)

    assert "".join(one.artifact_id for one in found) == order
    assert [one.rank for one in found] == [1, 2, 3]


@pytest.mark.parametrize(
    ("elo", "level", "verb"),
    [(1700.0, "0.700", "reaches"), (1699.0, "0.699", "is below"), (1500.0, "0.500", "is below")],
)
def test_13_4_elo_is_normalised_from_1000_to_2000(elo: float, level: str, verb: str) -> None:
    found = ranked({"a": (None, elo)}, "elo")[0]

    assert found.reason.startswith(f"its level of {level} {verb} the threshold of 0.7")


@pytest.mark.parametrize(("overall", "verb"), [(7.0, "reaches"), (6.9, "is below")])
def test_13_4_scores_are_normalised_by_ten(overall: float, verb: str) -> None:
    found = ranked({"a": (overall, None)})[0]

    assert found.reason.startswith(f"its level of {overall / 10:.3f} {verb} the threshold of 0.7")


def test_13_4_of_whom_nothing_is_known_comes_last() -> None:
    found = ranked({"a": (None, None), "b": (2.0, None)})

    assert [(one.artifact_id, one.selected) for one in found] == [("b", True), ("a", False)]


def test_13_5_newer_one_is_preferred_among_equals() -> None:
    found = ranked({"old": (7.0, 1500.0), "new": (7.0, 1500.0)})

    assert [one.artifact_id for one in found] == ["new", "old"]
