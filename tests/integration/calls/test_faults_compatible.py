"""Faults R1 to R11 of the catalogue, in Chat Completions."""

import pytest

from tests.support.faults import check, compatible, form, work
from tests.support.faults.form import Case
from tests.support.faults.work import Worked

CASES = form.cases(compatible.ROWS)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    return work.work(CASES, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_of_a_compatible_server_gets_its_reaction_and_is_booked(
    case: Case, worked: Worked
) -> None:
    check.check(case, worked)


def test_thoughts_before_the_text_are_no_part_of_it(worked: Worked) -> None:
    text = worked.happened["R10.think-openai_chat"].text

    assert text
    assert "I weigh" not in text


def test_a_cost_that_only_the_server_knows_is_booked_as_its_word(worked: Worked) -> None:
    (call,) = worked.happened["R8.byok-openai_chat"].calls

    assert (call.cost_usd, call.price) == (0.0123, "provider")
