"""Rankings that did not come about: what would put another candidate in front."""

from typing import Any

import pytest

from acm_workers.pipeline import explain
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import RankingMethod
from schemas.units import Artifact, Comparison, Document, Evaluation
from tests.support import judging_records
from tests.support.judging_records import artifact, comparison, evaluation


def view(
    evaluations: list[Evaluation],
    comparisons: list[Comparison],
    artifacts: list[Artifact] | None = None,
) -> DocumentSnapshot:
    document = Document(
        id="doc",
        run_id="run",
        path="a.md",
        key="k",
        stage="finished",
        created_at=judging_records.START,
    )
    return DocumentSnapshot(
        document, artifacts or [artifact("a"), artifact("b")], evaluations, comparisons
    )


def config(method: RankingMethod, **changes: Any) -> Config:
    criteria = (Criterion(name="x", weight=1.0),)
    return judging_records.config(method=method, criteria=criteria).model_copy(update=changes)


@pytest.mark.parametrize(("won", "needed"), [(1, 1), (2, 2)])
def test_elo_tells_how_many_wins_bring_another_one_to_the_front(won: int, needed: int) -> None:
    # After one win 1516 and 1484: a win of b gives 1498 and 1502. After two wins 1530.5 and 1469.5:
    # one win of b gives 1511.7 and 1488.3, two give 1494.6 and 1505.4.
    games = [comparison(("a", "b"), "a", iteration=n + 1, finished=n) for n in range(won)]
    seen = view([], games)

    assert explain.current_winner(seen, config("elo")) == "a"
    assert explain.wins_needed(seen, config("elo"), "a", "b") == needed


def test_wins_that_cannot_make_up_for_scores_are_not_promised() -> None:
    # Combined, 9 points of score are worth 3.6, and so 600 points of Elo.
    seen = view([evaluation("a", 10.0), evaluation("b", 1.0)], [comparison(("a", "b"), "a")])

    assert explain.wins_needed(seen, config("combined"), "a", "b") is None


def test_belief_turns_after_a_few_wins() -> None:
    seen = view([evaluation("a", 7.0), evaluation("b", 7.0)], [comparison(("a", "b"), "a")])

    needed = explain.wins_needed(seen, config("posterior"), "a", "b")

    assert needed is not None
    assert 1 <= needed <= 3


def failed(artifact_id: str) -> Evaluation:
    return evaluation(artifact_id, None, iteration=2, state="failed")


@pytest.mark.parametrize(
    ("score_of_b", "lost", "could"),
    [
        (7.0, "b", True),  # (7 + 10) / 2 is above 8
        (5.0, "b", False),  # (5 + 10) / 2 is not
        (4.6, "a", True),  # (8 + 1) / 2 is below 4.6
        (4.4, "a", False),
    ],
)
def test_missing_scores_could_change_the_winner_if_their_extremes_do(
    score_of_b: float, lost: str, could: bool
) -> None:
    seen = view([evaluation("a", 8.0), evaluation("b", score_of_b), failed(lost)], [])

    assert explain.could_change_winner(seen, config("score"), "a", ["b"]) is could


def test_imagined_extremes_do_not_make_other_scores_look_noisy() -> None:
    """Judges agree, so that a 10 would outweigh the one verdict against b."""
    judges = (judging_records.judge("j"), judging_records.judge("k"))
    ids = ["a", "b", "c", "d", "e"]
    given = [
        evaluation(one, 5.5 if one == "a" else 5.0, judge=judge.name, scores={"x": 5})
        for one in ids
        for judge in judges
        if (one, judge.name) != ("b", "k")
    ]
    missing = evaluation("b", None, judge="k", state="failed")
    seen = view([*given, missing], [comparison(("b", "a"), "b")], [artifact(one) for one in ids])

    known = config("posterior", judges=judges)

    assert explain.current_winner(seen, known) == "a"
    assert explain.could_change_winner(seen, known, "a", ["b"])


def test_a_missing_verdict_could_change_the_winner() -> None:
    seen = view([], [comparison(("a", "b"), "a"), comparison(("b", "a"), None, iteration=2)])

    assert explain.could_change_winner(seen, config("elo"), "a", ["b"])


def test_judgements_that_have_still_to_come_are_not_missing() -> None:
    assert not explain.is_missing(evaluation("a", None, state="planned"))
    assert not explain.is_missing(evaluation("a", 7.0))
    assert explain.is_missing(evaluation("a", None, state="cancelled"))


@pytest.mark.parametrize("pair", [("a", "c"), ("c", "a")])
def test_a_missing_verdict_against_a_third_candidate_could_change_the_winner(
    pair: tuple[str, str],
) -> None:
    three = [artifact("a"), artifact("b"), artifact("c")]
    played = [comparison(("a", "b"), "a"), comparison(pair, None, finished=1)]

    assert explain.could_change_winner(view([], played, three), config("elo"), "a", ["b"])


def test_a_missing_verdict_on_two_others_does_not_help_a_rival() -> None:
    four = [artifact("a"), artifact("b"), artifact("c"), artifact("d")]
    played = [comparison(("a", "b"), "a"), comparison(("c", "d"), None)]

    assert not explain.could_change_winner(view([], played, four), config("elo"), "a", ["b"])
