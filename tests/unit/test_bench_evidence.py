from ops.benchmarks import evidence
from ops.benchmarks.evidence import Combination


def test_scores_alone_ask_nothing_and_strategies_do() -> None:
    alone, swiss, adaptive = (
        evidence.play(Combination(2, 1, 6, strategy), range(2))
        for strategy in (None, "swiss", "adaptive")
    )  # fmt: skip

    assert [run.calls for run in alone] == [0, 0]
    assert all(run.calls > 0 for run in (*swiss, *adaptive))
    assert all(0 < run.stated <= 1 for run in (*alone, *swiss, *adaptive))


def test_same_seeds_have_the_same_runs() -> None:
    cell = Combination(3, 2, 6, "swiss")

    assert evidence.play(cell, range(2, 4)) == evidence.play(cell, range(4))[2:]
