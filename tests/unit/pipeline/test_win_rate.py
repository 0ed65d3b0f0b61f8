"""Win rates: how often winners of one run beat those of another."""

import pytest

from acm_workers.pipeline import win_rate
from acm_workers.pipeline.win_rate import ComparedWinners
from schemas.units import Winner
from tests.support.judging_records import comparison


def said(*verdicts: tuple[Winner | None, Winner | None]) -> ComparedWinners:
    """Return what judges said with A's winner first, and with B's first."""
    return ComparedWinners(
        "a",
        "b",
        [
            comparison(order, winner, judge=f"j{number}")
            for number, both in enumerate(verdicts)
            for order, winner in zip((("a", "b"), ("b", "a")), both, strict=True)
        ],
    )


def test_a_win_is_one_in_both_orders_and_anything_else_a_tie() -> None:
    found = win_rate.of([said(("b", "a")), said(("a", "a")), said(("a", "b"))], "R")

    assert found.a == pytest.approx(0.5)
    assert found.b == pytest.approx(0.5)
    assert (found.pairs, found.verdicts, found.ties) == (3, 6, 0)
    assert found.difference == pytest.approx(0)


def test_judges_of_one_document_count_as_one_document() -> None:
    found = win_rate.of([said(("b", "a"), ("b", "a"), ("b", "a")), said(("a", "b"))], "R")

    assert found.b == pytest.approx(0.5)


def test_winning_a_few_times_is_no_certainty() -> None:
    few = win_rate.of([said(("b", "a"))] * 3, "R")
    many = win_rate.of([said(("b", "a"))] * 9, "R")

    assert few.b == many.b == 1.0
    assert (few.low or 0) < 0 < (many.low or 0)
    assert few.high == 1.0


def test_no_interval_is_wider_than_a_win_rate_can_be() -> None:
    found = win_rate.of([said(("b", "a")), said(("a", "b"))], "R")

    assert (found.low, found.high) == (-1.0, 1.0)


def test_one_text_that_both_runs_chose_is_a_tie_that_nobody_was_asked_about() -> None:
    found = win_rate.of([ComparedWinners("", "", ()), said(("b", "a"))], "R")

    assert (found.pairs, found.b, found.verdicts) == (2, 0.75, 2)


def test_comparisons_without_a_result_are_left_out() -> None:
    found = win_rate.of([said((None, None))], "R")

    assert (found.pairs, found.a, found.b, found.difference, found.low) == (
        0,
        None,
        None,
        None,
        None,
    )


def test_unsure_verdicts_are_ties_if_they_are_to_be() -> None:
    found = win_rate.of([said(("b", "a"))], "R", tie_below=0.95)

    assert (found.b, found.ties) == (0.5, 2)
