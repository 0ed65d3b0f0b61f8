from acm_api.cli import live
from acm_workers.store.calls import Totals
from acm_workers.store.results import Progress
from schemas.run import ExpectedTotals


def test_a_line_of_progress_counts_what_has_a_result_and_beside_it_what_failed() -> None:
    line = live.as_line(progress())

    assert "8/10 candidates (2 failed), 16/24 scores (8 failed), 0/48 comparisons" in line


def progress() -> Progress:
    return Progress(
        "running",
        {
            "artifact": {"done": 8, "failed": 2},
            "evaluation": {"done": 16, "failed": 8},
            "comparison": {"planned": 48},
        },
        {"compare": 1},
        Totals(**dict.fromkeys(Totals._fields, 0)),
        [],
        ExpectedTotals(calls=40, usd=2.0),
    )
