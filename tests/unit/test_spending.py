"""What the command line says of money: the same amount everywhere, and what may come on top."""

from typing import Any

import pytest

from acm_api.cli import live, show
from acm_workers.store.calls import Totals
from acm_workers.store.results import Progress
from schemas.run import CallCounts, ExpectedTotals, RunResult

_EXPECTED = ExpectedTotals(calls=122, usd=0.877)


def progress(**calls: Any) -> Progress:
    nothing = dict.fromkeys(Totals._fields, 0)
    units: Any = {kind: {} for kind in ("artifact", "evaluation", "comparison")}
    return Progress("running", units, {}, Totals(**(nothing | calls)), [], _EXPECTED)


def result(uncertain: int, uncertain_usd: float | None) -> RunResult:
    counts = CallCounts(total=138, failed=0, cached=0, uncertain=uncertain)
    return RunResult(
        run_id="RUN",
        state="paused",
        documents=(),
        calls=counts,
        usd=0.4047,
        uncertain_usd=uncertain_usd,
        expected=_EXPECTED,
    )


@pytest.mark.parametrize(
    ("calls", "usd", "said"),
    [
        (0, 0.0, "$0.4047"),
        (1, 0.028, "$0.4047, and up to $0.0280 for 1 uncertain call"),
        (16, 0.4481, "$0.4047, and up to $0.4481 for 16 uncertain calls"),
        (16, None, "$0.4047, and 16 uncertain calls may have cost more"),
    ],
)
def test_what_uncertain_calls_may_have_cost_is_told_beside_what_is_spent(
    calls: int, usd: float | None, said: str
) -> None:
    seen = progress(sent=138, cost_usd=0.4047, uncertain=calls, uncertain_usd=usd)

    assert show.cost(result(calls, usd)) == f"cost {said}, at most $0.8770 expected"
    assert live.as_line(seen).endswith(f"; spent {said}, at most about $0.8770 expected")


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ({"sent": 100}, "100 of at most 122 calls"),
        ({"sent": 138, "uncertain": 16}, "138 of at most 138 calls"),
        ({"sent": 140, "failed": 27}, "140 of at most 149 calls"),
        ({"sent": 125}, "125 of at most 125 calls"),  # repair turns
    ],
)
def test_calls_are_never_more_than_their_most(calls: dict[str, int], said: str) -> None:
    assert said in live.as_line(progress(**calls))
