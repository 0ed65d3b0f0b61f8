"""The benchmark of comparing runs: seeded, and it knows what is better."""

from ops.benchmarks import compare
from ops.benchmarks.compare import Design


def test_a_large_difference_is_found_and_its_direction_told() -> None:
    better = compare.compare(Design(6, 2, 2, 3.0), seed=1)
    worse = compare.compare(Design(6, 2, 2, -3.0), seed=1)

    assert (better.conclusion, worse.conclusion) == ("better", "worse")
    assert better.texts.mean > 2 > -2 > worse.texts.mean


def test_the_same_seed_compares_the_same_runs() -> None:
    design = Design(3, 2, 1, 0.0)

    assert compare.compare(design, seed=7) == compare.compare(design, seed=7)
    assert compare.compare(design, seed=7) != compare.compare(design, seed=8)
