"""Gates for pipelines: which winners miss what is asked for."""

import pytest

from acm_api.gates import Gates, missed, worse
from schemas.run import CallCounts, DocumentResult, RunResult, WinnerResult
from schemas.run_difference import ComparedRun, MeasuredDifference, RunDifference


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


def difference(of: float | None) -> RunDifference:
    """Return the difference of two runs whose winners differ by so much."""
    runs = [
        ComparedRun(run_id=one, title=one, state="done", documents=3, usd=0.0, seconds=1.0,
                    calls=1, cached=0)
        for one in ("A", "B")
    ]  # fmt: skip
    measures = [MeasuredDifference(name="winners", pairs=3, difference=of)]
    return RunDifference(
        a=runs[0], b=runs[1], conclusion="worse", reason="judges differ", interval=0.95,
        measures=tuple(measures) if of is not None else (), criteria=(), changes=(), documents=(),
        only_a=(), only_b=(), altered=(), undecided=(), warnings=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("of", "points", "told"),
    [
        (-0.21, 0.2, "winners of run B score 0.21 lower; 0.2 is allowed"),
        (-0.2, 0.2, None),
        (0.5, 0.0, None),
        (-3.0, None, None),
        (None, 0.2, "nobody can tell whether run B is worse: judges differ"),
    ],
)
def test_a_run_may_be_worse_by_as_much_as_is_allowed_and_must_be_comparable(
    of: float | None, points: float | None, told: str | None
) -> None:
    assert worse(difference(of), points) == told
