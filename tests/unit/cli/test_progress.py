"""Progress of a run as it is printed: what is done, what is spent, and interrupts meanwhile."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from acm_api.cli.view import progress, results
from acm_workers.store.calls import CallTotals
from acm_workers.store.results import Progress
from acm_workers.store.waits import WaitingUnits
from schemas.plan import ExpectedTotals
from schemas.run import CallCounts, RunResult


def test_a_line_of_progress_counts_what_has_a_result_and_beside_it_what_failed() -> None:
    line = progress.as_line(_half_done())

    assert "8/10 candidates (2 failed), 16/24 scores (8 failed), 0/48 comparisons" in line


def _half_done() -> Progress:
    return Progress(
        "running",
        {
            "artifact": {"done": 8, "failed": 2},
            "evaluation": {"done": 16, "failed": 8},
            "comparison": {"planned": 48},
        },
        {"compare": 1},
        CallTotals(**dict.fromkeys(CallTotals._fields, 0)),
        [],
        ExpectedTotals(calls=40, usd=2.0),
    )


_EXPECTED = ExpectedTotals(calls=122, usd=0.877)


def _progress(**calls: Any) -> Progress:
    nothing = dict.fromkeys(CallTotals._fields, 0)
    units: Any = {kind: {} for kind in ("artifact", "evaluation", "comparison")}
    return Progress("running", units, {}, CallTotals(**(nothing | calls)), [], _EXPECTED)


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
    seen = _progress(sent=138, cost_usd=0.4047, uncertain=calls, uncertain_usd=usd)

    assert results.cost(result(calls, usd)) == f"cost {said}, about $0.8770 expected"
    assert progress.as_line(seen).endswith(f"; spent {said}, about $0.8770 expected")


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ({"sent": 100}, "100 of about 122 calls"),
        ({"sent": 138, "uncertain": 16}, "138 of about 138 calls"),
        ({"sent": 140, "failed": 27}, "140 of about 149 calls"),
        ({"sent": 125}, "125 of about 125 calls"),  # repair turns
    ],
)
def test_repeated_calls_are_added_to_the_likely_ones(calls: dict[str, int], said: str) -> None:
    assert said in progress.as_line(_progress(**calls))


@pytest.fixture(autouse=True)
def _default_interrupt_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class _Interrupted:
    """An object whose finalizer is interrupted: Python drops exceptions raised there."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_python_forgets_is_raised_at_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", printed.append)

    with progress.pending_interrupts() as look:
        look()
        _Interrupted()

        with pytest.raises(KeyboardInterrupt):
            look()
        look()
    assert printed == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_is_raised_where_it_comes(number: signal.Signals) -> None:
    before = signal.getsignal(number)

    with progress.pending_interrupts(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)

    assert signal.getsignal(number) is before


def test_a_terminal_that_goes_away_twice_interrupts_once() -> None:
    with progress.pending_interrupts():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)


def test_a_terminal_that_goes_away_stops_nothing_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with progress.pending_interrupts() as look:
        signal.raise_signal(signal.SIGHUP)
        look()

    signal.signal(signal.SIGHUP, before)


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    with progress.pending_interrupts() as look:
        signal.raise_signal(signal.SIGINT)
        look()

    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_afterwards_interrupts_are_what_they_were() -> None:
    with progress.pending_interrupts():
        pass

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_numbers_of_one_stand_before_a_singular() -> None:
    one = _progress(sent=1, unpriced=1)._replace(expected=None)
    most = _progress(sent=1)._replace(expected=ExpectedTotals(calls=1, usd=None))
    waiting = one._replace(waits=[WaitingUnits("alpha", "paused", 1, None)])

    assert "; 1 call, " in progress.as_line(one)
    assert "1 call of unknown price" in progress.as_line(one)
    assert "1 of about 1 call," in progress.as_line(most)
    assert progress.waits(waiting) == ["1 waits for alpha: paused"]


def test_limits_are_waited_for_in_words() -> None:
    asked = _progress(sent=1)._replace(waits=[WaitingUnits("alpha", "penalty", 2, None)])

    assert progress.waits(asked) == ["2 wait for alpha: the provider asked to wait"]


def test_documents_whose_candidates_are_all_written_are_in_score() -> None:
    written = _half_done()._replace(stages={"generate": 3, "compare": 1})
    writing = written._replace(units={**written.units, "artifact": {"done": 8, "claimed": 2}})

    assert progress.as_line(written).startswith("documents: 3 in score, 1 in compare;")
    assert progress.as_line(writing).startswith("documents: 3 in generate, 1 in compare;")


@pytest.mark.parametrize(
    ("changes", "phase", "said"),
    [
        (
            {"units": {"evaluation": {}}, "stages": {"generate": 2}},
            "generation",
            ", generating, 0 %",
        ),
        ({"stages": {"generate": 2}}, "single_doc", ", scoring, 0 %"),
        ({"stages": {"generate": 1, "compare": 1}}, "pairwise", ", comparing, 0 %"),
        ({"stages": {"compare": 1, "playoff": 1}}, "post_combine", ", in the playoffs, 0 %"),
        ({"state": "failed"}, "finished", ""),
        ({"state": "deleted"}, "finished", ""),
    ],
)
def test_phase_and_percent_stand_behind_the_state(
    changes: dict[str, Any], phase: str, said: str
) -> None:
    seen = _half_done()._replace(**changes)

    assert seen.phase == phase
    assert progress.phase_and_percent(seen) == said


@pytest.mark.parametrize(
    ("state", "calls", "expected", "percent"),
    [
        ("running", {"sent": 61, "in_flight": 0}, 122, 50),
        ("running", {"sent": 61, "cached": 10, "in_flight": 10}, 122, 50),
        ("running", {"sent": 500}, 122, 99),
        ("running", {"sent": 1}, None, 99),
        ("paused", {"sent": 61}, 122, 50),
        ("done", {"sent": 61}, 122, 100),
        ("partial", {"sent": 0}, 122, 100),
    ],
)
def test_percent_is_of_the_likely_calls_and_whole_only_at_the_end(
    state: str, calls: dict[str, int], expected: int | None, percent: int
) -> None:
    planned = None if expected is None else ExpectedTotals(calls=expected, usd=None)

    assert _progress(**calls)._replace(state=state, expected=planned).percent == percent
