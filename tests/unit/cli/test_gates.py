"""Gates for pipelines: which winners miss what is asked for."""

from acm_api.gates import Gates, missed
from schemas.run import CallCounts, DocumentResult, RunResult, WinnerResult


def result(path: str, overall: float | None, p_best: float | None) -> DocumentResult:
    winner = WinnerResult(
        artifact_id="A", file=None, generator="fpf", number=1, model="m", overall=overall,
        elo=None, rank_score=None, p_best=p_best,
    )  # fmt: skip
    return DocumentResult(
        path=path, state="done", reason=None, winner=winner, artifacts=2, evaluations=2,
        comparisons=1, missing=0,
    )  # fmt: skip


def run(*documents: DocumentResult) -> RunResult:
    none = CallCounts(total=0, failed=0, cached=0, uncertain=0)
    return RunResult(run_id="R", state="done", documents=documents, calls=none, usd=0.0)


def test_a_winner_at_the_gate_passes_it() -> None:
    assert missed(run(result("a.md", 7.5, 0.7)), Gates(7.5, 0.7)) == []


def test_a_winner_below_a_gate_is_named_with_what_it_lacks() -> None:
    assert missed(run(result("a.md", 7.4, 0.9), result("b.md", 9.0, 0.3)), Gates(7.5, 0.7)) == [
        "a.md: score 7.40 is below 7.5",
        "b.md: P(best) 0.30 is below 0.7",
    ]


def test_what_is_not_known_passes_no_gate() -> None:
    nothing = result("b.md", 1.0, 1.0).model_copy(update={"winner": None, "state": "skipped"})

    assert missed(run(result("a.md", None, 0.9), nothing), Gates(7.5, None)) == [
        "a.md: score is not known",
        "b.md: no winner is known here (skipped)",
    ]


def test_without_gates_nothing_is_checked() -> None:
    assert not Gates().given
    assert Gates(p_best=0.0).given
