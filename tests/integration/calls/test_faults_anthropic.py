"""Faults A1 to A20 of the catalogue, in the dialect of Anthropic."""

import pytest

from tests.support.faults import anthropic, check, form, work
from tests.support.faults.form import Case
from tests.support.faults.work import Worked

CASES = form.cases(anthropic.ROWS)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(CASES, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_anthropic_gets_its_reaction_and_is_booked(case: Case, worked: Worked) -> None:
    check.check(case, worked)


def test_a_refusal_keeps_its_category(worked: Worked) -> None:
    happened = worked.happened["A14-anthropic"]

    assert "(general_harms)" in str(happened.unit.error)
    assert happened.unit.error == happened.calls[0].error


def test_a_paused_answer_ends_as_one_text_that_proves_its_searches(worked: Worked) -> None:
    happened = worked.happened["A15-anthropic"]

    first, last = happened.calls
    assert (first.finish_reason, last.finish_reason) == ("pause", "stop")
    assert happened.text
    assert happened.text.startswith("#")
    assert happened.text.endswith(".")
    assert last.evidence.grounding != "none"
