"""What other judges changed about a document: both rankings, and why."""

from collections.abc import Mapping
from typing import Any

import pytest

from acm_api.cli.view import results
from acm_workers.pipeline import ranking_diff
from acm_workers.pipeline.document_ranking import rank
from acm_workers.pipeline.ranking_diff import JudgedDocument
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.config.judging import Criterion
from schemas.rejudged import DocumentChange, RejudgedResult
from schemas.run import CallCounts
from schemas.units import Comparison, Document
from tests.support import judging_records
from tests.support.judging_records import artifact, comparison, evaluation

X = (Criterion(name="x", weight=1.0),)
Y = (Criterion(name="y", weight=1.0),)


def side(
    scores: dict[str, float],
    winner: str | None,
    *,
    judge: str = "j",
    criteria: tuple[Criterion, ...] = X,
    games: list[Comparison] | None = None,
    origins: Mapping[str, str] | None = None,
) -> JudgedDocument:
    """Return a document whose candidates got ``scores`` from one judge."""
    origins = origins or {}
    config = judging_records.config(method="combined", criteria=criteria)
    config = config.model_copy(update={"judges": (judging_records.judge(judge),)})
    name = criteria[0].name
    artifacts = [
        artifact(one).model_copy(update={"taken_from": origins.get(one), "number": number})
        for number, one in enumerate(scores, start=1)
    ]
    units = [
        evaluation(one, score, judge=judge, scores={name: score}) for one, score in scores.items()
    ]
    view = DocumentSnapshot(_document(winner), artifacts, units, games or [])
    return JudgedDocument(view, config, rank(view, config).standings)


def _document(winner: str | None) -> Document:
    return Document(
        id="doc",
        run_id="run",
        path="a.md",
        key="k",
        stage="finished",
        state="done",
        winner_id=winner,
        created_at=judging_records.START,
    )


def again(scores: dict[str, float], winner: str | None, **more: Any) -> JudgedDocument:
    """Return the candidates a, b and so on, judged again as A, B and so on."""
    return side(
        {one.upper(): score for one, score in scores.items()},
        winner,
        origins={one.upper(): one for one in scores},
        **more,
    )


def test_both_ranks_and_scores_of_each_candidate_are_told() -> None:
    old = side({"a": 8.0, "b": 7.0, "c": 6.0}, "a")

    found = ranking_diff.compare_rankings(
        old, again({"a": 5.0, "b": 7.5, "c": 6.0}, "B", judge="k")
    )

    told = [(move.name, move.old.rank, move.new.rank) for move in found.moves]
    assert told == [("m #2", 2, 1), ("m #3", 3, 2), ("m #1", 1, 3)]
    assert [(move.old.overall, move.new.overall) for move in found.moves] == [
        (7.0, 7.5),
        (6.0, 6.0),
        (8.0, 5.0),
    ]
    assert (found.old_winner, found.new_winner, found.winner_changed) == (
        "m #1",
        "m #2",
        True,
    )


def test_another_winner_is_explained_by_scores_verdicts_and_judges() -> None:
    old = side({"a": 8.0, "b": 7.0}, "a", games=[comparison(("a", "b"), "a")])
    new = again(
        {"a": 5.0, "b": 7.5}, "B", judge="k", games=[comparison(("A", "B"), "b", judge="k")]
    )

    assert ranking_diff.compare_rankings(old, new).why == (
        "m #2 wins instead of m #1.",
        "Score: 7.50 against 5.00 of m #1; before, 7.00 against 8.00.",
        "By criterion, m #2 against m #1: x +2.50.",
        "Share of won comparisons: 1.00 against 0.00 of m #1; before, 0.00 against 1.00.",
        "Mean score by judge: k 6.25; before: j 7.50.",
    )


def test_the_same_winner_is_set_beside_the_next_one() -> None:
    found = ranking_diff.compare_rankings(
        side({"a": 8.0, "b": 7.0}, "a"), again({"a": 8.0, "b": 7.0}, "A")
    )

    assert found.winner_changed is False
    assert found.why == (
        "m #1 wins as before.",
        "Score: 8.00 against 7.00 of m #2; before, 8.00 against 7.00.",
        "By criterion, m #1 against m #2: x +1.00.",
    )


def test_scores_by_other_criteria_are_not_compared() -> None:
    found = ranking_diff.compare_rankings(
        side({"a": 8.0}, "a"), again({"a": 3.0}, "A", criteria=Y, judge="k")
    )

    assert found.why == (
        "m #1 wins as before.",
        "The criteria differ, so scores cannot be compared with the earlier ones.",
    )


def test_without_a_winner_nothing_is_said_to_have_changed() -> None:
    old = side({"a": 8.0, "b": 7.0}, None)

    found = ranking_diff.compare_rankings(old, again({"a": 8.0, "b": 7.0}, "A"))
    none = ranking_diff.compare_rankings(
        side({"a": 8.0, "b": 7.0}, "a"), again({"a": 8.0, "b": 7.0}, None)
    )

    assert (found.old_winner, found.winner_changed) == (None, None)
    assert found.why[0] == "m #1 wins; the earlier judges had no winner among these candidates."
    assert (none.new_winner, none.winner_changed) == (None, None)
    assert none.why[0] == "There is no winner by the new judges."


def test_a_winner_whose_text_was_not_taken_over_is_no_winner_here() -> None:
    new = again({"a": 8.0}, "A")

    found = ranking_diff.compare_rankings(side({"a": 8.0, "b": 9.0}, "b"), new)

    assert (found.old_winner, found.new_winner, found.winner_changed) == (None, "m #1", None)


def result(change: DocumentChange) -> RejudgedResult:
    return RejudgedResult(
        run_id="new",
        state="done",
        documents=(),
        calls=CallCounts(total=0, failed=0, cached=0, uncertain=0),
        usd=0.0,
        rejudged_from="old",
        changes=(change,),
    )


def test_rankings_are_printed_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    old = side({"a": 8.0, "b": 7.0}, "a")

    results.print_changes(
        result(ranking_diff.compare_rankings(old, again({"a": 5.0, "b": 7.5}, "B")))
    )

    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["m", "#2", "*", "1", "2", "7.50", "7.00"] in lines
    assert ["m", "#1", "2", "1", "5.00", "8.00"] in lines
    assert "winner changed in 1 of 1 document with a winner in both runs" in out


def test_hostile_names_steer_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    change = ranking_diff.compare_rankings(side({"a": 8.0}, "a"), again({"a": 8.0}, "A"))
    evil = change.model_copy(update={"path": "\x1b[2J[bold]a.md\n", "why": ("\x07\u202e",)})

    results.print_changes(result(evil))

    out = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)
    assert "[bold]a.md" in out


def test_scores_without_a_result_and_equal_ones_explain_nothing() -> None:
    old, new = side({"a": 7.0, "b": 7.0}, "a"), again({"a": 7.0, "b": 7.0}, "A")
    failed = evaluation("A", None, iteration=2, state="failed")
    view = new.snapshot._replace(evaluations=[*new.snapshot.evaluations, failed])

    why = ranking_diff.compare_rankings(old, new._replace(snapshot=view)).why

    assert why[0] == "m #1 wins as before."
    assert not any("By criterion" in sentence for sentence in why)


def test_a_score_that_the_earlier_judges_did_not_give_has_nothing_before_it() -> None:
    old = side({"a": 8.0, "b": 7.0}, "a")
    unscored = old._replace(snapshot=old.snapshot._replace(evaluations=[]))

    why = ranking_diff.compare_rankings(unscored, again({"a": 8.0, "b": 7.0}, "A")).why

    assert "Score: 8.00 against 7.00 of m #2." in why


def test_other_criteria_are_not_mentioned_before_anything_is_scored() -> None:
    new = again({"a": 8.0}, None, criteria=Y)
    unscored = new._replace(snapshot=new.snapshot._replace(evaluations=[]), standings=())

    why = ranking_diff.compare_rankings(side({"a": 8.0}, "a"), unscored).why

    assert why == ("There is no winner by the new judges.",)
