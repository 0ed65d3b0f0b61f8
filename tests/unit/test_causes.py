"""Causes of failures: what failed the same way is one line, and what did not is another."""

import pytest

from acm_api.cli.view.failures import cause_lines
from acm_workers import causes
from acm_workers.causes import FailedUnits

_SERVER = "alpha: HTTP 500 (server_error): The server had an error"


def _failed(error: str, number: int = 1, **changes: str) -> FailedUnits:
    unit = FailedUnits("evaluation", "alpha", "j1", "out_of_attempts", error, number)
    return unit._replace(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{_SERVER} (after 4 failures in 18 s)", f"{_SERVER} (after 4 failures in 9 s)"),
        (
            f"{_SERVER} (after 3 failures and 2 rate limits in 18 s)",
            f"{_SERVER} (after 1 failure in 0 s)",
        ),
        (f"{_SERVER}, request req_011CSHoEeqs8.", f"{_SERVER}, request req_77aQSHoEx1z9."),
        ("answer 3 of j1 cannot be used", "answer 4 of j1 cannot be used"),
        ("alpha: HTTP 400: 200123 tokens > 200000", "alpha: HTTP 400: 200777 tokens > 200000"),
    ],
)
def test_times_counts_and_ids_do_not_split_a_cause(one: str, other: str) -> None:
    found = causes.grouped([_failed(one, 3), _failed(other, 2)])

    assert [cause.units for cause in found] == [{"evaluation": 5}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_failed("alpha: HTTP 500"), _failed("alpha: HTTP 502")),
        (_failed(_SERVER), _failed(_SERVER, model="j2")),
        (_failed(_SERVER), _failed(_SERVER, provider="beta")),
        (_failed(_SERVER), _failed(_SERVER, error_kind="provider_rejected")),
        (_failed("it has no score for clarity"), _failed("it has no score for accuracy")),
    ],
)
def test_another_status_model_provider_kind_or_reason_is_another_cause(
    one: FailedUnits, other: FailedUnits
) -> None:
    assert len(causes.grouped([one, other])) == 2


def test_a_cause_is_told_in_the_words_of_its_only_message_without_the_provider() -> None:
    found = causes.grouped([_failed(f"{_SERVER} (after 4 failures in 18 s)")])

    assert found[0].reason == "HTTP 500 (server_error): The server had an error"


def test_causes_come_with_their_numbers_the_most_frequent_first() -> None:
    scores, comparisons = _failed(_SERVER, 12), _failed(_SERVER, 3, kind="comparison")
    rare = _failed("alpha: HTTP 400: no such model", 2, kind="artifact", model="m9")

    lines = cause_lines(causes.grouped([rare, scores, comparisons]))

    assert lines == [
        "12 scores and 3 comparisons failed: alpha:j1:"
        " HTTP 500 (server_error): The server had an error",
        "2 candidates failed: alpha:m9: HTTP 400: no such model",
    ]


def test_more_causes_than_a_view_has_room_for_are_counted() -> None:
    many = [_failed(f"alpha: reason {letter}", 9 - at) for at, letter in enumerate("abcd")]

    lines = cause_lines(causes.grouped(many), most=2)

    assert lines[2:] == ["13 more units failed for 2 other causes: `acm show` lists them"]


def test_the_order_of_failures_changes_no_cause() -> None:
    many = [_failed(_SERVER), _failed("a"), _failed("b", 4), _failed(f"{_SERVER} again")]

    assert causes.grouped(many) == causes.grouped(many[::-1])
