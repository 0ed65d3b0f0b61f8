"""Explanations of winners: measures, hypothetical results, and missing judgements."""

from typing import Any

import pytest

from acm_api.cli.view import explanation as printing
from acm_workers.pipeline import explain
from acm_workers.pipeline.document_ranking import rank
from acm_workers.pipeline.ranking_diff import JudgedDocument
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import RankingMethod
from schemas.explained import Explanation
from schemas.units import Document, Remark, Winner
from tests.support import judging_records
from tests.support.judging_records import artifact, comparison, evaluation


def config(method: RankingMethod, **changes: Any) -> Config:
    criteria = (Criterion(name="x", weight=0.5), Criterion(name="y", weight=0.5))
    return judging_records.config(method=method, criteria=criteria).model_copy(update=changes)


def explained(view: DocumentSnapshot, given: Config, winner: str | None = "a") -> Explanation:
    document = view.document.model_copy(update={"winner_id": winner})
    found = rank(view, given)
    seen = JudgedDocument(view._replace(document=document), given, found.standings)
    return explain.explain(seen, found.fusions)


def document(**changes: Any) -> Document:
    values: dict[str, Any] = {
        "id": "doc",
        "run_id": "run",
        "path": "a.md",
        "key": "k",
        "stage": "finished",
        "state": "done",
        "reason": "Rank 1 of 2.",
        "created_at": judging_records.START,
    }
    return Document.model_validate(values | changes)


def two(**changes: Any) -> DocumentSnapshot:
    """Return a document of two candidates: a scored 8 and 6, b 6 and 5, and a won 2 of 3."""
    evaluations = [
        evaluation("a", 7.0, scores={"x": 8.0, "y": 6.0}),
        evaluation("b", 5.5, scores={"x": 6.0, "y": 5.0}),
    ]
    won: tuple[Winner, ...] = ("a", "a", "b")
    games = [
        comparison(("a", "b"), winner, iteration=number, finished=number)
        for number, winner in enumerate(won, start=1)
    ]
    return DocumentSnapshot(document(**changes), [artifact("a"), artifact("b")], evaluations, games)


def told(found: Explanation, capsys: pytest.CaptureFixture[str]) -> str:
    printing.print_explanation(found)
    return capsys.readouterr().out


def test_winner_and_runner_up_are_measured_side_by_side() -> None:
    found = explained(two(), config("combined"))

    winner, other = found.winner, found.runner_up
    assert winner is not None
    assert other is not None
    assert (winner.rank, winner.overall, winner.criteria) == (1, 7.0, {"x": 8.0, "y": 6.0})
    assert (other.rank, other.overall) == (2, 5.5)
    assert (winner.wins, winner.losses, winner.ties) == (2, 1, 0)
    assert (found.direct.wins, found.direct.losses, found.direct.ties) == (2, 1, 0)
    assert (found.method, found.reason, found.missing) == ("combined", "Rank 1 of 2.", None)


def test_what_judges_said_of_the_two_is_quoted_the_surest_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view, given = two(), config("score")
    found = rank(view, given)
    seen = JudgedDocument(view._replace(document=document(winner_id="a")), given, found.standings)
    said = {
        "a": (
            Remark(judge="j", iteration=1, overall=7.0, summary="Not sure of it.", confidence=0.4),
            Remark(
                judge="k", iteration=1, overall=8.0, summary="Clear\nand short.", confidence=0.9
            ),
            Remark(judge="k", iteration=2, overall=8.0, summary="Says all."),
            Remark(judge="l", iteration=1, confidence=1.0),
        ),
        "b": (Remark(judge="j", iteration=1, overall=5.5, summary="w" * 999),),
    }

    explained = explain.explain(seen, found.fusions, said)
    lines = told(explained, capsys).splitlines()

    start = next(index for index, line in enumerate(lines) if line.startswith("judges say"))
    assert explained.winner is not None
    assert explained.winner.remarks == said["a"]
    assert [line[14:] for line in lines[start : start + 2]] == [
        f"{explained.winner.name}: k, 8.00, confidence 0.90: Clear and short.",
        f"{explained.winner.name}: j, 7.00, confidence 0.40: Not sure of it.",
    ]
    assert lines[start + 2].endswith(f": j, 5.50: {'w' * 239}…")


def test_people_read_it_in_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(explained(two(), config("elo")), capsys).splitlines()

    assert lines[:2] == ["document      a.md (done), 2 candidates", "winner        m #1"]
    assert "score         7.00 against 5.50 (x +2.00, y +1.00)" in lines
    assert "comparisons   2 won, 1 lost, 0 tied; runner-up 1 won, 2 lost, 0 tied" in lines
    assert "              between the two 2 won, 1 lost, 0 tied" in lines
    # Elo 1511.7 and 1488.3: one more win makes it 1494.6 and 1505.4.
    would = "m #1 would win if it won its next comparison against the winner"
    assert f"would change  {would}" in lines


def test_where_scores_decide_the_gap_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    view = two()._replace(comparisons=[])

    found = explained(view, config("score"))

    assert found.method == "score"
    assert found.what_if[0].score_needed == 1.5
    assert "would need a score higher by more than 1.50" in told(found, capsys)


def test_missing_judgements_are_counted_with_their_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view = two()
    lost = [
        evaluation("b", None, iteration=number, state="failed").model_copy(
            update={"error": "the judge declined"}
        )
        for number in (2, 3)
    ]

    found = explained(view._replace(evaluations=[*view.evaluations, *lost]), config("score"))

    missing = found.missing
    assert missing is not None
    assert (missing.evaluations, missing.comparisons) == (2, 0)
    assert missing.reasons == ("2 × judge j: the judge declined",)
    assert missing.could_change is True  # (5.5 + 10 + 10) / 3 is above 7
    assert "2 evaluations without a result; it could change the winner" in told(found, capsys)


def test_filled_scores_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    view = two()
    filled = view.evaluations[0].model_copy(update={"filled": ("y",)})

    found = explained(view._replace(evaluations=[filled, view.evaluations[1]]), config("score"))

    assert found.winner is not None
    assert found.winner.filled == 1
    line = "1 and 0 evaluations of the two have filled scores (missing_score)"
    assert line in told(found, capsys)


def test_a_combined_candidate_is_told_beside_its_best_parent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view = two()
    child = artifact("c", parents=("a", "b"))
    scored = evaluation("c", 8.0, scores={"x": 8.0, "y": 8.0})
    view = view._replace(
        artifacts=[*view.artifacts, child], evaluations=[*view.evaluations, scored]
    )

    found = explained(view, config("score"), "c")

    (fusion,) = found.fusions
    assert (fusion.name, fusion.parent, fusion.lift) == ("m combined #1", "m #1", 1.0)
    assert "m combined #1 is better than its best parent, m #1," in told(found, capsys)


def test_a_candidate_combined_from_more_than_two_is_told_with_all_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view = two()
    third, child = artifact("d"), artifact("c", parents=("a", "b", "d"))
    scored = [evaluation(one, 7.0, scores={"x": 7.0, "y": 7.0}) for one in ("c", "d")]
    view = view._replace(
        artifacts=[*view.artifacts, third, child], evaluations=[*view.evaluations, *scored]
    )

    found = explained(view, config("score"), "c")

    assert len(found.fusions[0].parents) == 3
    assert "; made from m #1, m #1, m #1;" in told(found, capsys)


def test_a_document_without_a_winner_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    broken = artifact("a", state="failed").model_copy(update={"error": "no such model"})
    view = DocumentSnapshot(
        document(state="failed", reason="no candidate was written"), [broken], [], []
    )

    found = explain.explain(JudgedDocument(view, config("score"), []), [])

    assert (found.winner, found.runner_up, found.what_if) == (None, None, ())
    out = told(found, capsys)
    assert "winner        none" in out
    assert "1 of 1 candidates were not written: no such model" in out


def test_a_document_that_goes_on_says_so() -> None:
    found = explained(two(state="running", reason=None), config("score"), None)

    assert found.notes == ("The document is not finished; its winner may change.",)


def test_hostile_text_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    view = two(path="a\x1b[2J\u202e.md", reason="[red]Rank\x07 1[/red]\nof 2")
    evil = view.artifacts[0].model_copy(update={"model": "m\x1b]0;x\x07"})

    out = told(
        explained(view._replace(artifacts=[evil, view.artifacts[1]]), config("score")), capsys
    )

    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(out)
    assert "[red]Rank" in out
    assert len([line for line in out.splitlines() if line.startswith("why")]) == 1


def test_missing_judgements_of_the_winner_alone_are_weighed_against_all_others() -> None:
    view = two()
    lost = evaluation("a", None, iteration=2, state="failed")
    seen = view._replace(evaluations=[*view.evaluations, lost])

    found, unfinished = explained(seen, config("score")), explained(seen, config("score"), None)

    assert found.missing is not None
    assert found.missing.could_change is True  # (7 + 1) / 2 is below 5.5
    assert unfinished.missing is not None
    assert unfinished.missing.could_change is None
