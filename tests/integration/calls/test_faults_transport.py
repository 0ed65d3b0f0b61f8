"""Faults T1 to T20 of the catalogue, each in the dialects that the table names."""

import pytest

from tests.support.faults import check, form, transport, work
from tests.support.faults.form import Case
from tests.support.faults.work import Worked

CASES = form.cases(transport.ROWS)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(CASES, tmp_path_factory.mktemp("faults"), stall_s=transport.STALL_S)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_the_transport_gets_its_reaction_and_is_booked(
    case: Case, worked: Worked
) -> None:
    check.check(case, worked)


def test_a_redirect_is_not_followed(worked: Worked) -> None:
    assert worked.stats["faults"]["T14"] >= 4
    assert "404" not in worked.stats["by_status"]


def test_a_page_in_the_place_of_an_answer_is_told_with_its_beginning(worked: Worked) -> None:
    (call, *_) = worked.happened["T7*-openai_chat"].calls

    assert "not an answer of the API" in str(call.error)
    assert "Please sign in to continue" in str(call.error)


def test_a_wait_that_nobody_has_time_for_is_told(worked: Worked) -> None:
    paused = worked.happened["T17.day-openai_chat"].paused

    assert "asks to wait 86400 s" in str(paused)
