"""A sample of ``ops/bench plan``: plans beside runs against the simulator's faults."""

from ops.benchmarks import planning


def test_no_run_takes_more_than_the_most_of_its_plan_whatever_fault_it_meets() -> None:
    found = planning.measure(1, ["C5", "O12", "A15", "T5"])

    assert [row["above most"] for row in found.rows] == [0, 0, 0]
    assert [row["bounded"] for row in found.rows] == [8, 8, 8]
